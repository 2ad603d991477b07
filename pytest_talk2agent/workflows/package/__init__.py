"""The folder of a workflow, in the format of APEX-Voice: its records, its loader and its cross-checks."""

"""Tasks of OSWorld, run by the user's own ``desktop_env`` with what was heard in the place of the instruction."""

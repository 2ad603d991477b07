"""Error rates and other metrics, their correlation with execution, and the decision about a run."""

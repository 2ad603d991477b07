"""Records, the content-addressed store, baselines and the gate."""

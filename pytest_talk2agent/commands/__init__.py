"""The commands of `talk2agent`: `add_NAME` declares the arguments of one, `run_NAME` returns its exit status."""

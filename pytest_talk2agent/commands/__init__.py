"""The commands of `talk2agent`, one module each: `add` declares its arguments, `run` returns the exit status."""

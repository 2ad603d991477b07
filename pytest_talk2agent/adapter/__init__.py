"""The pytest adapter: hooks and items call into the package; nothing of the package calls it."""

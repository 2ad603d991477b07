"""Release gate for voice interfaces, as a pytest plugin."""

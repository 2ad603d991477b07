"""Recognisers that run on this machine, the user's own among them."""

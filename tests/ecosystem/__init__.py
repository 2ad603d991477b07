"""Beside the real plugins of other people, where they are installed."""

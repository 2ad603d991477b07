"""Recordings as a data set: what is in it, whether it holds, and its way to other layouts and back."""

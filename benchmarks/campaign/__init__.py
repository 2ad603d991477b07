"""Faults put into a small green project: what each must come to, and what it came to."""

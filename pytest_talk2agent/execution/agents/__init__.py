"""Agents that act on a transcript: what each is, and how a spec names it."""

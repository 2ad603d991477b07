"""What goes wrong with a judge."""

from __future__ import annotations


class JudgeError(ValueError):
    """A judge cannot be had, or could not judge a transcript: one clear line. It is never a label."""

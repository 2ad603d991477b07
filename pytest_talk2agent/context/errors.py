"""What can go wrong between a task's context and its terms."""

from __future__ import annotations


class ContextError(Exception):
    """No list of terms can be made for a task, or it must not be used. One clear line."""

"""Shares from 0 to 1 as people write them, on the command line and in ini files."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def share(text: str) -> Fraction:
    """Read ``0.9``, ``.9`` or ``9/10`` exactly; raises ValueError with what is wrong, to be put behind a place."""
    from pytest_talk2agent.tasks.exact import exact

    try:
        value = exact(text)
    except ValueError:
        value = None
    if value is None or not 0 <= value <= 1:
        raise ValueError(f"{text!r} is not a number from 0 to 1")
    return value


def shares(text: str, metrics: Sequence[str]) -> dict[str, Fraction]:
    """Read ``0.9`` for all metrics, or ``native=0.9,shapley=0.8`` for those that are named; raises like `share`."""
    if "=" not in text:
        return dict.fromkeys(metrics, share(text))
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        if name not in metrics or name in found:
            form = ",".join(f"{metric}=X" for metric in metrics)
            raise ValueError(f"{part.strip()!r} is no part of {form}, each at most once")
        found[name] = share(number)
    return found

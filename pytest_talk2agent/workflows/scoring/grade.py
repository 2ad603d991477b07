"""What a grader says of one value, and logic with a third value for what nobody has judged.

Three values: True, False, and None for *unjudged*. A conjunction with a False is False whatever else is open; without
one it is None as soon as anything in it is None. An open question is therefore never a pass, and never a failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Truth: TypeAlias = bool | None
Compat = Literal["apex-1.0"]
"""The published scoring with its quirks; None, the default, is the mended one."""

Tier = Literal["rule", "judge", "blank", "absent", "stale", "presence", "unjudged"]

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Grade:
    """The score of one value, in [0, 1] and exact; None where it is unjudged. ``tier`` is what decided it."""

    score: Fraction | None
    tier: Tier
    reason: str = ""

    @property
    def right(self) -> Truth:
        """Whether the value is wholly right."""
        return None if self.score is None else self.score >= 1


def both(values: Iterable[Truth]) -> Truth:
    """Whether all hold (Kleene)."""
    found: Truth = True
    for value in values:
        if value is False:
            return False
        if value is None:
            found = None
    return found


def either(values: Iterable[Truth]) -> Truth:
    """Whether any holds (Kleene)."""
    return opposite(both(opposite(value) for value in values))


def opposite(value: Truth) -> Truth:
    """The negation; what is open stays open."""
    return None if value is None else not value


def plain(value: object) -> str:
    """A value as the published scoring compares it: Python's own text of it, without white space around it."""
    return str(value).strip()


def is_blank(value: object) -> bool:
    """Whether nothing was written: None, or a text without a letter, digit or sign."""
    return value is None or (isinstance(value, str) and not value.strip())

"""Consistency constraints: ``lhs OP rhs`` over fields of artifacts, quoted texts and numbers.

Published, fields are compared as they are and what cannot be read or compared is false. Here numbers, dates and texts
are compared by what they say, so that two spellings of one day agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pytest_talk2agent.workflows.caller.observation import OPERATORS
from pytest_talk2agent.workflows.scoring.calendar_values import same_date
from pytest_talk2agent.workflows.scoring.grade import Compat
from pytest_talk2agent.workflows.scoring.graders import ends, folded, items
from pytest_talk2agent.workflows.scoring.number_values import read_amount, same_number
from pytest_talk2agent.workflows.scoring.trace import ArtifactState

_EXPRESSION = re.compile(r"""\s*("[^"]*"|'[^']*'|[^=!<>"']+?)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[^=!<>"']+?)\s*""")


def constraint_holds(text: str, artifacts: Mapping[str, ArtifactState], compat: Compat | None = None) -> bool:
    """Whether one constraint holds; what is missing is None, and equals nothing but another that is missing."""
    found = _EXPRESSION.fullmatch(text)
    if found is None:
        return False
    left, right = (operand(part, artifacts) for part in (found[1], found[3]))
    compared = OPERATORS[found[2]]
    try:
        if compat is not None:
            return bool(compared(left, right))
        if found[2] in ("==", "!="):
            return _alike(left, right) == (found[2] == "==")
        return bool(compared(*_ordered(left, right)))
    except TypeError:
        return False


def operand(text: str, artifacts: Mapping[str, ArtifactState]) -> Any:
    """The value of an operand: a quoted text, a number, or ``artifact.field``, where a field may have dots."""
    if text[0] in "\"'":
        return text[1:-1]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    artifact, _, field = text.partition(".")
    return artifacts[artifact].fields.get(field) if artifact in artifacts else None


def _alike(left: object, right: object) -> bool:
    if left is None or right is None:
        return left is right
    if isinstance(left, list | tuple) or isinstance(right, list | tuple):
        return [folded(item) for item in items(left)] == [folded(item) for item in items(right)]
    if folded(left) == folded(right):
        return True
    if read_amount(left) is not None and read_amount(right) is not None:
        return same_number(left, right, Fraction(0)) is True
    return same_date(left, right) is True


def _ordered(left: object, right: object) -> tuple[Fraction, Fraction]:
    both = ends([left, right]) or ends([right, left])
    if both is None:
        raise TypeError("no order")
    return both if ends([left, right]) is not None else (both[1], both[0])

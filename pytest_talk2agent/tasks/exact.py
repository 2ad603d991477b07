"""Numbers of a task file, exact from their decimal text: 0.1 is one tenth.

Apart, since the limits of a run are read by the same rule as a task file.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from pytest_talk2agent.tasks.errors import shown

PATTERN = r"^[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)$"
_NUMBER = re.compile(PATTERN, re.ASCII)
_LONGEST = 60
_CURE = "write a decimal such as 0.9, or a fraction such as 1/3"


def exact(value: object) -> Fraction:
    """Read a decimal, or a fraction such as ``1/3``, without going through a binary float.

    Raises ValueError, with one line that says what to write instead, for anything else.
    """
    if isinstance(value, Fraction):
        return value
    text = "" if isinstance(value, bool) else str(value).strip()
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(value)} is not a number; {_CURE}")
    numerator, _, denominator = text.partition("/")
    if denominator and not int(denominator):
        raise ValueError(f"{shown(value)} divides by zero; {_CURE}")
    return Fraction(numerator) / int(denominator or 1)


def _written(number: Fraction) -> str:
    return str(number)


Exact = Annotated[
    Fraction,
    BeforeValidator(exact),
    PlainSerializer(_written, return_type=str, when_used="json"),
    WithJsonSchema({"type": "number", "format": "fraction"}),
]
"""The type of a model's field that holds such a number."""

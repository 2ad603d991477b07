"""Exact numbers in records: how they are written, and how they are read back from files that anyone may have edited."""

from __future__ import annotations

import re
from fractions import Fraction

DIGITS = 4300
"""The most digits of a numerator or denominator: what Python itself reads and writes as text."""

LARGEST = 10**300
"""Numbers lie below it: what is shown is rounded to a float first."""

_FRACTION = re.compile(rf"-?[0-9]{{1,{DIGITS}}}(?:/[0-9]{{1,{DIGITS}}})?", re.ASCII)
_DECIMAL = re.compile(r"-?(?:[0-9]{1,60}\.?[0-9]{0,60}|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_SHOWN = 40


def read_fraction(value: object) -> Fraction:
    """A number as a record holds it, such as ``"1/3"``, or as a hand wrote it, such as ``0.9``; exact.

    Raises ValueError for all else: a division by zero, an exponent that would fill the memory, a text that is too long.
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST:
        return Fraction(value)
    if not isinstance(value, str):
        raise ValueError(f"a {type(value).__name__} such as this is not a number")
    found = None
    if _FRACTION.fullmatch(value):
        above, _, below = value.partition("/")
        found = Fraction(int(above), int(below or 1)) if not below or int(below) else None
    elif _DECIMAL.fullmatch(value):
        found = Fraction(value)
    if found is None or abs(found) >= LARGEST:
        shown = repr(value)
        raise ValueError(f"{shown if len(shown) <= _SHOWN else f'{shown[:_SHOWN]}..'} is not a number")
    return found

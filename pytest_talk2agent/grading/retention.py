"""Exact scores: numbers as records hold them, intervals, and what a transcript retains of a task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Any, Literal

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


Status = Literal["scored", "not_addressable", "inverted"]


Number = int | float | Fraction


def _exact(number: Number) -> Fraction:
    """A float as its author wrote it: 0.1 is one tenth."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


@dataclass(frozen=True, eq=False, repr=False)
class Interval:
    """All values from ``low`` to ``high``, both reached.

    Compares with numbers: ``interval >= 0.9`` is true where every value is, so an assertion on it is certain.
    """

    low: Fraction
    high: Fraction

    @property
    def midpoint(self) -> Fraction:
        """The middle, for where one number is needed."""
        return (self.low + self.high) / 2

    @property
    def is_point(self) -> bool:
        """Whether nothing is unresolved."""
        return self.low == self.high

    def __str__(self) -> str:
        return str(self.low) if self.is_point else f"[{self.low}, {self.high}]"

    # A comparison holds only where it holds for every value, so `>=` and `<` can both be false.

    def __ge__(self, limit: Number) -> bool:
        return self.low >= _exact(limit)

    def __gt__(self, limit: Number) -> bool:
        return self.low > _exact(limit)

    def __le__(self, limit: Number) -> bool:
        return self.high <= _exact(limit)

    def __lt__(self, limit: Number) -> bool:
        return self.high < _exact(limit)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Interval):
            return (self.low, self.high) == (other.low, other.high)
        return isinstance(other, int | float | Fraction) and self.low == self.high == _exact(other)

    def __hash__(self) -> int:
        return hash((self.low, self.high))

    def __repr__(self) -> str:
        low, high = float(self.low), float(self.high)
        return f"{low:g}" if self.is_point else f"[{low:g}, {high:g}]"

    def to_json(self) -> list[str]:
        """Both ends as exact fractions, such as ``["1/2", "1"]``."""
        return [str(self.low), str(self.high)]

    @classmethod
    def from_json(cls, ends: list[str]) -> Interval:
        """The inverse of ``to_json``; raises ValueError where the ends are no numbers, or the wrong way round."""
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise ValueError("an interval has two ends")
        interval = cls(*map(read_fraction, ends))
        if interval.low > interval.high:
            raise ValueError(f"the interval {interval!s:.60} ends below its beginning")
        return interval


def mean_interval(intervals: Sequence[Interval]) -> Interval:
    """The mean of intervals, end by end."""
    return Interval(mean(one.low for one in intervals), mean(one.high for one in intervals))


@dataclass(frozen=True)
class Retention:
    """The scores of one transcript (Talk2Agent, section 4); ``native`` and ``shapley`` are None where undefined.

    Attributes:
        native: g(R) / g(I), over every way the unresolved intentions may fall out.
        shapley: share of the Shapley values that is retained, likewise.
        flat: share of the intentions that is retained, likewise.
        lost: intentions changed or omitted.
        lost_upper: the same if every unresolved intention were lost.
        status: ``scored``; ``not_addressable`` where g(I) = 0; ``inverted`` where g(I) < 0.
        reason: why the status is not ``scored``, in one line.
    """

    native: Interval | None
    shapley: Interval | None
    flat: Interval
    lost: int
    lost_upper: int
    status: Status = "scored"
    reason: str | None = None

    def interval(self, metric: str) -> Interval | None:
        """One of the three scores by its name."""
        return {"native": self.native, "shapley": self.shapley, "flat": self.flat}[metric]

    def intervals(self) -> dict[str, Interval]:
        """Native and Shapley, as far as they are defined."""
        found = {"native": self.native, "shapley": self.shapley}
        return {metric: interval for metric, interval in found.items() if interval is not None}

    def to_json(self) -> dict[str, Any]:
        """Plain values for JSON; fractions are strings."""
        scores = {"native": self.native, "shapley": self.shapley, "flat": self.flat}
        return {**vars(self), **{name: None if one is None else one.to_json() for name, one in scores.items()}}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Retention:
        """The inverse of ``to_json``."""
        return cls(
            native=None if record["native"] is None else Interval.from_json(record["native"]),
            shapley=None if record["shapley"] is None else Interval.from_json(record["shapley"]),
            flat=Interval.from_json(record["flat"]),
            lost=record["lost"],
            lost_upper=record["lost_upper"],
            status=record["status"],
            reason=record["reason"],
        )

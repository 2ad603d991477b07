"""Where a rate that falls with a level passes a target: the search behind the noise at which an interface fails.

The paper's WER-10 condition is such a level: the ratio of speech to noise at which a recogniser errs in a tenth of the
words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction


class CrossingError(ValueError):
    """The rate does not pass the target between the two ends; the message says on which side it stays."""


@dataclass(frozen=True)
class Point:
    """A level, and the rate that was measured there."""

    level: Fraction
    rate: Fraction


@dataclass(frozen=True)
class Crossing:
    """Two neighbouring levels between which the rate passes the target, and all that was measured, by level.

    At ``above`` the rate exceeds the target, at ``within`` it does not; ``level`` lies between them, where a straight
    line through both meets the target.
    """

    target: Fraction
    above: Point
    within: Point
    points: tuple[Point, ...]

    @property
    def level(self) -> Fraction:
        """The level at which the rate would be the target, in the units of the search."""
        share = (self.above.rate - self.target) / (self.above.rate - self.within.rate)
        return self.above.level + share * (self.within.level - self.above.level)


def find_crossing(
    rate: Callable[[Fraction], Fraction], target: Fraction, low: Fraction, high: Fraction, step: Fraction
) -> Crossing:
    """Halve the levels from ``low`` to ``high``, a whole number of steps apart, until two neighbours are left.

    ``rate`` falls, by and large, as the level rises. Where it does not, the place that is found is one of several.
    Raises CrossingError where the rate is within the target at ``low`` or exceeds it at ``high``; ValueError where the
    levels are no such range.
    """
    steps = (high - low) / step if step > 0 else Fraction(0)
    if steps.denominator != 1 or steps < 1:
        raise ValueError(f"from {float(low):g} to {float(high):g} is no whole number of steps of {float(step):g}")
    known: dict[int, Fraction] = {}

    def at(place: int) -> Fraction:
        if place not in known:
            known[place] = rate(low + place * step)
        return known[place]

    below, above = 0, int(steps)
    if at(above) > target:
        raise CrossingError(f"the rate is {float(at(above)):.1%} even at {float(high):g}: above {float(target):.1%}")
    if at(below) <= target:
        raise CrossingError(f"the rate is only {float(at(below)):.1%} at {float(low):g}: within {float(target):.1%}")
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if at(middle) > target else (below, middle)
    points = tuple(Point(low + place * step, value) for place, value in sorted(known.items()))
    return Crossing(target, Point(low + below * step, at(below)), Point(low + above * step, at(above)), points)

"""Floor control and correction uptake over sessions, as in Table 4 of APEX-Voice, each figure with its n and interval.

Shares have Wilson's interval, a gap between two shares Newcombe's (1998, method 10), a percentile that of the order
statistics around it. Events of one session are taken as independent, which they are only nearly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, rate
from pytest_talk2agent.workflows.scoring.artifacts import FieldCounts
from pytest_talk2agent.workflows.scoring.floor import Yields, percentile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Quantile:
    """A percentile of so many values, and the values between which it lies; None where they are too few to say."""

    n: int
    value: Fraction
    interval: tuple[float, float] | None

    def __str__(self) -> str:
        span = "" if self.interval is None else f" [{self.interval[0]:.0f}, {self.interval[1]:.0f}]"
        return f"{float(self.value):.0f}{span} (n={self.n})"


@dataclass(frozen=True)
class Gap:
    """The difference of two shares, from -1 to 1."""

    value: Fraction
    interval: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.interval
        return f"{float(100 * self.value):+.1f} points [{100 * low:+.1f}, {100 * high:+.1f}]"


@dataclass(frozen=True)
class FloorControl:
    """What became of the floor: ``yields`` at barge-ins, times until silence in ms, ``false`` yields at backchannels.

    ``censored`` counts barge-ins at which the agent never fell silent; the times leave them out.
    """

    yields: Rate | NotApplicable
    stop_p50: Quantile | NotApplicable
    stop_p95: Quantile | NotApplicable
    censored: int
    false: Rate | NotApplicable


@dataclass(frozen=True)
class CorrectionUptake:
    """Required fields of sessions that were corrected, and the others: right and written again, as published."""

    corrected: Rate | NotApplicable
    other: Rate | NotApplicable
    gap: Gap | NotApplicable


def floor_control(yields: Yields) -> FloorControl:
    """The floor, from the yields of any sessions."""
    return FloorControl(
        rate(yields.given, yields.asked),
        quantile(yields.stops, 0.5),
        quantile(yields.stops, 0.95),
        yields.censored,
        rate(yields.false, yields.kept_on),
    )


def correction_uptake(counts: FieldCounts) -> CorrectionUptake:
    """The uptake, from the pooled counts of fields."""
    taken = counts.corrected - counts.corrected_wrong - counts.corrected_stale
    right = counts.other - counts.other_wrong - counts.other_stale
    corrected = rate(taken, counts.corrected, "no corrections")
    other = rate(right, counts.other, "no corrections" if not counts.corrected else "no events")
    if isinstance(corrected, NotApplicable) or isinstance(other, NotApplicable):
        return CorrectionUptake(corrected, other, NotApplicable("no corrections"))
    return CorrectionUptake(corrected, other, gap(other, corrected))


def gap(one: Rate, other: Rate) -> Gap:
    """How much larger the first share is than the second."""
    shares = [Fraction(each.passed, each.total) for each in (one, other)]
    (low_1, high_1), (low_2, high_2) = one.interval, other.interval
    difference = shares[0] - shares[1]
    below = math.hypot(float(shares[0]) - low_1, high_2 - float(shares[1]))
    above = math.hypot(high_1 - float(shares[0]), float(shares[1]) - low_2)
    return Gap(difference, (max(-1.0, float(difference) - below), min(1.0, float(difference) + above)))


def quantile(values: Sequence[float | Fraction], share: float) -> Quantile | NotApplicable:
    """A percentile with its interval; raises ImportError without scipy."""
    found = percentile(values, share)
    if found is None:
        return NotApplicable("no events")
    return Quantile(len(values), found, _between([float(value) for value in values], share))


def _between(values: Sequence[float], share: float) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, cutting half of what is left over on each side at most."""
    from scipy import stats

    ordered, n = sorted(values), len(values)
    tail = (1 - CONFIDENCE) / 2
    low = int(stats.binom.ppf(tail, n, share)) - 1
    high = int(stats.binom.ppf(1 - tail, n, share))
    below = stats.binom.cdf(low, n, share)
    if low < 0 or high >= n or below > tail:
        return None
    return ordered[low], ordered[high]

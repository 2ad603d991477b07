"""Shares of counts, with the interval that goes with them, and what does not apply, with its reason.

A share of fewer than ten is shown as a count: its interval would span most of the line. Wilson's interval is for
independent counts; repetitions of one workflow share it, and a mean over workflows has that of `mean_interval`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Literal

from pytest_talk2agent.analysis.significance import task_interval
from pytest_talk2agent.grading.retention import Interval

FEW = 10
"""A rate of fewer events is shown as a count."""

DRAWS, SEED = 10_000, 0

Why = Literal["no events", "no corrections", "no sessions", "one repetition", "no audio", "unjudged", "not declared"]


@dataclass(frozen=True)
class NotApplicable:
    """A figure that has no value, and why: what the workflows do not contain, or what was not measured."""

    why: Why
    detail: str = ""

    def __str__(self) -> str:
        return f"n/a ({self.why}{f': {self.detail}' if self.detail else ''})"


@dataclass(frozen=True)
class Rate:
    """So many of so many; ``open`` counts those that nobody judged: they may belong to either side."""

    passed: int
    total: int
    open: int = 0

    @property
    def share(self) -> Interval:
        """The exact share, an interval where something is open. Raises ZeroDivisionError where there is nothing."""
        return Interval(Fraction(self.passed, self.total), Fraction(self.passed + self.open, self.total))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson 1927), around whatever the open ones turn out to be."""
        low, _ = wilson(self.passed, self.total)
        _, high = wilson(self.passed + self.open, self.total)
        return low, high

    def __str__(self) -> str:
        unjudged = f", {self.open} unjudged" if self.open else ""
        if self.total < FEW:
            return f"{self.passed} of {self.total}{unjudged}"
        low, high = self.interval
        return f"{percent(self.share)} [{100 * low:.1f}, {100 * high:.1f}] (n={self.total}{unjudged})"


def rate(passed: int, total: int, why: Why = "no events", *, open_: int = 0) -> Rate | NotApplicable:
    """The rate, or that it does not apply."""
    return Rate(passed, total, open_) if total else NotApplicable(why)


def percent(share: Interval) -> str:
    """A share in per cent, both ends where they differ."""
    low, high = f"{float(100 * share.low):.1f}", f"{float(100 * share.high):.1f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def wilson(passed: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a proportion, by scipy. Raises ImportError, with what to install, without it."""
    found = _stats().binomtest(passed, total).proportion_ci(confidence, method="wilson")
    return float(found.low), float(found.high)


def mcnemar(worse: int, better: int) -> float:
    """Two-sided exact p-value of paired outcomes of which so many got worse and so many better (McNemar 1947)."""
    if not worse + better:
        return 1.0
    return float(_stats().binomtest(worse, worse + better, 0.5).pvalue)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise ImportError(
            "intervals and tests of workflows need scipy: pip install pytest-talk2agent[workflows]"
        ) from None
    return stats


def clustered(
    values: Sequence[Interval], *, draws: int = DRAWS, seed: int = SEED, least: float = 0.0
) -> tuple[float, float] | None:
    """The 95 % interval of a mean over workflows, each the mean of its repetitions; None with fewer than two.

    A bootstrap over workflows, never narrower than Student's t (`analysis.significance`), within what is possible:
    from ``least`` (-1 for differences) to 1.
    """
    low, high = [float(value.low) for value in values], [float(value.high) for value in values]
    found = task_interval(low, high, draws=draws, seed=seed)
    return None if found is None else (max(least, found[0]), min(1.0, found[1]))


def mean_interval(values: Sequence[Interval]) -> tuple[float, float] | None:
    """The 95 % interval of a mean share over workflows; None with fewer than two.

    It is that of `clustered`. Where every workflow has the same share, as when all or none pass, a bootstrap has no
    spread and would claim certainty: an end without spread is that of Wilson's interval of the share.
    """
    found = clustered(values)
    if found is None:
        return None
    low, high = {value.low for value in values}, {value.high for value in values}
    return (
        _score_ends(low.pop(), len(values))[0] if len(low) == 1 else found[0],
        _score_ends(high.pop(), len(values))[1] if len(high) == 1 else found[1],
    )


def _score_ends(share: Fraction, n: int) -> tuple[float, float]:
    """Wilson's interval by its formula: scipy's is for whole counts, and a mean of repetitions is none."""
    z = NormalDist().inv_cdf(0.975)
    p = float(share)
    half = z * math.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    middle, scale = p + z * z / (2 * n), 1 + z * z / n
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

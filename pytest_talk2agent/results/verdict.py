"""The verdict on one item: decided on exact intervals, three ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from pytest_talk2agent.grading.retention import Interval, Retention
from pytest_talk2agent.judging.judgement import Judgement, Label

METRICS = ("native", "shapley")


class Outcome(str, Enum):
    """How an item ended. An error is no outcome: an item that was not judged has no result."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    UNDEFINED = "undefined"

    @property
    def fails(self) -> bool:
        """Whether the verdict itself is why the item does not pass."""
        return self in (Outcome.FAILED, Outcome.INCONCLUSIVE)


@dataclass(frozen=True)
class Verdict:
    """The outcome of an item and the reasons that decided it, worst first."""

    outcome: Outcome
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Limits:
    """What an item is held to.

    ``thresholds`` maps a metric to its lowest passing value; ``baseline`` maps a metric to the interval an earlier run
    had, from which ``tolerance`` may be lost. ``own`` are the thresholds that the task or its suite declares, None for
    a test function, which has its own assertions; ``must_pass`` says that the task is pinned.
    """

    thresholds: Mapping[str, Fraction]
    baseline: Mapping[str, Interval] | None = None
    tolerance: Fraction = Fraction(0)
    own: Mapping[str, Fraction] | None = None
    must_pass: bool = False


def show(value: Fraction) -> str:
    """A fraction as a reader wants it: three decimals, fewer where they are exact."""
    text = f"{float(value):.3f}"
    return text.rstrip("0").rstrip(".") if Fraction(text) == value else text


def show_interval(interval: Interval) -> str:
    """One number, or both ends where something is unresolved."""
    return show(interval.low) if interval.is_point else f"[{show(interval.low)}, {show(interval.high)}]"


def show_lost(retention: Retention) -> str:
    """How many intentions are lost, or may be."""
    lost, upper = retention.lost, retention.lost_upper
    return str(lost) if lost == upper else f"{lost} to {upper}"


def decide(
    retention: Retention, judgement: Judgement, critical: Sequence[str], limits: Limits, state: str = "transcribed"
) -> Verdict:
    """Hold one retention against its limits (spec section 3, Item).

    A lower bound at or above the limit passes, an upper bound below it fails, all else is inconclusive. A critical
    intention that is lost fails the item whatever the scores; so does a transcript that is none (``state``).
    """
    failed = [] if state == "transcribed" else [f"the transcript is {state}"]
    open_: list[str] = []
    for name in critical:
        label = judgement.findings[name].label
        if label.lost:
            failed.append(f"critical intention {name} {label.value}")
        elif label is Label.UNRESOLVED:
            open_.append(f"critical intention {name} unresolved")
    for metric in METRICS:
        interval: Interval | None = getattr(retention, metric)
        if interval is None:
            continue
        for limit, word in _limits(metric, limits):
            if interval.high < limit:
                failed.append(f"{metric} {show_interval(interval)} < {word}")
            elif interval.low < limit:
                open_.append(f"{metric} {show_interval(interval)} may be < {word}")
    if failed:
        return Verdict(Outcome.FAILED, (*failed, *open_))
    if open_:
        return Verdict(Outcome.INCONCLUSIVE, tuple(open_))
    if retention.native is None:
        return Verdict(Outcome.UNDEFINED, (retention.reason or "the task has nothing to lose",))
    return Verdict(Outcome.PASSED)


def _limits(metric: str, limits: Limits) -> list[tuple[Fraction, str]]:
    found = []
    if metric in limits.thresholds:
        threshold = limits.thresholds[metric]
        found.append((threshold, show(threshold)))
    if limits.baseline is not None and metric in limits.baseline:
        before = limits.baseline[metric]
        word = f"baseline {show_interval(before)}"
        if limits.tolerance:
            word += f" - {show(limits.tolerance)}"
        found.append((before.low - limits.tolerance, word))
    return found

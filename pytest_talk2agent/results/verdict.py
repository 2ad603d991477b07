"""What an item and a run are held to, and the verdict on one item: exact intervals, three outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

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
    intention that is lost fails the item whatever the scores; so does any ``state`` but ``transcribed``.
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
        interval = retention.interval(metric)
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


MUST_PASS = "must-pass"
"""The tag of a task that must not fall."""


def _texts(shares: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: str(value) for name, value in shares.items()}


@dataclass(frozen=True)
class Rules:
    """What a run is held to.

    ``thresholds`` and ``tolerance`` hold for every item. ``margin`` maps a compared metric to the loss that a release
    may show against its baseline; where it is not empty, items are not compared one by one. ``fail_under`` maps Native
    and Shapley to the least mean of a condition, ``most`` one of ``unresolved``, ``empty`` and ``suspect`` to the
    largest share. ``must_pass`` are patterns of task ids. ``draws`` and ``seed`` are those of the bootstrap.
    """

    thresholds: Mapping[str, Fraction] = field(default_factory=dict)
    tolerance: Fraction = Fraction(0)
    inconclusive_passes: bool = False
    margin: Mapping[str, Fraction] = field(default_factory=dict)
    fail_under: Mapping[str, Fraction] = field(default_factory=dict)
    min_execution: Fraction | None = None
    most: Mapping[str, Fraction] = field(default_factory=dict)
    must_pass: tuple[str, ...] = ()
    draws: int = 10_000
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values, fractions as strings: a rule that somebody changed shows in the report."""
        return {
            "thresholds": _texts(self.thresholds),
            "margin": _texts(self.margin),
            "fail_under": _texts(self.fail_under),
            "most": _texts(self.most),
            **({} if self.min_execution is None else {"min_execution": str(self.min_execution)}),
            "tolerance": str(self.tolerance),
            "inconclusive": "pass" if self.inconclusive_passes else "fail",
            "must_pass": list(self.must_pass),
        }

    def pins(self, task: str, tags: Sequence[str] = ()) -> bool:
        """Whether a task must pass: by its tag, or by a pattern that its id matches."""
        return MUST_PASS in tags or any(fnmatchcase(task, pattern) for pattern in self.must_pass)

    def limits(
        self, own: Mapping[str, Fraction], before: Mapping[str, Interval] | None, *, must_pass: bool, compared: bool
    ) -> Limits:
        """What one item is held to.

        ``own`` are the thresholds that its task or suite declares, ``before`` the scores that the baseline has;
        ``compared`` says that the run has a baseline, or sets one. The default of 1 holds only where nothing else is
        asked for. An item that must pass is held to its baseline without a tolerance, or to 1 without a baseline.
        """
        thresholds = dict(self.thresholds)
        if not compared and not self.fail_under:
            thresholds = dict.fromkeys(METRICS, Fraction(1)) | thresholds
        thresholds.update(own)
        if must_pass and not compared:
            thresholds = dict.fromkeys(METRICS, Fraction(1))
        return Limits(
            thresholds=thresholds,
            baseline=before if must_pass or not self.margin else None,
            tolerance=Fraction(0) if must_pass else self.tolerance,
            own=dict(own),
            must_pass=must_pass,
        )

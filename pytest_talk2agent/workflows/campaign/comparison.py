"""A build against another one, on the workflows that both ran: what changed, and whether it is more than noise.

Pass@1 is compared by a paired bootstrap over workflows, Reliable@k and Pass@k by McNemar's exact test on the workflows
that changed sides. The verdict is that of a release: *regressed*, *not regressed* or *undecided* against a margin. The
noise floor stands beside it: how often two runs of the same build differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.comparison import Change, change_of
from pytest_talk2agent.workflows.campaign.rates import DRAWS, SEED, NotApplicable, clustered, mcnemar
from pytest_talk2agent.workflows.campaign.reliability import Passes, Reliability

_Z = 1.959963984540054  # of a two-sided interval of 95 %

Build = TypeVar("Build")
Metric = Literal["pass", "reliable"]
METRICS: tuple[Metric, ...] = ("pass", "reliable")


@dataclass(frozen=True)
class MetricChange:
    """One metric of a candidate against its reference, from 0 to 1; ``difference`` is candidate minus reference.

    ``metric`` is ``pass`` (Pass@1) or ``reliable`` (Reliable@k). ``interval`` is the 95 % interval of the difference, a
    paired bootstrap over workflows; None with fewer than two.
    """

    metric: Metric
    title: str
    before: Interval
    after: Interval
    difference: Interval
    interval: tuple[float, float] | None
    margin: Fraction | None = None

    @property
    def change(self) -> Change | None:
        """The verdict against the margin; None where there is no margin."""
        if self.margin is None:
            return None
        if self.interval is None:
            return Change.UNDECIDED
        return change_of(*self.interval, float(self.margin))

    def __str__(self) -> str:
        span = "one workflow says nothing of others"
        if self.interval is not None:
            span = f"[{100 * self.interval[0]:+.1f}, {100 * self.interval[1]:+.1f}]"
        return f"{self.title} by {_signed(self.difference)} points {span}"


@dataclass(frozen=True)
class PairedChange:
    """A yes or no of each workflow in both builds: how many changed, and the p-value of McNemar's exact test."""

    name: str
    before: int
    after: int
    worse: int
    better: int
    open: int
    p: float

    def __str__(self) -> str:
        unjudged = f", {self.open} unjudged" if self.open else ""
        changed = f"{self.worse} workflows worse, {self.better} better{unjudged}"
        return f"{self.name} {self.before} -> {self.after}: {changed} (p = {self.p:.2g}, McNemar)"


@dataclass(frozen=True)
class NoiseFloor:
    """How often two runs of one workflow by one build differ, and what single runs would have to differ by.

    ``band`` is the half-width, in shares, within which 95 % of differences lie between two runs of the same build over
    these workflows, each the mean of ``k`` repetitions.
    """

    flips: Fraction
    k: int
    workflows: int

    @property
    def band(self) -> float:
        """Half-width of the differences that noise alone makes."""
        return _Z * math.sqrt(float(self.flips) / (self.k * self.workflows))

    def __str__(self) -> str:
        return f"identical runs flip {100 * float(self.flips):.1f} % of workflows (± {100 * self.band:.1f} points)"


@dataclass(frozen=True)
class BuildComparison:
    """A candidate against its reference, on the workflows that both have complete.

    ``only_before`` and ``only_after`` are workflows that the other one lacks; they enter nothing.
    """

    reference: str
    candidate: str
    workflows: int
    metrics: tuple[MetricChange, ...]
    reliable: PairedChange
    any: PairedChange
    noise: NoiseFloor | NotApplicable
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    @property
    def change(self) -> Change | None:
        """The worst of its metrics; None where no margin was given."""
        found = [row.change for row in self.metrics if row.change is not None]
        worst = (Change.REGRESSED, Change.UNDECIDED, Change.NOT_REGRESSED)
        return next((change for change in worst if change in found), None)

    def reasons(self, *, inconclusive_passes: bool = False) -> list[str]:
        """Why the gate must not open, if so."""
        return [
            f"{self.candidate}: {row.change.value}: {row} against {self.reference}, margin {points(row.margin)}"
            for row in self.metrics
            if row.change is Change.REGRESSED or (row.change is Change.UNDECIDED and not inconclusive_passes)
        ]

    @property
    def lines(self) -> list[str]:
        """Every difference in words; beside that of single runs stands the noise floor."""
        passes, reliable = self.metrics
        said = [f"{passes}; {self.noise}", str(reliable), str(self.reliable), str(self.any)]
        return [f"{self.candidate} against {self.reference}: {text}" for text in said]


def points(share: Fraction | None) -> str:
    """A share in points."""
    return "none" if share is None else f"{float(100 * share):g}"


def _signed(share: Interval) -> str:
    low, high = f"{float(100 * share.low):+.1f}", f"{float(100 * share.high):+.1f}"
    return low if low == high else f"{low} to {high}"


def compare(
    reference: tuple[str, Reliability],
    candidate: tuple[str, Reliability],
    *,
    margins: Mapping[Metric, Fraction] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> BuildComparison:
    """Compare two builds on the workflows that both have complete.

    Raises ValueError where they share none.
    """
    (before_name, before), (after_name, after) = reference, candidate
    common = sorted(before.workflows.keys() & after.workflows.keys())
    if not common:
        raise ValueError(f"{before_name} and {after_name} have no workflow in common")
    old, new = [before.workflows[task] for task in common], [after.workflows[task] for task in common]
    limits = margins or {}

    def metric(name: Metric, title: str, value: Callable[[Passes], Interval]) -> MetricChange:
        differences = [_minus(value(two), value(one)) for one, two in zip(old, new, strict=True)]
        return MetricChange(
            name,
            title,
            _mean([value(one) for one in old]),
            _mean([value(two) for two in new]),
            _mean(differences),
            clustered(differences, draws=draws, seed=seed, least=-1.0),
            limits.get(name),
        )

    return BuildComparison(
        reference=before_name,
        candidate=after_name,
        workflows=len(common),
        metrics=(
            metric("pass", "Pass@1", lambda one: one.share),
            metric("reliable", f"Reliable@{after.k}", lambda one: one.every(one.total)),
        ),
        reliable=_paired(f"Reliable@{after.k}", old, new, every=True),
        any=_paired(f"Pass@{after.k}", old, new, every=False),
        noise=noise_floor([before, after], common),
        only_before=tuple(sorted(before.workflows.keys() - after.workflows.keys())),
        only_after=tuple(sorted(after.workflows.keys() - before.workflows.keys())),
    )


def _minus(one: Interval, other: Interval) -> Interval:
    return Interval(one.low - other.high, one.high - other.low)


def _mean(values: Sequence[Interval]) -> Interval:
    low = sum((value.low for value in values), Fraction(0)) / len(values)
    return Interval(low, sum((value.high for value in values), Fraction(0)) / len(values))


def _holds(one: Passes, *, every: bool) -> bool | None:
    if every:
        return True if one.passed == one.total else None if one.passed + one.open == one.total else False
    return True if one.passed else None if one.open else False


def _paired(name: str, old: Sequence[Passes], new: Sequence[Passes], *, every: bool) -> PairedChange:
    pairs = [(_holds(one, every=every), _holds(two, every=every)) for one, two in zip(old, new, strict=True)]
    settled = [(one, two) for one, two in pairs if one is not None and two is not None]
    worse = sum(one and not two for one, two in settled)
    better = sum(two and not one for one, two in settled)
    return PairedChange(
        name,
        before=sum(one is True for one, _ in pairs),
        after=sum(two is True for _, two in pairs),
        worse=worse,
        better=better,
        open=len(pairs) - len(settled),
        p=mcnemar(worse, better),
    )


def noise_floor(builds: Sequence[Reliability], workflows: Sequence[str]) -> NoiseFloor | NotApplicable:
    """The flip rate within builds, over all of them and the workflows that they share."""
    found = [Reliability(one.k, {name: one.workflows[name] for name in workflows}, {}).flips for one in builds]
    rates = [rate for rate in found if rate is not None]
    if len(rates) < len(builds) or not workflows:
        return NotApplicable("one repetition", "identical runs were not repeated, so their noise is unknown")
    return NoiseFloor(sum(rates, Fraction(0)) / len(rates), min(one.k for one in builds), len(workflows))


def interleaved(workflows: Sequence[str], builds: Sequence[Build], repetitions: int) -> list[tuple[str, Build, int]]:
    """The order in which builds are run: every workflow once before any twice, builds side by side.

    The build that begins changes from one repetition to the next, so that a drift of the machine meets both.
    """
    order = []
    for repetition in range(repetitions):
        turn = repetition % len(builds) if builds else 0
        rotated = [*builds[turn:], *builds[:turn]]
        order += [(workflow, build, repetition) for workflow in workflows for build in rotated]
    return order


def ranked(reliabilities: Mapping[str, Reliability]) -> list[str]:
    """Agents in the published order, best first: Pass@k, then Reliable@k, then Pass@1, then the name."""
    return sorted(reliabilities, key=lambda name: ([-value for value in reliabilities[name].rank], name))

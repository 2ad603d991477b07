"""All sessions of one agent as figures, each with its count and interval, by one of the two sets of rules.

What the infrastructure lost is counted apart and enters nothing. What nobody judged makes a figure an interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import get_args

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.workflows.campaign.call_record import Timing, timing_of
from pytest_talk2agent.workflows.campaign.published import ToolUse
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, mean_interval, rate
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.reliability import Passes, Reliability, reliability
from pytest_talk2agent.workflows.package.base import AutonomyLevel, KnowledgeBurden, RiskTier, ToolBurden
from pytest_talk2agent.workflows.package.work import Gate
from pytest_talk2agent.workflows.scoring.artifacts import FieldCounts
from pytest_talk2agent.workflows.scoring.floor import Yields, percentile
from pytest_talk2agent.workflows.scoring.gates import GATES
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth, opposite
from pytest_talk2agent.workflows.scoring.service import Handoff

LABELS: Mapping[str, tuple[str, ...]] = {
    "autonomy": get_args(AutonomyLevel),
    "kburden": get_args(KnowledgeBurden),
    "tburden": get_args(ToolBurden),
    "difficulty": ("9 fields", "10 fields", "11-13 fields"),
    "risk": get_args(RiskTier),
}
"""Axes whose labels have an order of their own."""

AXES = (
    *("archetype", "industry", "approve", "artifact", "autonomy"),
    *("kburden", "tburden", "uprofile", "difficulty", "risk"),
)


@dataclass(frozen=True)
class Uptake:
    """What became of corrections (4.10), over the required fields of all sessions.

    Published, a field that is right and was not written again counts as missed; the two are apart here.
    """

    counts: FieldCounts

    @property
    def corrected(self) -> Fraction | None:
        """Accuracy of corrected fields as published: neither wrong nor stale."""
        one = self.counts
        return _share(one.corrected - one.corrected_wrong - one.corrected_stale, one.corrected)

    @property
    def other(self) -> Fraction | None:
        """Accuracy of the other required fields as published."""
        one = self.counts
        return _share(one.other - one.other_wrong - one.other_stale, one.other)

    @property
    def gap(self) -> Fraction | None:
        """How much worse corrected fields fare; 0 to 1."""
        one, two = self.other, self.corrected
        return None if one is None or two is None else one - two

    @property
    def value_wrong(self) -> Rate | NotApplicable:
        """Corrected fields that hold a wrong value."""
        return rate(self.counts.corrected_wrong, self.counts.corrected, "no corrections")

    @property
    def not_rewritten(self) -> Rate | NotApplicable:
        """Corrected fields that hold the right value and were not written again."""
        return rate(self.counts.corrected_stale, self.counts.corrected, "no corrections")


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


@dataclass(frozen=True)
class Percentiles:
    """Median and 95th percentile of so many values, in the unit of the values."""

    n: int
    p50: Fraction
    p95: Fraction

    def __str__(self) -> str:
        return f"{float(self.p50):.1f}, {float(self.p95):.1f} (n={self.n})"


def percentiles(values: Sequence[Fraction | int]) -> Percentiles | NotApplicable:
    """Both percentiles, linear; not applicable without values."""
    p50, p95 = percentile(values, Fraction(1, 2)), percentile(values, Fraction(95, 100))
    return NotApplicable("no events") if p50 is None or p95 is None else Percentiles(len(values), p50, p95)


@dataclass(frozen=True)
class AgentSummary:
    """One agent over all its sessions.

    Gates, accuracy and floor control pool all sessions, also those of workflows that lack a repetition. ``afa`` counts
    fields with the right value; ``linked`` are sessions that fail AV with a corrected field missed, of those that fail
    AV; ``false_acceptance`` are those in which the caller took every request for done and the work was wrong, of those
    in which it did. ``containment`` are the calls that were kept to their end, of those whose package says where they
    belong; ``handoffs`` what became of each, so that right and wrong transfers are apart. ``requests_done`` are the
    callers' requests of which all assertions hold. ``timing`` is how exactly times of calls are known, and
    ``caller_faults`` counts attempts that the caller spoilt.
    """

    agent: str
    compat: Compat | None
    sessions: int
    missing: int
    reliability: Reliability
    gates: Mapping[Gate, Rate | NotApplicable]
    afa: Rate | NotApplicable
    uptake: Uptake
    linked: Rate | NotApplicable
    overlap: Fraction | None
    yields: Yields
    stop_ms: Percentiles | NotApplicable
    latency_ms: Percentiles | NotApplicable
    ttr_ms: Percentiles | NotApplicable
    tool_use: ToolUse | NotApplicable
    repetition: Fraction | None
    false_acceptance: Rate | NotApplicable
    containment: Rate | NotApplicable
    handoffs: Mapping[Handoff, int]
    requests_done: Rate | NotApplicable
    leaks: int
    fallbacks: int
    timing: Timing = field(default_factory=Timing)
    caller_faults: int = 0


def summarise(
    agent: str, records: Sequence[SessionRecord], repetitions: int, compat: Compat | None = None
) -> AgentSummary:
    """Sum up the sessions of one agent."""
    done = [record for record in records if record.finished]
    scores = [record.score(compat) for record in done]
    outcomes: dict[str, dict[int, Truth]] = defaultdict(dict)
    for record in done:
        outcomes[record.key.package][record.key.repetition] = record.success(compat)
    counts = sum((FieldCounts(**score.counts) for score in scores), FieldCounts())
    floor = sum((score.floor for score in scores), Yields())
    failed_av = [score for score in scores if score.gates["AV"] is False]
    linked = sum(bool(score.counts["corrected_wrong"] + score.counts["corrected_stale"]) for score in failed_av)
    content = [record for record in done if record.requests and record.satisfied == record.requests]
    handoffs = [record.handoff for record in done if record.handoff is not None]
    return AgentSummary(
        agent=agent,
        compat=compat,
        sessions=len(done),
        missing=len(records) - len(done),
        reliability=reliability(outcomes, repetitions),
        gates={gate: _truths([score.gates[gate] for score in scores]) for gate in GATES},
        afa=rate(counts.passed, counts.total, open_=counts.open),
        uptake=Uptake(counts),
        linked=rate(linked, len(failed_av)),
        overlap=_mean([score.overlap for score in scores]),
        yields=floor,
        stop_ms=percentiles(floor.stops),
        latency_ms=percentiles([score.latency_ms for score in scores if score.latency_ms is not None]),
        ttr_ms=percentiles([record.ttr_ms for record in done if record.ttr_ms is not None]),
        tool_use=_tool_use(done, repetitions),
        repetition=_mean([record.repetition for record in done if record.repetition is not None]),
        false_acceptance=_truths([opposite(record.success(compat)) for record in content]),
        containment=_contained(handoffs),
        handoffs={kind: handoffs.count(kind) for kind in get_args(Handoff) if kind in handoffs},
        requests_done=rate(
            sum(record.done_requests for record in done), sum(record.asserted_requests for record in done)
        ),
        leaks=sum(record.leaks for record in done),
        fallbacks=sum(record.fallbacks for record in done),
        timing=timing_of(record.call for record in done),
        caller_faults=sum(record.call.caller_faults for record in records if record.call is not None),
    )


def _truths(values: Sequence[Truth]) -> Rate | NotApplicable:
    return rate(values.count(True), len(values), "no sessions", open_=values.count(None))


def _contained(handoffs: Sequence[Handoff]) -> Rate | NotApplicable:
    kept = handoffs.count("contained") + handoffs.count("missed transfer")
    return (
        rate(kept, len(handoffs)) if handoffs else NotApplicable("not declared", "no package says where calls belong")
    )


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def _tool_use(done: Sequence[SessionRecord], repetitions: int) -> ToolUse | NotApplicable:
    calls: dict[str, dict[int, int]] = defaultdict(dict)
    oracle: dict[str, int] = {}
    for record in done:
        if record.oracle_calls:
            oracle[record.key.package] = record.oracle_calls
            calls[record.key.package][record.key.repetition] = record.calls
    whole = {name: sum(runs.values()) for name, runs in sorted(calls.items()) if len(runs) == repetitions}
    if not whole:
        return NotApplicable("not declared", "no package with a reference has all repetitions")
    return ToolUse(repetitions, whole, {name: oracle[name] for name in whole})


@dataclass(frozen=True)
class Slice:
    """One kind of work: mean success over its workflows, and the pooled share of right fields."""

    axis: str
    label: str
    n: int
    success: Interval
    interval: tuple[float, float] | None
    afa: Rate | NotApplicable


def slices(records: Sequence[SessionRecord], compat: Compat | None = None) -> list[Slice]:
    """All slices of one agent's sessions (4.11), in the published order of axes and labels."""
    done = [record for record in records if record.finished]
    return [cell for axis in AXES for cell in _axis(axis, done, compat)]


def _axis(axis: str, done: Sequence[SessionRecord], compat: Compat | None) -> list[Slice]:
    groups: dict[str, dict[str, list[SessionRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in done:
        groups[record.labels[axis]][record.key.package].append(record)
    return [_cell(axis, label, groups[label], compat) for label in ordered_labels(axis, groups)]


def ordered_labels(axis: str, groups: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Labels in their own order where the axis has one, else by size, the largest first, then by name."""
    fixed = LABELS.get(axis, ())
    known = [label for label in fixed if label in groups]
    return known + sorted(groups.keys() - set(known), key=lambda label: (-len(groups[label]), label))


def _cell(axis: str, label: str, workflows: Mapping[str, list[SessionRecord]], compat: Compat | None) -> Slice:
    shares = [Passes.of([record.success(compat) for record in runs]).share for runs in workflows.values()]
    low, high = (
        sum(ends, Fraction(0)) / len(shares) for ends in zip(*((one.low, one.high) for one in shares), strict=True)
    )
    every = [record.score(compat).counts for runs in workflows.values() for record in runs]
    counts = sum((FieldCounts(**one) for one in every), FieldCounts())
    return Slice(
        axis,
        label,
        len(workflows),
        Interval(low, high),
        mean_interval(shares),
        rate(counts.passed, counts.total, open_=counts.open),
    )

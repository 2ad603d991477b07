"""What the condition of a call changes: the same workflows of the same agent, in one condition and in another.

Success and right fields are paired: a mean over workflows of the differences, with the interval of `rates.clustered`,
on the repetitions that both conditions have. Yields are events of both sides, with Newcombe's interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.workflows.campaign.floor_control import Gap, Quantile, gap, quantile
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, clustered, rate
from pytest_talk2agent.workflows.campaign.record import ScoreRecord, SessionRecord
from pytest_talk2agent.workflows.scoring.floor import Yields
from pytest_talk2agent.workflows.scoring.grade import Compat

TEXT = "text"
"""The condition of sessions without sound."""
HUMAN = "caller=human;"
"""What the condition of a call with a person says."""

Pair = tuple[SessionRecord, SessionRecord]
Value = Callable[[SessionRecord], "Fraction | None"]


@dataclass(frozen=True)
class MeanDelta:
    """A mean over workflows in both conditions, from 0 to 1, and its difference with the 95 % interval."""

    before: Fraction
    after: Fraction
    interval: tuple[float, float] | None
    workflows: int

    @property
    def difference(self) -> Fraction:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class ConditionDelta:
    """One agent in two conditions; ``sessions`` are the pairs that both have finished, ``unpaired`` the others.

    ``success`` leaves out pairs of which one is unjudged.
    """

    agent: str
    reference: str
    condition: str
    sessions: int
    unpaired: int
    success: MeanDelta | None
    afa: MeanDelta | None
    yields: tuple[Rate | NotApplicable, Rate | NotApplicable]
    yield_gap: Gap | None
    false_yields: tuple[Rate | NotApplicable, Rate | NotApplicable]
    stops: tuple[Quantile | NotApplicable, Quantile | NotApplicable]


def condition_deltas(records: Sequence[SessionRecord], compat: Compat | None = None) -> list[ConditionDelta]:
    """Every condition of an agent against the first of its own.

    Text comes before sound, a synthetic caller before a person, clean before noisy; then it goes by name.
    """
    held: dict[str, dict[str, list[SessionRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        held[record.key.agent][record.key.sound or TEXT].append(record)
    found = []
    for agent in sorted(held):
        first, *others = sorted(held[agent], key=_order)
        found += [_delta(agent, first, other, held[agent], compat) for other in others]
    return found


def _order(condition: str) -> tuple[bool, bool, bool, bool, str]:
    clean = "channel=own" in condition or "channel=clean" in condition
    return condition != TEXT, HUMAN in condition, condition.startswith("C3"), not clean, condition


def _delta(
    agent: str, first: str, other: str, held: Mapping[str, Sequence[SessionRecord]], compat: Compat | None
) -> ConditionDelta:
    sides = [{(one.key.package, one.key.repetition): one for one in held[name] if one.finished} for name in
             (first, other)]  # fmt: skip
    both = sorted(sides[0].keys() & sides[1].keys())
    pairs = [(sides[0][key], sides[1][key]) for key in both]
    floors = [_floor([pair[side].score(compat) for pair in pairs]) for side in (0, 1)]
    yields = (rate(floors[0].given, floors[0].asked), rate(floors[1].given, floors[1].asked))
    change = None
    if isinstance(yields[0], Rate) and isinstance(yields[1], Rate):
        change = gap(yields[1], yields[0])
    return ConditionDelta(
        agent,
        first,
        other,
        len(pairs),
        len(held[first]) + len(held[other]) - 2 * len(pairs),
        _mean_delta(pairs, lambda one: _whole(one.success(compat))),
        _mean_delta(pairs, lambda one: one.score(compat).afa),
        yields,
        change,
        (rate(floors[0].false, floors[0].kept_on), rate(floors[1].false, floors[1].kept_on)),
        (quantile(floors[0].stops, 0.5), quantile(floors[1].stops, 0.5)),
    )


def _whole(truth: bool | None) -> Fraction | None:
    return None if truth is None else Fraction(truth)


def _floor(scores: Sequence[ScoreRecord]) -> Yields:
    return sum((score.floor for score in scores), Yields())


def _mean_delta(pairs: Sequence[Pair], value: Value) -> MeanDelta | None:
    by_workflow: dict[str, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for one, other in pairs:
        before, after = value(one), value(other)
        if before is not None and after is not None:
            by_workflow[one.key.package].append((before, after))
    if not by_workflow:
        return None
    means = [tuple(sum(side, Fraction(0)) / len(side) for side in zip(*each, strict=True)) for each in
             by_workflow.values()]  # fmt: skip
    differences = [Interval(after - before, after - before) for before, after in means]
    count = len(means)
    return MeanDelta(
        sum((before for before, _ in means), Fraction(0)) / count,
        sum((after for _, after in means), Fraction(0)) / count,
        clustered(differences, least=-1.0),
        count,
    )

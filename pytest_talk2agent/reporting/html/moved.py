"""What a run has moved against an earlier one: means and kinds of intentions, before and now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.html.before import Before, Earlier
from pytest_talk2agent.results.record import TaskResult


@dataclass
class Count:
    """How many of some intentions were lost before, and are lost now."""

    of: int = 0
    before: int = 0
    now: int = 0


@dataclass
class Moved:
    """One condition over the items that both runs have.

    ``native`` and ``shapley`` are means before and now, over those of them that enter means and have a score in both;
    None without one. ``lost`` and ``kinds`` count intentions of items whose earlier losses are known.
    """

    condition: str
    items: int = 0
    new: int = 0
    native: tuple[Interval, Interval] | None = None
    shapley: tuple[Interval, Interval] | None = None
    lost: Count = field(default_factory=Count)
    kinds: dict[str, Count] = field(default_factory=dict)


def moved_of(results: Sequence[TaskResult], before: Before) -> dict[str, Moved]:
    """Each condition by its label; none where the earlier run knows nothing of this one."""
    by_condition: dict[str, list[tuple[TaskResult, Earlier | None]]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append((result, before.of(result)))
    found = {condition: _moved(condition, rows) for condition, rows in by_condition.items()}
    return found if any(one.items for one in found.values()) else {}


def _moved(condition: str, rows: Sequence[tuple[TaskResult, Earlier | None]]) -> Moved:
    both = [(result, earlier) for result, earlier in rows if earlier is not None]
    scored = [(result.retention, earlier) for result, earlier in both if result.scored]
    moved = Moved(
        condition,
        items=len(both),
        new=len(rows) - len(both),
        native=_means((earlier.native, kept.native) for kept, earlier in scored),
        shapley=_means((earlier.shapley, kept.shapley) for kept, earlier in scored),
    )
    for result, earlier in both:
        if earlier.lost is None:
            continue
        for name, finding in result.judgement.findings.items():
            for count in (moved.lost, moved.kinds.setdefault(result.kinds[name], Count())):
                count.of += 1
                count.before += name in earlier.lost
                count.now += finding.label.lost
    return moved


def _means(pairs: Iterable[tuple[Interval | None, Interval | None]]) -> tuple[Interval, Interval] | None:
    known = [(before, now) for before, now in pairs if before is not None and now is not None]
    if not known:
        return None
    before, now = (_mean(side) for side in zip(*known, strict=True))
    return before, now


def _mean(intervals: Sequence[Interval]) -> Interval:
    zero, count = Fraction(0), len(intervals)
    return Interval(sum((i.low for i in intervals), zero) / count, sum((i.high for i in intervals), zero) / count)

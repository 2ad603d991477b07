"""What was kept of the intentions beside what execution scored, by condition (Talk2Agent, table 5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.analysis.outcomes import Outcomes
from pytest_talk2agent.results.record import TaskResult


@dataclass(frozen=True)
class Diagnosis:
    """Means over the same ``tasks`` of one condition; intervals of undecided labels enter by their midpoints."""

    condition: str
    tasks: int
    shapley: Fraction
    native: Fraction
    execution: Fraction


def diagnose(
    results: Sequence[TaskResult], execution: Outcomes, tasks: Collection[str] | None = None
) -> list[Diagnosis]:
    """One row for each condition, in the order of the results.

    Counted are the tasks (of ``tasks``, where given) with a score that enters means and an execution score under every
    condition; several takes of a task are averaged first. Raises ValueError where none is left.
    """
    conditions = list(dict.fromkeys(result.condition for result in results))
    kept: dict[tuple[str, str], list[TaskResult]] = {}
    for result in results:
        if result.scored and (tasks is None or result.task in tasks):
            kept.setdefault((result.task, result.condition), []).append(result)
    names = list(dict.fromkeys(task for task, _ in kept))
    pairs = {task: [(task, condition) for condition in conditions] for task in names}
    common = [task for task in names if all(pair in kept and pair in execution.scores for pair in pairs[task])]
    if not common:
        raise ValueError("no task has both a score and an execution score under every condition")
    return [
        Diagnosis(
            condition=condition,
            tasks=len(common),
            shapley=_mean([_midpoint(kept[task, condition], "shapley") for task in common]),
            native=_mean([_midpoint(kept[task, condition], "native") for task in common]),
            execution=_mean([execution.scores[task, condition] for task in common]),
        )
        for condition in conditions
    ]


def _midpoint(results: Sequence[TaskResult], metric: str) -> Fraction:
    return _mean([getattr(result.retention, metric).midpoint for result in results])


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)

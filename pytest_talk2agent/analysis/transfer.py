"""Whether a repair carries over to other recordings: the same takes before and after (Talk2Agent, table 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.analysis.spread import Spread, means_of, spread
from pytest_talk2agent.results.record import TaskResult

METRICS = ("native", "shapley", "flat")


@dataclass(frozen=True)
class Transfer:
    """The metric under two conditions and its gain, each over takes that are paired; the gain's SD is that of pairs."""

    metric: str
    tasks: int
    before: Spread
    after: Spread
    gain: Spread


def transfer(results: Sequence[TaskResult], before: str, after: str, metric: str) -> Transfer:
    """Compare two conditions over the tasks and takes that both have.

    Raises ValueError on an unknown condition or metric, and where the takes of the two are not those of the same tasks.
    """
    if metric not in METRICS:
        raise ValueError(f"no metric {metric!r}; known: {', '.join(METRICS)}")
    known = list(dict.fromkeys(result.condition for result in results))
    for condition in (before, after):
        if condition not in known:
            raise ValueError(f"no condition {condition!r} in these runs; they have {', '.join(known)}")
    first, second = (_by_take(results, condition, metric) for condition in (before, after))
    if first.keys() != second.keys():
        odd = ", ".join(sorted(first.keys() ^ second.keys())[:3])
        raise ValueError(f"takes are not paired: {odd} is under one of the two conditions alone")
    takes = list(first)
    tasks = {result.task for result in results if result.scored and result.condition == before}
    if not tasks:
        raise ValueError(f"no task has a score under condition {before!r}")
    if tasks != {result.task for result in results if result.scored and result.condition == after}:
        raise ValueError(f"conditions {before!r} and {after!r} are not of the same tasks")
    return Transfer(
        metric=metric,
        tasks=len(tasks),
        before=spread([first[take] for take in takes]),
        after=spread([second[take] for take in takes]),
        gain=spread([second[take] - first[take] for take in takes]),
    )


def _by_take(results: Sequence[TaskResult], condition: str, metric: str) -> dict[str, Fraction]:
    cells = [
        (result.take, result.task, getattr(result.retention, metric).midpoint)
        for result in results
        if result.condition == condition and result.scored
    ]
    return means_of(cells, f"condition {condition!r}")

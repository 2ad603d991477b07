"""Retention beside execution by condition: means over the same tasks, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.analysis.diagnosis import Diagnosis, diagnose
from pytest_talk2agent.analysis.outcomes import Outcomes
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import interval, result, retention, undefined

F = Fraction
SCORES = {("a", "x"): F(1), ("a", "y"): F(1, 2), ("b", "x"): F(0), ("b", "y"): F(1, 4)}
EXECUTION = Outcomes(SCORES, {})


def item(task: str, condition: str, native: str, shapley: str, take: str = "1", polarity: str = "normal") -> TaskResult:
    kept = retention(interval(*native.split("..")), interval(*shapley.split("..")))
    return result(task, condition=condition, take=take, kept=kept, polarity=polarity)


RESULTS = [
    item("a", "x", "1", "1"),
    item("b", "x", "0", "1/2"),
    item("a", "y", "0", "1/4"),
    item("b", "y", "1/2", "3/4"),
]


def test_one_row_for_each_condition_over_the_same_tasks() -> None:
    assert diagnose(RESULTS, EXECUTION) == [
        Diagnosis("x", 2, shapley=F(3, 4), native=F(1, 2), execution=F(1, 2)),
        Diagnosis("y", 2, shapley=F(1, 2), native=F(1, 4), execution=F(3, 8)),
    ]


def test_a_part_of_the_tasks() -> None:
    assert diagnose(RESULTS, EXECUTION, {"b"}) == [
        Diagnosis("x", 1, shapley=F(1, 2), native=F(0), execution=F(0)),
        Diagnosis("y", 1, shapley=F(3, 4), native=F(1, 2), execution=F(1, 4)),
    ]


def test_takes_of_a_task_are_averaged_before_tasks_are() -> None:
    more = [*RESULTS, item("a", "x", "0", "0", take="2"), item("a", "x", "1/2", "0", take="3")]
    first, _ = diagnose(more, EXECUTION)
    # Task a: (1 + 0 + 1/2)/3 and (1 + 0 + 0)/3; task b as before.
    assert (first.native, first.shapley) == (F(1, 4), F(5, 12))


def test_an_interval_counts_by_its_midpoint() -> None:
    [row] = diagnose([item("a", "x", "1/4..3/4", "0..1/2")], EXECUTION)
    assert (row.native, row.shapley) == (F(1, 2), F(1, 4))


@pytest.mark.parametrize(
    "odd",
    [
        [item("c", "x", "1", "1"), item("c", "y", "1", "1")],
        [item("d", "x", "1", "1")],
        [item("e", condition, "1", "1", polarity="reversal") for condition in "xy"],
        [result("e", condition=condition, kept=undefined()) for condition in "xy"],
    ],
    ids=["not-executed", "under-one-condition", "reversal", "undefined"],
)
def test_a_task_that_lacks_anything_is_not_in_it(odd: list[TaskResult]) -> None:
    execution = Outcomes({**SCORES, **{(task, c): F(1) for task in "de" for c in "xy"}}, {})
    assert diagnose([*RESULTS, *odd], execution) == diagnose(RESULTS, EXECUTION)


@pytest.mark.parametrize(
    ("results", "execution", "tasks"),
    [([], EXECUTION, None), (RESULTS, Outcomes({}, {}), None), (RESULTS, EXECUTION, {"c"})],
    ids=["no-result", "not-executed", "no-task-of-the-part"],
)
def test_no_task_left_is_refused(results: list[TaskResult], execution: Outcomes, tasks: set[str] | None) -> None:
    with pytest.raises(ValueError, match="no task has both a score and an execution score under every condition"):
        diagnose(results, execution, tasks)

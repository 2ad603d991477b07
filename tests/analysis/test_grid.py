"""Joining results with execution scores: takes are averaged, and whatever is left out is named."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.grid import Grid, joined, make_grid
from pytest_talk2agent.analysis.metrics import make_columns
from pytest_talk2agent.analysis.outcomes import Outcomes
from pytest_talk2agent.results.saved import SavedRun
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import interval, result, retention, undefined


def item(task: str, condition: str, native: str, take: str = "amy", polarity: str = "normal") -> TaskResult:
    kept = retention(interval(*native.split("-")))
    return result(task, condition=condition, take=take, kept=kept, polarity=polarity)


RESULTS = [item(t, c, n) for t, c, n in (("a", "x", "1"), ("a", "y", "0"), ("b", "x", "1/2"), ("b", "y", "0-1"))]


def outcomes(*pairs: str, types: dict[str, str] | None = None) -> Outcomes:
    named = pairs or ("ax", "ay", "bx", "by")
    return Outcomes({(p[0], p[1]): Fraction(1, place + 1) for place, p in enumerate(named)}, types or {})


def grid_of(results: list[TaskResult], execution: Outcomes | None = None, **further: Outcomes) -> Grid:
    return make_grid(results, make_columns(["native"], results), execution or outcomes(), further)


def test_a_cell_for_each_task_and_condition() -> None:
    grid = grid_of(RESULTS)
    assert (grid.tasks, grid.conditions) == (("a", "b"), ("x", "y"))
    # an interval counts with its midpoint
    assert grid.metrics == {"native": ((1, 0), (Fraction(1, 2), Fraction(1, 2)))}
    assert grid.execution == ((1, Fraction(1, 2)), (Fraction(1, 3), Fraction(1, 4)))
    assert grid.left_out == {}
    assert grid.levels == ("task-interface", "interface")


def test_takes_are_averaged() -> None:
    grid = grid_of([*RESULTS, item("a", "x", "1/2", take="ben")])
    assert grid.metrics["native"][0][0] == Fraction(3, 4)


def test_types_are_used_where_every_task_has_one() -> None:
    assert grid_of(RESULTS, outcomes(types={"a": "t", "b": "u"})).types == ("t", "u")
    assert grid_of(RESULTS, outcomes(types={"a": "t"})).types is None


def test_tasks_of_reversed_polarity_are_left_out_and_named() -> None:
    unsafe = [item("z", condition, "1", polarity="reversal") for condition in "xy"]
    grid = grid_of([*RESULTS, *unsafe], outcomes("ax", "ay", "bx", "by", "zx", "zy"))
    assert grid.tasks == ("a", "b")
    assert grid.left_out == {"tasks of reversed polarity": ("z",)}


def test_what_lacks_a_score_is_left_out_and_named() -> None:
    nothing = [result("c", condition=condition, kept=undefined()) for condition in "xy"]
    partly = [item("d", "x", "1")]
    unpaid = [item("e", "x", "1"), item("e", "y", "1"), item("a", "w", "1")]
    execution = outcomes("ax", "ay", "bx", "by", "cx", "cy", "dx", "dy", "ex", "qx", "av")
    grid = grid_of([*RESULTS, *nothing, *partly, *unpaid], execution)
    assert grid.tasks == ("a", "b")
    assert grid.left_out == {
        "conditions without execution scores": ("w",),
        "conditions that were executed and not judged": ("v",),
        "tasks that were executed and not judged": ("q",),
        "tasks without execution score under some condition": ("e",),
        "tasks without native under some condition": ("c", "d"),
    }


def test_metrics_from_elsewhere_come_first() -> None:
    assert list(grid_of(RESULTS, None, bleu=outcomes()).metrics) == ["bleu", "native"]
    with pytest.raises(ValueError, match="'native' is measured here and given from elsewhere"):
        grid_of(RESULTS, None, native=outcomes())


def test_too_little_is_said_with_its_reasons() -> None:
    with pytest.raises(ValueError, match=r"^1 task under 2 conditions .*; tasks without execution score .*: b$"):
        grid_of(RESULTS, outcomes("ax", "ay"))


def run(folder: str, *results: TaskResult) -> SavedRun:
    return SavedRun(Path(folder), results, {}, True, ())


def test_results_run_by_run() -> None:
    first, second = result("b", condition="x"), result("a", condition="y")
    assert joined([run("one", first), run("two", second)]) == [first, second]


def test_the_same_item_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^one and two both hold a\[amy\] under condition 'x'; label the conditions"):
        joined([run("one", result("a", condition="x")), run("two", result("a", condition="x"))])


def test_two_versions_of_a_task_are_refused() -> None:
    other = result("a", condition="y", task_sha256="2" * 64)
    with pytest.raises(ValueError, match=r"^task 'a' differs between one and two"):
        joined([run("one", result("a", condition="x")), run("two", other)])

"""Several runs as one: nothing twice, nothing that cannot be compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.analysis.runs import joined
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.saved import SavedRun
from tests.results.builders import result


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

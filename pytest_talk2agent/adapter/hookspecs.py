"""Hooks that other plugins and conftest files may implement.

Apart, since pluggy takes a module that holds specifications alone. Where this plugin may be absent, mark the
implementation ``@pytest.hookimpl(optionalhook=True)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.task_result import TaskResult
    from pytest_talk2agent.tasks.task import Task


@pytest.hookspec()
def pytest_t2a_interfaces(config: pytest.Config) -> Mapping[str, str]:  # type: ignore[empty-body]
    """Called at configure time to learn of further interfaces.

    Maps the name used in a spec string to ``"module:callable"``; the callable takes a
    `pytest_talk2agent.interfaces.spec.Spec` and returns a `pytest_talk2agent.interfaces.protocol.Interface`. Import
    strings, not objects: the model server is another process.
    """


@pytest.hookspec()
def pytest_t2a_judges(config: pytest.Config) -> Mapping[str, str]:  # type: ignore[empty-body]
    """Called at configure time to learn of further judges: name to ``"module:callable"``.

    The callable takes what follows the colon of the judge's spec string and returns a
    `pytest_talk2agent.judging.judge.Judge`.
    """


@pytest.hookspec()
def pytest_t2a_modify_tasks(config: pytest.Config, path: Path, tasks: list[Task]) -> None:
    """Called after a task file was loaded and before its items are made; change the list in place.

    Must do the same on every xdist worker.
    """


@pytest.hookspec()
def pytest_t2a_result(config: pytest.Config, result: TaskResult) -> None:
    """Called on the controller (or the single process) for each result, as items finish."""


@pytest.hookspec()
def pytest_t2a_gate(config: pytest.Config, results: Sequence[TaskResult], gate: Gate) -> Sequence[str]:  # type: ignore[empty-body]
    """Called once on the controller before the gate sets the exit status; returns further reasons to fail it."""

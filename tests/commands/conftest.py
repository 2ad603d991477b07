"""How a command is run in a test, and saved runs for it to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.decision import decide_run
from pytest_talk2agent.cli import main
from pytest_talk2agent.reporting.report_folder import ReportFolder
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Rules

Say = Callable[..., str]
Save = Callable[..., Path]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Run a command that must end with a status; what it prints."""

    def run(*arguments: object, status: int = 0) -> str:
        found = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert (found, captured.err) == (status, "")
        return captured.out

    return run


@pytest.fixture
def complain(capsys: pytest.CaptureFixture[str]) -> Say:
    """Run a command that must refuse its input; the one line it says."""

    def run(*arguments: object) -> str:
        assert main([str(argument) for argument in arguments]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err.rstrip("\n")

    return run


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write the report folder of a run that had these results."""

    def write(name: str, rows: Sequence[TaskResult], errors: Mapping[str, str] | None = None) -> Path:
        folder = ReportFolder(tmp_path / name)
        for row in rows:
            folder.append(row)
        gate = decide_run(rows, errors or {}, (), Rules())
        folder.finish(rows, errors or {}, gate, "")
        return folder.directory

    return write

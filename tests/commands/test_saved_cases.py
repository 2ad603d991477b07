from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.commands.labelling import saved_cases, tasks_behind
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.loader import load_tasks
from tests.conftest import PORT, TASKS
from tests.results import builders


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TaskResult:
    """A result of a task whose file its node names, from the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    task = next(one for one in load_tasks(tmp_path / "tasks.yaml") if one.id == PORT)
    return replace(builders.result(PORT, task_sha256=task.content_hash), node=f"tasks.yaml::{PORT}[x-amy]")


def test_a_case_is_what_was_asked_and_what_was_heard(result: TaskResult) -> None:
    [labelled] = saved_cases([result, replace(result, take="joe", node=f"tasks.yaml::{PORT}[x-joe]")])
    case = labelled.case
    assert (case.task, case.transcript) == (PORT, result.transcript.text)
    assert case.instruction == "Set the port to 8080 and restart nginx."
    assert case.script == "set the port to eighty eighty and restart nginx"
    assert labelled.labels == {"port": Label.RETAINED, "service": Label.RETAINED}
    assert labelled.id == result.node


def test_a_transcript_that_is_none_is_no_case(result: TaskResult) -> None:
    assert saved_cases([replace(result, transcript=replace(result.transcript, state="refused"))]) == []


def test_tasks_are_found_in_files_and_folders_that_are_named(result: TaskResult, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "deep" / "renamed.yaml"
    moved.parent.mkdir(parents=True)
    (tmp_path / "tasks.yaml").rename(moved)
    (moved.parent / "other.yaml").write_text("no: task\n", encoding="utf-8")
    assert tasks_behind([result]) == {}
    for path in (moved, tmp_path / "elsewhere"):
        [task] = tasks_behind([result], [path]).values()
        assert task.id == PORT


def test_a_task_that_is_no_longer_the_same_is_not_it(result: TaskResult, tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(TASKS.replace("8080", "8081"), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{PORT}: no task file has it as this run knew it"):
        saved_cases([result])

"""The executable tasks that ship with the project: their controls, and the agent that does what it hears."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_talk2agent.execution.trial import Trials, refusal
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

SUITES = Path(__file__).parents[2] / "suites"
OWN = ("desktop", "files", "git", "media", "office", "services", "workbench")
TASKS = [task for name in OWN for task in load_tasks(SUITES / name / "tasks.yaml") if task.execution is not None]

pytestmark = pytest.mark.usefixtures("sandbox")


def test_every_suite_takes_part() -> None:
    assert {task.suite for task in TASKS} == set(OWN)
    assert len(TASKS) >= 24


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_solution_reaches_1_and_doing_nothing_does_not(task: Task) -> None:
    assert refusal(task) is None


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_who_does_what_the_words_say_reaches_1(task: Task) -> None:
    record = Trials("obedient").run(task, task.instruction)
    assert (record.state, str(record.score)) == ("scored", "1"), (record.criteria, record.steps)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_who_hears_all_words_and_no_punctuation_reaches_1(task: Task) -> None:
    heard = re.sub(r"[,\"]|[.!?](?=\s|$)|:(?=\s)", "", task.spoken).lower()
    record = Trials("obedient").run(task, heard)
    assert (record.state, str(record.score)) == ("scored", "1"), (record.criteria, record.steps)


ONE_OF_EACH = [next(task for task in TASKS if task.suite == suite) for suite in OWN]


@pytest.mark.parametrize("task", ONE_OF_EACH, ids=lambda task: task.id)
def test_a_script_for_the_words_reaches_1_with_them_and_no_more_without(task: Task, tmp_path: Path) -> None:
    assert task.execution is not None
    script = tmp_path / "script.jsonl"
    row = {"transcript": task.instruction, "commands": list(task.execution.solution)}
    script.write_text(json.dumps(row) + "\n", encoding="utf-8")
    trials = Trials(f"scripted:{script}")
    assert str(trials.run(task, task.instruction).score) == "1"
    other = trials.run(task, f"{task.instruction} please")
    assert other.state == "agent_failed"
    assert other.score is not None
    assert other.score < 1

"""The words of the shipped tasks themselves, judged as transcripts; of those that ship with their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

SUITES = Path(__file__).parents[2] / "suites"
TASKS = [task for path in sorted(SUITES.rglob("*.yaml")) for task in load_tasks(path) if task.is_bound]


def _lost(task: Task, transcript: str) -> dict[str, str]:
    judgement = judge(Case(task.instruction, task.spoken, task.intentions, transcript, task.files))
    return {name: finding.reason for name, finding in judgement.findings.items() if finding.label is not Label.RETAINED}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_script_and_instruction_are_retained(task: Task) -> None:
    assert _lost(task, task.spoken) == {}
    assert _lost(task, task.instruction) == {}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_words_before_and_behind_and_the_case_change_nothing(task: Task) -> None:
    assert _lost(task, f"okay computer I would like you to do this for me {task.spoken}") == {}
    assert _lost(task, f"{task.spoken.rstrip('.')} and that is all thank you") == {}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_nothing_is_retained_of_silence(task: Task) -> None:
    assert set(_lost(task, "")) == set(task.intentions)

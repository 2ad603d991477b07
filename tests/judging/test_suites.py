"""The words of the shipped tasks themselves, judged as transcripts; of those that ship with their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.judging.coverage import uncovered
from pytest_talk2agent.judging.judge import Case, case_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.judging.task_controls import unsettled
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.sniff import classify
from pytest_talk2agent.tasks.task import Task

SUITES = Path(__file__).parents[2] / "suites"
FILES = [
    path for path in sorted(SUITES.rglob("*.yaml")) if classify(path) != "other"
]  # packages of workflows have others
TASKS = [task for path in FILES for task in load_tasks(path) if task.is_bound]


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


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_word_that_no_intention_covers_is_declared(task: Task) -> None:
    holes = {piece.text.casefold() for piece in uncovered(task.instruction, task.intentions)}
    assert {piece.casefold() for piece in task.unscored} == holes


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_perfect_reading_settles_every_value(task: Task) -> None:
    assert [name for name in unsettled(case_of(task, "")) if not task.intentions[name].note] == []


@pytest.mark.parametrize(
    ("file", "task", "name", "fields"),
    [
        ("osworld/os.yaml", "os/4783cc41", "source_variable", {"style": "any"}),
        ("osworld/os.yaml", "os/4783cc41", "target_variable", {"style": "any"}),
        ("osworld/multi_apps.yaml", "multi_apps/20236825", "function", {"style": "any"}),
        ("wildclawbench/04_Search_Retrieval_task_1_google_scholar_search.yaml", "", "scholar_a", {"case": "exact"}),
        ("wildclawbench/04_Search_Retrieval_task_1_google_scholar_search.yaml", "", "scholar_b", {"case": "exact"}),
    ],
)
def test_what_speech_cannot_show_is_not_asked_for_and_what_matters_is(
    file: str, task: str, name: str, fields: dict[str, str]
) -> None:
    one = next(each for each in load_tasks(SUITES / file) if task in each.id)
    assert one.intentions[name].model_dump(include=set(fields)) == fields


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("titles", "recover its exact official archive title"),
        ("titles", "recover the official title of the paper"),
        ("ids", "find the official archive identifier"),
        ("fig_rule", "count how many figures appear in the provided PDF"),
        ("fig_rule", "count the number of figures in the provided PDF"),
    ],
)
def test_a_gist_holds_in_other_words_of_the_same_prompt(name: str, heard: str) -> None:
    (task,) = load_tasks(SUITES / "wildclawbench" / "01_Productivity_Flow_task_3_bibtex.yaml")
    intention = task.intentions[name]
    assert judge(Case(heard, heard, {name: intention}, heard)).labels()[name] is Label.RETAINED

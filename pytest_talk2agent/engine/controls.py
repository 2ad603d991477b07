"""The controls of a task: its own words judged as if they were a transcript, whole and with a value replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.corruption import Corruption, Surprise, corruptions, surprises
from pytest_talk2agent.tasks.task import Task


def case_of(task: Task, transcript: str) -> Case:
    """What a judge may see of a task, with one transcript."""
    return Case(
        instruction=task.instruction,
        script=task.spoken,
        intentions=task.intentions,
        transcript=transcript,
        files=task.files,
        task=task.id,
        language=task.language,
    )


def labels_of(task: Task, transcript: str) -> dict[str, str]:
    """The lexical judge's labels by intention name."""
    from pytest_talk2agent.judging.registry import make_judge

    return {
        name: label.value for name, label in make_judge("lexical").judge(case_of(task, transcript)).labels().items()
    }


def corrupted(task: Task) -> Iterator[tuple[Corruption, list[Surprise]]]:
    """Every corruption of a task's instruction, with what the lexical judge's labels of it get wrong."""
    from pytest_talk2agent.judging.lexical import judge

    case = case_of(task, task.instruction)
    case = replace(case, script=case.instruction)
    for corruption in corruptions(case):
        yield corruption, surprises(corruption, judge(replace(case, transcript=corruption.transcript)).labels())

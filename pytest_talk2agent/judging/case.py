"""What a judge may see: the task's words and visible context, and one transcript."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Case:
    """One transcript to be judged against one task.

    ``files`` are the paths the agent can see in its workspace; ``task`` is the task's id, by which recorded labels are
    found and faults are named; ``language`` is what it is spoken in, as a BCP 47 tag. Execution results, scores and the
    transcripts of other interfaces are not here, and no judge may look for them.
    """

    instruction: str
    script: str
    intentions: Mapping[str, Intention]
    transcript: str
    files: tuple[str, ...] = ()
    task: str = ""
    language: str = "en"


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

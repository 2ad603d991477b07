"""The subject of one item: a task, one recording of it, and a condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_talk2agent.context.terms import TermList
from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.results.task_result import item_key
from pytest_talk2agent.tasks.binding import can_be_bound, unbound
from pytest_talk2agent.tasks.errors import Problem, TaskFileError
from pytest_talk2agent.tasks.files import reachable
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task, takes

UNNAMED = ""


@dataclass(frozen=True, eq=False)
class Subject:
    """One task x recording x condition. ``take`` is empty where the condition needs no recording."""

    task: Task
    take: str
    recording: Recording | None
    condition: Condition

    @cached_property
    def name(self) -> str:
        """The item's name: `task-id[condition-take]`."""
        label = self.condition.spec.label
        return f"{self.task.id}[{label}-{self.take}]" if self.take else f"{self.task.id}[{label}]"

    @cached_property
    def key(self) -> str:
        """The item's key in a baseline."""
        return item_key(self.task.id, self.take)

    @property
    def is_available(self) -> bool:
        """Whether there is something to hear, or a transcript to replay."""
        if self.condition.controls:
            return True
        if self.condition.interface.hears:
            return self.recording is not None and reachable(self.recording.audio)
        return self.condition.has_record(self.utterance)

    @cached_property
    def utterance(self) -> Utterance:
        """What the interface is asked."""
        return Utterance(
            task=self.task.id,
            take=self.take,
            instruction=self.task.instruction,
            script=self.task.spoken,
            path=None if self.recording is None else self.recording.audio,
        )

    @cached_property
    def job(self) -> Job:
        """What the engine is asked; raises ContextError."""
        declared = None if self.recording is None else self.recording.sha256
        visible = self.visible
        return Job(
            spec=self.condition.spec.text,
            utterance=self.utterance,
            sha256=declared,
            terms=() if visible is None else visible.terms,
        )

    @property
    def visible(self) -> TermList | None:
        """The terms that the agent can see, where the condition uses them; raises ContextError."""
        return self.condition.terms_of(self.task)


def subjects_of(tasks: Iterable[Task], conditions: Sequence[Condition], most: int | None) -> list[Subject]:
    """Every item of some tasks, conditions outermost, so that each model's items are contiguous.

    ``most`` bounds the recordings of a task (None: all). A task without recordings gives one item for each recorded
    take of an interface that replays transcripts, and one item, which will be an error, for an interface that hears.
    """
    tasks = list(tasks)
    found: list[Subject] = []
    for condition in conditions:
        for task in tasks:
            found.extend(
                Subject(task, take, recording, condition) for take, recording in _takes(task, condition)[:most]
            )
    return found


def _takes(task: Task, condition: Condition) -> list[tuple[str, Recording | None]]:
    if condition.controls:
        return [(UNNAMED, None)]
    recorded: list[tuple[str, Recording | None]] = [*takes(task)]
    if recorded:
        return recorded
    return [(take, None) for take in condition.recorded_takes(task.id)] or [(UNNAMED, None)]


def refuse_unbound(tasks: Iterable[Task]) -> None:
    """Raises TaskFileError where the words of tasks are not at hand: a line for each benchmark."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        if not task.is_bound:
            groups.setdefault(str(task.source.benchmark) if can_be_bound(task) else task.id, []).append(task)
    if groups:
        raise TaskFileError(
            [Problem(of[0].path, *of[0].place("id"), unbound(of[0], len(of) - 1)) for of in groups.values()]
        )


def refuse_bad_graders(tasks: Iterable[Task]) -> None:
    """Compile every grader now; raises TaskFileError with all that is wrong with any of them."""
    problems: list[Problem] = []
    for task in tasks:
        try:
            task.grader()
        except TaskFileError as error:
            problems.extend(error.problems)
    if problems:
        raise TaskFileError(problems)

"""What speakers are asked to read: one prompt a task, in the order of the suites."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown
from pytest_talk2agent.tasks.task import Task

LETTERS_A_SECOND = 14.0
"""Of English read aloud, blanks not counted; other signs are weighed as the letters that saying them takes."""

_SLUG = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Prompt:
    """The script of one task.

    ``declared`` says that the task file itself gives these words, so that a manifest need not repeat them.
    """

    task: Task
    script: str
    declared: bool = True

    @property
    def slug(self) -> str:
        """The task's id as a part of a file name, the same every time and another for every id."""
        plain = _SLUG.sub("-", self.task.id).strip(".-")
        if plain == self.task.id and len(plain) <= 80:
            return plain
        return f"{plain[:60]}-{hashlib.sha256(self.task.id.encode()).hexdigest()[:8]}"

    @property
    def seconds(self) -> float:
        """About how long it takes to read the script aloud."""
        return reading_seconds(self.script)


def reading_seconds(script: str) -> float:
    """About how long it takes to read a script aloud."""
    return sum(map(_letters, script)) / LETTERS_A_SECOND


def _letters(character: str) -> float:
    if character.isspace() or character in ".,;:!?'\"()":
        return 0
    if character.isdecimal():
        return 4
    if character.isalpha():
        return 1 if ord(character) < 0x2E80 else 3.5  # a Han character, a kana or a Hangul syllable is a syllable
    return 4


def prompts_of(tasks: Iterable[Task], scripts: dict[str, str] | None = None) -> list[Prompt]:
    """A prompt for each task; ``scripts`` are spoken forms by task, for tasks that have no script of their own.

    Raises TaskFileError: an id a second time, or a task whose words are in a checkout that was not given.
    """
    prompts: dict[str, Prompt] = {}
    problems = []
    for task in tasks:
        if task.id in prompts:
            first = prompts[task.id].task
            problems.append(_problem(task, f"task {shown(task.id)} is in {first.path}, too; record one of the files"))
        elif not task.is_bound:
            text = f"the words of {shown(task.id)} are not here; name a checkout of {task.source.benchmark}"
            problems.append(_problem(task, text))
        else:
            script = task.script or (scripts or {}).get(task.id) or task.instruction
            prompts[task.id] = Prompt(task, script, declared=script == task.spoken)
    if problems:
        raise TaskFileError(problems)
    return list(prompts.values())


def _problem(task: Task, text: str) -> Problem:
    return Problem(task.path, task.line, 1, text)

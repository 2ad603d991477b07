"""Leaks: terms that come from what the task is graded by instead of what the agent sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath

from pytest_talk2agent.context.vocabulary import ContextError, Place, is_ordinary, stands_in, words_of
from pytest_talk2agent.tasks.files import scalars_in
from pytest_talk2agent.tasks.task import Task

GRADER_FOLDERS = frozenset(
    ("gt", "ground_truth", "ground-truth", "groundtruth", "expected", "grader", "graders", "grading")
)
"""Folders of a workspace that hold what a task is graded by."""


def refuse_grader_terms(task: Task, places: Mapping[str, Iterable[Place]]) -> None:
    """Raise ContextError where a term stands only in files of the workspace that belong to the grader."""
    workspace, is_graders = task.context.workspace, grader_files(task)
    for term in sorted(places):
        if all(place.root == workspace and is_graders(place.path) for place in places[term]):
            path = min(place.path for place in places[term])
            raise ContextError(
                f"task {task.id!r}: the term {term!r} stands only in {path!r}, which belongs to the grader;"
                f" move that out of the context's workspace {workspace!r}"
            )


def grader_files(task: Task) -> Callable[[str], bool]:
    """Whether a file of the workspace (its path relative to it) belongs to what the task is graded by.

    It does in a folder of `GRADER_FOLDERS`, and where a check of ``execution`` has its function in it.
    """
    workspace = task.context.workspace
    named = set() if workspace is None else _named_files(task, task.resolve(workspace))

    def is_graders(file: str) -> bool:
        path = PurePosixPath(file)
        in_folder = not GRADER_FOLDERS.isdisjoint(map(str.lower, path.parts))
        return in_folder or not named.isdisjoint((path, *path.parents))

    return is_graders


def refuse_oracle_terms(task: Task, terms: Iterable[str], visible: str, origin: str) -> None:
    """Raise ContextError where a listed term is part of what the task is graded by and cannot be seen.

    ``visible`` are the words of all that the agent can see, joined by blanks; the instruction is no part of it, for a
    list that is made from it is an oracle. One plain word is part of a value only where it is all of it.
    """
    values = [" ".join(words_of(text)) for text in _graded(task)]
    for term in terms:
        words = words_of(term)
        plain = len(words) == 1 and is_ordinary(words[0])
        graded = any(value == words[0] if plain else stands_in(words, value) for value in values)
        if graded and not stands_in(words, visible):
            raise ContextError(
                f"task {task.id!r}: the term {term!r} of {origin} is part of what the task is graded by and stands"
                " nowhere in its context; take it out of the list, or add to `context` where the agent sees it"
            )


def overlap(task: Task, terms: Sequence[str]) -> Fraction | None:
    """The share of the intentions' values that stand in the list; None where no intention has one.

    Values are each `say` of an intention that is no gist; an `also` counts for it. A path stands in the list where its
    components do, those apart that are one plain word.
    """
    listed = [" ".join(words_of(term)) for term in terms]
    values = [
        (say, *intention.also)
        for intention in task.intentions.values()
        if intention.kind != "gist"
        for say in intention.say
    ]
    if not values:
        return None
    held = sum(any(_is_listed(form, listed) for form in forms) for forms in values)
    return Fraction(held, len(values))


def _is_listed(value: str, listed: Sequence[str]) -> bool:
    if any(stands_in(words_of(value), term) for term in listed):
        return True
    parts = [words_of(part) for part in value.replace("\\", "/").split("/")]
    needed = [part for part in parts if part and not (len(part) == 1 and is_ordinary(part[0]))]
    return len(parts) > 1 and bool(needed) and all(any(stands_in(part, term) for term in listed) for part in needed)


def _graded(task: Task) -> Iterator[str]:
    """Texts that a task is graded by: the intentions' values, names of the expression, its checks and its solution."""
    for intention in task.intentions.values():
        yield from (*intention.say, *intention.also)
    declared = (*task.intentions, *task.fixed, *task.let, *task.groups)
    yield from (name for name in declared if "_" in name)
    if task.execution is not None:
        for check in task.execution.checks.values():
            yield from (text for text in scalars_in(check.to_json()) if isinstance(text, str))
        yield from task.execution.solution


def _named_files(task: Task, workspace: Path) -> set[PurePosixPath]:
    """Files of the workspace that hold the function of a check."""
    checks = () if task.execution is None else task.execution.checks.values()
    functions = (part.python for check in checks for part in check.walk() if part.python is not None)
    places = (task.resolve(function.partition(":")[0]) for function in functions)
    return {
        PurePosixPath(place.relative_to(workspace).as_posix()) for place in places if place.is_relative_to(workspace)
    }

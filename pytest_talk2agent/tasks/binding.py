"""The words of a task that was compiled from another benchmark: read from the user's checkout, never shipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pytest_talk2agent.tasks.errors import Problem, TaskFileError, counted, shown, suggestion
from pytest_talk2agent.tasks.importers.original import Checkout, Original
from pytest_talk2agent.tasks.importers.registry import BUILT_IN, bindable
from pytest_talk2agent.tasks.task import Task

OPTIONS = {one.name: one.option for one in BUILT_IN if one.option is not None}
"""The benchmarks whose checkout has an option of its own, each with its name."""


@dataclass(frozen=True)
class Drift:
    """What differs between a compiled task and its original: any of ``prompt``, ``grader`` and ``missing``.

    ``rejected`` says why the file of a missing original could not be read, if the checkout has one.
    """

    task: Task
    parts: tuple[str, ...]
    original: Original | None
    rejected: Problem | None = None

    @property
    def message(self) -> str:
        """One line on what to review."""
        source = self.task.source
        if source.task is None:
            return f"`{self.task.id}`: `source` does not say which `task` of {source.benchmark} it is; add it"
        if self.original is None:
            missing = f"`{self.task.id}`: the checkout has no task {shown(source.task)}"
            return f"{missing} that can be read: {self.rejected}" if self.rejected else missing
        reviews = {
            "prompt": f"the intentions ({', '.join(self.task.intentions)})",
            "grader": f"`value`{_names('fixed', self.task.fixed)}{_names('let', self.task.let)}",
        }
        hashes = {"prompt": self.original.prompt_sha256, "grader": self.original.grader_sha256}
        return "; ".join(
            f"`{self.task.id}`: its {part} in {self.original.path} is another one than it was compiled from; review"
            f" {reviews[part]}, then set {part}_sha256 to {hashes[part]}"
            for part in self.parts
        )


@dataclass
class Checkouts:
    """The checkouts that a run was given, each read once, when the first task asks for it.

    ``ungraded`` are the ids of bound tasks whose checkout has no grader, so that their prompts alone were compared.
    """

    paths: Mapping[str, Path] = field(default_factory=dict)
    ungraded: set[str] = field(default_factory=set)
    _read: dict[str, Checkout] = field(default_factory=dict)

    def of(self, benchmark: str) -> Checkout | None:
        """The checkout of a benchmark, or None where none was given; raises TaskFileError."""
        path = self.paths.get(benchmark)
        if path is None:
            return None
        if benchmark not in self._read:
            self._read[benchmark] = bindable()[benchmark].read_checkout(path)
        return self._read[benchmark]

    def bind(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks, those that have no words of their own with the words of their originals.

        A task whose benchmark has no checkout here stays as it is (`Task.is_bound`). Raises TaskFileError where an
        original is missing or differs from what the task was compiled from; all such tasks are named.
        """
        bound: list[Task] = []
        problems: list[Problem] = []
        for task in tasks:
            drift = self.drift(task)
            if drift is None:
                bound.append(task)
            elif drift.parts:
                problems.append(Problem(task.path, *task.place("source"), drift.message))
            else:
                assert drift.original is not None
                bound.append(task.replaced(instruction=drift.original.prompt))
                if task.source.grader_sha256 and not drift.original.grader:
                    self.ungraded.add(task.id)
        if problems:
            raise TaskFileError(problems)
        return bound

    def drift(self, task: Task) -> Drift | None:
        """How a task differs from its original; None where it needs none or no checkout was given."""
        if task.is_bound or not can_be_bound(task):
            return None
        source = task.source
        checkout = self.of(source.benchmark or "")
        if checkout is None:
            return None
        name = source.task or ""
        original = checkout.originals.get(name)
        faulty = [problem for problem in checkout.rejected if problem.path.stem == PurePosixPath(name).name]
        return Drift(task, tuple(_changed(task, original)), original, faulty[0] if faulty else None)

    def remarks(self) -> list[str]:
        """What was not compared, if anything: at most one line."""
        count = len(self.ungraded)
        return [f"{counted(count, 'task')} compared by the prompt alone: the checkout has no grader"] if count else []


def checkouts_of(given: Iterable[tuple[str, Path]]) -> Checkouts:
    """Checkouts, each by the name of its benchmark or of the option that the benchmark has.

    Raises ValueError for a name that is unknown or given twice.
    """
    by_option = {option: name for name, option in OPTIONS.items()}
    paths: dict[str, Path] = {}
    for name, path in given:
        benchmark = by_option.get(name, name)
        if benchmark not in OPTIONS and benchmark not in bindable():
            raise ValueError(f"{shown(name)} is no benchmark whose words can be read; {suggestion(name, bindable())}")
        if benchmark in paths:
            raise ValueError(f"two checkouts of {benchmark} are named; leave one out")
        paths[benchmark] = path
    return Checkouts(paths)


def named_path(text: str) -> tuple[str, str]:
    """The name and the path of ``NAME=PATH``; raises ValueError where it is anything else."""
    name, _, path = (part.strip() for part in text.partition("="))
    if not (name and path):
        raise ValueError(f"{text!r} is not NAME=PATH; write the benchmark's name and the path of its checkout")
    return name, path


def unbound(task: Task, more: int = 0) -> str:
    """One line on a task whose words are not at hand, and on so many more of its benchmark."""
    if not can_be_bound(task):
        known = suggestion(task.source.benchmark or "", bindable())
        return f"`{task.id}` has no instruction, and its source is no benchmark that can be read; {known}"
    others = f" and {more} more" if more else ""
    return f"the words of `{task.id}`{others} are {elsewhere(task)}"


def elsewhere(task: Task) -> str:
    """Where the words of a task are that can be bound, and how to name the place."""
    benchmark = task.source.benchmark or ""
    return (
        f"those of {benchmark} and are not shipped; name a checkout of it with {bindable()[benchmark].checkout_option}"
    )


def can_be_bound(task: Task) -> bool:
    """Whether a checkout of the task's benchmark can be named."""
    return task.source.benchmark in bindable()


def _changed(task: Task, original: Original | None) -> Iterator[str]:
    if original is None:
        yield "missing"
        return
    if task.source.prompt_sha256 != original.prompt_sha256:
        yield "prompt"
    known = None not in (task.source.grader_sha256, original.grader_sha256)
    if known and task.source.grader_sha256 != original.grader_sha256:
        yield "grader"


def _names(key: str, names: Mapping[str, object]) -> str:
    return f", `{key}` ({', '.join(names)})" if names else ""

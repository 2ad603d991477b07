"""Task folders of Harbor: which one a task was compiled from, and the copy of it that has another instruction.

What Harbor runs is that copy. Its instruction is the transcript, after the paragraph of system text that a converted
WildClawBench task has; all else, the tests and the environment above all, has the same bytes, or nothing is run.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.session import InfrastructureError
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.importers import harbor, wildclawbench
from pytest_talk2agent.tasks.importers.original import Original, refuse_outside, refused, text_of
from pytest_talk2agent.tasks.task import Task

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PHASES = (
    ("environment", "build_timeout_sec", 600.0),
    ("agent", "timeout_sec", 600.0),
    ("verifier", "timeout_sec", 600.0),
)
"""The phases of a trial whose time a task can set, with Harbor's own defaults in seconds."""
_FURTHER_SECONDS = 600.0
"""For what a task cannot set: the set-up of an agent and the end of a container."""


@dataclass(frozen=True)
class HarborTask:
    """One task folder; ``root`` is the checkout that its links may lead to."""

    folder: Path
    root: Path
    original: Original

    @property
    def instruction(self) -> Path:
        """The file of the instruction, relative to the folder."""
        return self.original.path.relative_to(self.folder)

    @cached_property
    def preamble(self) -> str:
        """The system text before the prompt, with the blank line after it; empty where there is none."""
        text = text_of(self.original.path)
        before = text[: text.index(self.original.prompt)]
        return before if before.strip() else ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of all but the instruction: names, contents, and what may be executed.

        Raises TaskFileError for a link out of the checkout, or what is neither file nor folder.
        """
        return _digest(self.folder, self.root, self.instruction)

    @cached_property
    def _phases(self) -> dict[str, float]:
        settings = tomllib.loads(text_of(self.folder / harbor.FILE))
        return {table: _number(settings.get(table), name, default) for table, name, default in _PHASES}

    @property
    def agent_seconds(self) -> float:
        """How long the agent may take."""
        return self._phases["agent"]

    @property
    def seconds(self) -> float:
        """The most that a whole trial may take."""
        return _FURTHER_SECONDS + sum(self._phases.values())

    @property
    def has_solution(self) -> bool:
        """Whether it has a reference solution, so that `oracle` can run it."""
        return (self.folder / "solution").is_dir()

    def copy(self, target: Path, transcript: str) -> None:
        """Make the copy in which the transcript is the prompt.

        Raises:
            InfrastructureError: where what was copied is not what was there.
            OSError: where it cannot be written.
        """
        for path, place in _walked(self.folder, self.root):
            if path.is_dir():
                (target / place).mkdir(parents=True, exist_ok=True)
            else:
                (target / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target / place)
        try:
            words = (self.preamble + transcript).encode()
        except UnicodeEncodeError:
            raise InfrastructureError("the transcript has halves of characters, which no file can hold") from None
        (target / self.instruction).write_bytes(words)
        if _digest(target, target, self.instruction) != self.digest:
            raise InfrastructureError(f"{self.folder} changed while it was copied; run it again")


class HarborTasks:
    """The task folders below ``root``, or the one that it is.

    Raises:
        TaskFileError: where there is none, or it cannot be read.
    """

    def __init__(self, root: Path) -> None:
        self._checkout = harbor.read_checkout(root)
        self._root = root if root.is_dir() else root.parent

    def of(self, task: Task) -> HarborTask | None:
        """The folder that a task was compiled from; None where its source is another one.

        Raises:
            ValueError: where the folder is missing, or its prompt or grader is another one.
        """
        source = task.source
        if source.benchmark not in (harbor.BENCHMARK, wildclawbench.BENCHMARK):
            return None
        where = f"{task.path}:{task.line}: {task.id}"
        original = self._checkout.originals.get(source.task or "")
        if original is None:
            why = next((f" ({problem})" for problem in self._checkout.rejected), "")
            raise ValueError(f"{where}: {self._root} has no Harbor task {source.task!r}{why}; name another folder")
        words = source.prompt_sha256 or hashlib.sha256(task.instruction.encode()).hexdigest()
        known = None not in (source.grader_sha256, original.grader_sha256)
        for part, differs in (
            ("prompt", words != original.prompt_sha256),
            ("grader", known and source.grader_sha256 != original.grader_sha256),
        ):
            if differs:
                raise ValueError(
                    f"{where}: the {part} of {original.path} is another one than it was compiled from; review the task"
                )
        return HarborTask(_folder_of(original.path), self._root, original)

    def bind(self, task: Task) -> Task:
        """The task with the words of its folder, where it has none of its own; raises as `of`."""
        found = self.of(task)
        return task if found is None or task.is_bound else task.replaced(instruction=found.original.prompt)


def _folder_of(instruction: Path) -> Path:
    return next(folder for folder in instruction.parents if (folder / harbor.FILE).is_file())


def _walked(folder: Path, root: Path) -> Iterator[tuple[Path, Path]]:
    """Every file and folder below a folder with its place in it, links followed, in the order of their names."""
    todo = [folder]
    while todo:
        for path in sorted(todo.pop().iterdir()):
            refuse_outside(path, root)
            if path.is_dir():
                if path.is_symlink() and path.resolve() in [path.parent.resolve(), *path.parent.resolve().parents]:
                    raise refused(path, "leads to a folder that it is in; take it away", line=0)
                todo.append(path)
            elif not path.is_file():
                raise refused(path, "neither a file nor a folder; take it away", line=0)
            yield path, path.relative_to(folder)


def _digest(folder: Path, root: Path, instruction: Path) -> str:
    found = hashlib.sha256()
    for path, place in sorted(_walked(folder, root), key=lambda pair: pair[1].as_posix()):
        if place == instruction:
            continue
        mode = "folder" if path.is_dir() else "program" if path.stat().st_mode & stat.S_IXUSR else "file"
        content = "" if path.is_dir() else file_sha256(path)
        found.update(f"{place.as_posix()}\0{mode}\0{content}\n".encode(errors="surrogateescape"))
    return found.hexdigest()


def _number(table: Any, name: str, default: float) -> float:
    value = table.get(name, default) if isinstance(table, dict) else default
    return float(value) if isinstance(value, int | float) else default

"""A task of another benchmark as its checkout has it, and what an importer is: a `Format`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_talk2agent.tasks.errors import Problem, TaskFileError
from pytest_talk2agent.tasks.files import LARGEST, is_inside, read_bounded, read_utf8


@dataclass(frozen=True)
class Original:
    """The prompt and the grader of one task, both stripped and with LF line ends.

    ``grader`` is source text (WildClawBench, Harbor) or canonical JSON (OSWorld); it is empty where the checkout has
    none. It is never run by an importer. ``line`` is where the prompt begins, counted from 1. ``extra`` holds what only
    its own importer understands.
    """

    benchmark: str
    task: str
    prompt: str
    grader: str
    path: Path
    line: int = 1
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def prompt_sha256(self) -> str:
        """SHA-256 (hexadecimal) of the prompt."""
        return hashlib.sha256(self.prompt.encode()).hexdigest()

    @cached_property
    def grader_sha256(self) -> str | None:
        """SHA-256 (hexadecimal) of the grader, where there is one."""
        return hashlib.sha256(self.grader.encode()).hexdigest() if self.grader else None


@dataclass(frozen=True)
class Format:
    """One benchmark's way to publish tasks, and the reader of it.

    ``name`` is the `Original.benchmark` of its tasks. ``is_file`` looks at the path first, and at the text (`text_of`,
    `head_of`) only if the path fits. ``option`` is the option of a run that names a checkout to take the words of tasks
    from, None where words are always in the task file.
    """

    name: str
    is_file: Callable[[Path], bool]
    read_task: Callable[[Path], Iterator[Original]]
    read_checkout: Callable[[Path], Checkout]
    option: str | None = "checkout"

    @property
    def checkout_option(self) -> str:
        """How a checkout is named on pytest's command line."""
        return f"--t2a-checkout={self.name}=PATH" if self.option == "checkout" else f"--t2a-{self.option}=PATH"


@dataclass(frozen=True)
class Checkout:
    """What a folder has of a benchmark: its tasks by id, and every file that could not be read with the reason."""

    path: Path
    originals: Mapping[str, Original]
    rejected: tuple[Problem, ...] = ()


def read_all(root: Path, files: Iterable[Path], read: Callable[[Path], Iterator[Original]]) -> Checkout:
    """Read every file, in order; one that is faulty, or has a task that was there before, is rejected.

    So is a link that leads out of ``root``: what a checkout has comes from somebody else.
    """
    originals: dict[str, Original] = {}
    rejected: list[Problem] = []
    for path in files:
        try:
            refuse_outside(path, root)
            for original in read(path):
                first = originals.setdefault(original.task, original)
                if first is not original:
                    raise refused(path, f"the task `{original.task}` is in {first.path} too; keep one of them")
        except TaskFileError as error:
            rejected.extend(error.problems)
    return Checkout(root, originals, tuple(rejected))


def refuse_outside(path: Path, root: Path) -> None:
    """Raise TaskFileError where a path, links followed, is not in the folder ``root``, or that of the file ``root``."""
    folder = root if root.is_dir() else root.parent
    if path != root and not is_inside(path, [folder]):
        raise refused(path, f"leads out of {folder}; put the file itself there", line=0)


def refused(path: Path, message: str, line: int = 1) -> TaskFileError:
    """One line on why a file is no task."""
    return TaskFileError([Problem(path, line, 1, message)])


def text_of(path: Path) -> str:
    """The text of a foreign file, with LF line ends; raises TaskFileError."""
    return line_feeds(read_utf8(path))


def head_of(path: Path) -> str:
    """The text of a file that may be a task; empty where it cannot be read, which reading it as a task reports."""
    try:
        return read_bounded(path, LARGEST).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return ""


def line_feeds(text: str) -> str:
    """The text with LF line ends; other separators that Unicode knows are text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")

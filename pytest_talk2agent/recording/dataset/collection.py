"""What a data set is made of: recordings with their task, take and script, from suites, a manifest, or both."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_talk2agent.tasks.errors import shown
from pytest_talk2agent.tasks.manifest import Manifest
from pytest_talk2agent.tasks.recording import Recording, name_takes
from pytest_talk2agent.tasks.task import Task, takes

_SLUG = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Item:
    """One recording. ``task`` is None where a manifest stands alone; then its words are those of the manifest."""

    name: str
    take: str
    recording: Recording
    script: str
    task: Task | None = None

    @property
    def shown(self) -> str:
        """Task and take, as messages name it."""
        return f"{self.name}[{self.take}]"

    @property
    def instruction(self) -> str:
        """What was written, where it is known."""
        return "" if self.task is None else self.task.instruction

    @property
    def language(self) -> str:
        """Of the task; nobody says where there is none."""
        return "" if self.task is None else self.task.language

    @property
    def file_name(self) -> str:
        """A file name that no other task and take has, with the recording's own suffix."""
        plain = _SLUG.sub("-", self.name).strip(".-")
        slug = plain if plain == self.name and len(plain) <= 80 else f"{plain[:60]}-{_digest(self.name)}"
        take = self.take if self.take.isascii() and len(self.take) <= 80 else f"take-{_digest(self.take)}"
        return f"{slug}.{take}{self.recording.audio.suffix.lower()}"


@dataclass(frozen=True)
class DataSet:
    """Items in the order of tasks and takes; ``strangers`` are tasks of the manifest that no suite has."""

    items: tuple[Item, ...]
    tasks: tuple[Task, ...] = ()
    strangers: tuple[str, ...] = ()

    @property
    def unrecorded(self) -> list[str]:
        """Tasks without a recording."""
        recorded = {item.name for item in self.items}
        return [task.id for task in self.tasks if task.id not in recorded]


def collect(tasks: Sequence[Task], manifest: Manifest | None) -> DataSet:
    """The data set of some suites, with what a manifest supplies; without suites that of the manifest alone.

    Raises ValueError where there is no recording at all, or where two tasks have one id.
    """
    if tasks:
        found = _of_tasks(tasks if manifest is None else manifest.supply(tasks), manifest)
    elif manifest is not None:
        found = DataSet(
            tuple(
                Item(name, take, recording, manifest.scripts.get(name, ""))
                for name, recordings in manifest.recordings.items()
                for take, recording in name_takes(recordings)
            )
        )
    else:
        raise ValueError("name suites, a manifest with --manifest, or both")
    if not found.items:
        raise ValueError("no task has a recording; name their manifest with --manifest, or record some")
    return found


def _of_tasks(tasks: Sequence[Task], manifest: Manifest | None) -> DataSet:
    first: dict[str, Task] = {}
    for task in tasks:
        if task.id in first:
            raise ValueError(f"task {shown(task.id)} is in {first[task.id].path} and {task.path}; name one of them")
        first[task.id] = task
    items = [Item(task.id, take, one, task.spoken, task) for task in tasks for take, one in takes(task)]
    known = {*first, *(PurePosixPath(name).name for name in first)}
    listed = [] if manifest is None else [name for name, own in manifest.recordings.items() if own]
    return DataSet(tuple(items), tuple(tasks), tuple(name for name in listed if name not in known))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

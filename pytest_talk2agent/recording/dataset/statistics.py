"""What a data set covers: the paper's Table 1 for each suite, and how much each speaker gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pytest_talk2agent.analysis.paper import Collection, collection_of, measured
from pytest_talk2agent.recording.dataset.collection import DataSet, Item

UNKNOWN = "-"


@dataclass(frozen=True)
class Speaker:
    """One speaker: how many tasks and recordings, and their seconds; ``voice`` is empty for people."""

    name: str
    voice: str
    tasks: int
    recordings: int
    seconds: float
    median: float | None


@dataclass(frozen=True)
class Statistics:
    """``collections`` are suites and, where there are several, all of them together.

    ``complete`` says that every speaker recorded every task; ``unrecorded`` are tasks without a recording.
    """

    collections: tuple[Collection, ...]
    speakers: tuple[Speaker, ...]
    languages: tuple[str, ...]
    unrecorded: tuple[str, ...]
    complete: bool


def statistics_of(data: DataSet, length: Callable[[Path], float]) -> Statistics:
    """Measure a data set; ``length`` gives the seconds of a file, 0 where it is unknown."""
    suites = dict.fromkeys(task.suite for task in data.tasks)
    by_suite = {name: [task for task in data.tasks if task.suite == name] for name in suites}
    collections = [collection_of(name, tasks, length) for name, tasks in by_suite.items()]
    if len(collections) != 1:
        collections.append(_whole(data, length))
    names = {item.name for item in data.items}
    speakers = _speakers(data, length)
    recorded = len(data.tasks) or len(names)
    return Statistics(
        collections=tuple(collections),
        speakers=speakers,
        languages=tuple(sorted({item.language for item in data.items if item.language})),
        unrecorded=tuple(data.unrecorded),
        complete=all(one.tasks == recorded for one in speakers),
    )


def _whole(data: DataSet, length: Callable[[Path], float]) -> Collection:
    """All recordings as one collection; a manifest that stands alone has no task with intentions."""
    if data.tasks:
        return collection_of("all", data.tasks, length)
    names = dict.fromkeys(item.name for item in data.items)
    return measured("all", (0,) * len(names), [item.recording for item in data.items], length)


def _speakers(data: DataSet, length: Callable[[Path], float]) -> tuple[Speaker, ...]:
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in data.items:
        groups.setdefault((item.recording.speaker or UNKNOWN, item.recording.voice), []).append(item)
    found = []
    for (name, voice), items in sorted(groups.items()):
        seconds = [each for item in items if (each := length(item.recording.audio))]
        tasks = len({item.name for item in items})
        middle = median(seconds) if seconds else None
        found.append(Speaker(name, voice, tasks, len(items), sum(seconds), middle))
    return tuple(found)

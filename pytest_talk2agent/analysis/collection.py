"""What a collection of recordings holds (Talk2Agent, table 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Collection:
    """Tasks, speakers, recordings and their lengths in seconds; quartiles are linear between two recordings.

    ``intentions`` are those of each task. ``speakers`` counts names and is 0 where no recording says who speaks;
    ``missing`` are recordings that are not here, or whose header gives no length: no length counts them.
    """

    name: str
    tasks: int
    intentions: tuple[int, ...]
    speakers: int
    recordings: int
    seconds: float
    median: float | None
    quartiles: tuple[float, float] | None
    missing: int


def collection_of(name: str, tasks: Sequence[Task], length: Callable[[Path], float]) -> Collection:
    """Measure a collection; ``length`` gives the seconds of a file, 0 where it is unknown."""
    recordings = [recording for task in tasks for recording in task.recordings]
    lengths = [seconds for recording in recordings if (seconds := length(recording.audio))]
    low, _, high = quantiles(lengths, n=4, method="inclusive") if len(lengths) > 1 else (lengths * 3 or [0.0] * 3)
    return Collection(
        name=name,
        tasks=len(tasks),
        intentions=tuple(len(task.intentions) for task in tasks),
        speakers=len({recording.speaker for recording in recordings if recording.speaker}),
        recordings=len(recordings),
        seconds=sum(lengths),
        median=median(lengths) if lengths else None,
        quartiles=(low, high) if lengths else None,
        missing=len(recordings) - len(lengths),
    )

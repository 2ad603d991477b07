"""What a collection of recordings holds: counts, and lengths whose quartiles are known by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.collection import Collection, collection_of
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task


def task(name: str, recordings: Mapping[str, str | None], intentions: int = 1) -> Task:
    """A task with a recording by each file name, of the speaker that stands with it."""
    names = [f"i{number}" for number in range(intentions)]
    return Task(
        id=name,
        instruction="Say it.",
        intentions={one: {"say": "it", "kind": "term"} for one in names},
        value=f"all({', '.join(names)})",
        recordings=tuple(Recording(audio=Path(audio), speaker=who) for audio, who in recordings.items()),
        path=Path("tasks.yaml"),
        line=1,
        suite="mini",
    )


def measure(*tasks: Task, seconds: Mapping[str, float]) -> Collection:
    return collection_of("mini", tasks, lambda audio: seconds.get(audio.name, 0.0))


def test_tasks_intentions_speakers_and_lengths() -> None:
    found = measure(
        task("a", {"1.wav": "amy", "2.wav": "bo"}, intentions=3),
        task("b", {"3.wav": "amy", "4.wav": "cy"}, intentions=2),
        seconds={"1.wav": 10, "2.wav": 20, "3.wav": 30, "4.wav": 50},
    )
    # Linear between two of the sorted four: a quarter of the way is place 0.75, three quarters place 2.25.
    assert found == Collection("mini", 2, (3, 2), 3, 4, 110, 25, (17.5, 35.0), 0)


def test_what_is_not_here_is_counted_and_has_no_length() -> None:
    found = measure(task("a", {"1.wav": None, "2.wav": None, "3.wav": None}), seconds={"1.wav": 10, "3.wav": 20})
    assert (found.recordings, found.missing, found.seconds, found.median) == (3, 1, 30, 15)
    assert found.quartiles == (12.5, 17.5)
    assert found.speakers == 0


def test_one_recording_is_its_own_quartiles() -> None:
    found = measure(task("a", {"1.wav": "amy"}), seconds={"1.wav": 4})
    assert (found.median, found.quartiles, found.missing) == (4, (4, 4), 0)


@pytest.mark.parametrize("recordings", [{}, {"1.wav": "amy"}], ids=["none", "none-here"])
def test_without_a_length_there_is_no_median(recordings: Mapping[str, str | None]) -> None:
    found = measure(task("a", recordings), seconds={})
    assert (found.recordings, found.missing) == (len(recordings), len(recordings))
    assert (found.seconds, found.median, found.quartiles) == (0, None, None)

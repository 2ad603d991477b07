"""Statistics, and the card that is made of them."""

from __future__ import annotations

import statistics

import pytest
import yaml

from pytest_talk2agent.recording.dataset.audio_folder import COLUMNS
from pytest_talk2agent.recording.dataset.card import NOT_STATED, Stated, card_of
from pytest_talk2agent.recording.dataset.collection import DataSet, collect
from pytest_talk2agent.recording.dataset.statistics import statistics_of
from pytest_talk2agent.speech.audio import audio_seconds, read_audio
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.recording.dataset.conftest import Small


def test_statistics_are_those_of_the_sound(shipped: DataSet) -> None:
    found = statistics_of(shipped, audio_seconds)
    assert [(one.name, one.tasks, one.recordings) for one in found.collections] == [
        ("git", 6, 7),
        ("desktop", 8, 10),
        ("all", 14, 17),
    ]
    seconds = [read_audio(item.recording.audio).seconds for item in shipped.items]
    whole = found.collections[-1]
    assert whole.seconds == pytest.approx(sum(seconds))
    assert whole.median == pytest.approx(statistics.median(seconds))
    assert sum(one.recordings for one in found.speakers) == 17
    assert sum(one.seconds for one in found.speakers) == pytest.approx(sum(seconds))
    assert (found.complete, found.unrecorded, found.languages) == (False, (), ("en",))


def test_a_manifest_alone_has_statistics_too(filled: Small) -> None:
    found = statistics_of(collect([], read_manifest(filled.manifest)), audio_seconds)
    assert [(one.name, one.tasks, one.recordings, one.speakers) for one in found.collections] == [("all", 2, 3, 2)]
    assert [(one.name, one.voice, one.tasks) for one in found.speakers] == [("amy", "", 2), ("tone", "flite:rms", 1)]
    assert not found.complete


def parts(card: str) -> tuple[dict[str, object], str]:
    _, front, body = card.split("---\n", 2)
    return yaml.safe_load(front), body


def test_a_card_says_what_was_measured_and_stated(filled: Small) -> None:
    found = statistics_of(filled.data(), audio_seconds)
    stated = Stated("Desk: commands", "cc-by-4.0", "I agree.", "Written by us.")
    front, body = parts(card_of(found, ["| table |"], stated))
    assert front["pretty_name"] == "Desk: commands"
    assert (front["license"], front["language"], front["size_categories"]) == ("cc-by-4.0", ["en"], ["n<1K"])
    assert front["configs"] == [{"config_name": "default", "data_files": [{"split": "test", "path": "test/**"}]}]
    for text in ("| table |", "I agree.", "Written by us.", "| tone | `flite:rms` | 1 | 1 |"):
        assert text in body
    assert NOT_STATED not in body
    assert all(f"| `{name}` |" in body for name in COLUMNS)


def test_a_card_says_what_nobody_stated(filled: Small) -> None:
    found = statistics_of(filled.data(), audio_seconds)
    front, body = parts(card_of(found, [], Stated("x"), audio_folder=False))
    assert front["license"] == "unknown"
    assert body.count(NOT_STATED) == 3
    assert "configs" not in front
    assert "## Columns" not in body

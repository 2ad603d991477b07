"""Copies of a recording are found, and other recordings are not."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from numpy.typing import NDArray

from pytest_talk2agent.recording.dataset.likeness import ALIKE, alike, drawing_of
from pytest_talk2agent.speech.audio import read_audio
from tests.recording.dataset.conftest import suite

Sound = NDArray[np.float32]
SOUNDS = [read_audio(one.audio).samples for task in suite("git", "office") for one in task.recordings]


def _mp3(sound: Sound) -> Any:
    stream = io.BytesIO()
    soundfile.write(stream, sound, 16_000, format="MP3")
    stream.seek(0)
    return soundfile.read(stream, dtype="float32")[0]


def _noisy(sound: Sound) -> Any:
    noise = np.random.default_rng(1).standard_normal(len(sound))
    return sound + noise * np.sqrt(np.mean(np.square(sound)) / 10**2.0)


COPIES: dict[str, Callable[[Sound], Any]] = {
    "quieter": lambda sound: sound / 10,
    "mp3": _mp3,
    "telephone": lambda sound: soxr.resample(soxr.resample(sound, 16_000, 8_000), 8_000, 16_000),
    "silence around it": lambda sound: np.pad(sound, (23_456, 7_000)),
    "a start that is lost": lambda sound: sound[4_800:],
    "noise at 20 dB": _noisy,
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_copy_is_found(copy: Callable[[Sound], Any]) -> None:
    for number, sound in enumerate(SOUNDS):
        drawings = [*map(drawing_of, SOUNDS), drawing_of(copy(sound).astype(np.float32))]
        assert [(pair.first, pair.second) for pair in alike(drawings)] == [(number, len(SOUNDS))]


def test_the_shift_of_a_copy_is_known() -> None:
    [pair] = alike([drawing_of(SOUNDS[0]), drawing_of(SOUNDS[0])])
    assert (round(pair.likeness, 3), pair.shift) == (1.0, 0.0)


def test_recordings_that_differ_are_far_below() -> None:
    assert [*alike([drawing_of(sound) for sound in SOUNDS], least=ALIKE - 0.3)] == []


@pytest.mark.parametrize("count", [1, 900, 1024, 1025])
def test_the_shortest_recordings_do_no_harm(count: int) -> None:
    noise = np.random.default_rng(0).standard_normal((2, count)).astype(np.float32)
    assert all(np.isfinite(pair.likeness) for pair in alike([drawing_of(one) for one in noise], least=-2))

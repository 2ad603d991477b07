from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.speech.chunks import Chunk, cut_at_pauses

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

Sound = Callable[[float], "Samples"]

RATE = 8000


def speech(seconds: float, seed: int = 0) -> Samples:
    noise = np.random.default_rng(seed).uniform(0.1, 0.5, round(seconds * RATE))
    return (noise * np.where(np.arange(len(noise)) % 2, 1, -1)).astype(np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


def faint(seconds: float) -> Samples:
    return (speech(seconds, 9) * 0.002).astype(np.float32)


def seconds(chunks: list[Chunk]) -> list[tuple[float, float]]:
    return [(chunk.begin / RATE, chunk.end / RATE) for chunk in chunks]


@pytest.mark.parametrize("window", [4.0, 30.0, math.inf])
def test_sound_that_fits_stays_whole(window: float) -> None:
    assert seconds(cut_at_pauses(speech(4), RATE, window)) == [(0, 4)]


@pytest.mark.parametrize("pause", [silence, faint], ids=["digital", "faint"])
def test_the_cut_lies_in_the_pause_of_the_second_half(pause: Sound) -> None:
    samples = np.concatenate([speech(2), pause(0.2), speech(2), pause(0.2), speech(3)])
    cuts = seconds(cut_at_pauses(samples, RATE, 5.0))
    # The pause at 2.0 s lies in the first half of the window.
    assert len(cuts) == 2
    assert cuts[0][0] == 0
    assert 4.2 < cuts[0][1] < 4.4
    assert cuts[1] == (cuts[0][1], 7.4)


def test_the_quieter_of_two_pauses_is_cut() -> None:
    samples = np.concatenate([speech(3), faint(0.3), speech(1), silence(0.15), speech(3)])
    [first, _] = seconds(cut_at_pauses(samples, RATE, 5.0))
    assert 4.3 < first[1] < 4.45


def test_of_equal_pauses_the_last_is_cut_in_its_middle() -> None:
    samples = np.concatenate([speech(2.8), silence(0.2), speech(1), silence(0.4), speech(3)])
    [first, second] = seconds(cut_at_pauses(samples, RATE, 5.0))
    assert 4.19 < first[1] < 4.21
    assert second == (first[1], 7.4)


def test_sound_without_a_pause_is_cut_within_the_window() -> None:
    chunks = cut_at_pauses(speech(20), RATE, 6.0)
    assert all(3 * RATE <= chunk.end - chunk.begin <= 6 * RATE for chunk in chunks[:-1])
    assert [chunk.end for chunk in chunks[:-1]] == [chunk.begin for chunk in chunks[1:]]
    assert (chunks[0].begin, chunks[-1].end) == (0, 20 * RATE)


def test_some_silence_stays_at_the_ends() -> None:
    assert seconds(cut_at_pauses(np.concatenate([silence(2), speech(1), silence(3)]), RATE, 30.0)) == [(1.7, 3.3)]
    short = np.concatenate([silence(0.2), speech(1), silence(0.1)])
    assert seconds(cut_at_pauses(short, RATE, 30.0)) == [(0, 1.3)]


def test_a_long_silence_in_the_middle_is_in_no_chunk() -> None:
    samples = np.concatenate([speech(4), silence(20), speech(4)])
    assert seconds(cut_at_pauses(samples, RATE, 5.0)) == [(0, 4.3), (23.7, 28)]


def test_the_last_bit_of_16_counts_as_silence() -> None:
    dither = (np.random.default_rng(1).integers(-1, 2, RATE) / 32768).astype(np.float32)
    assert cut_at_pauses(dither, RATE, 30.0) == []
    assert cut_at_pauses(dither * 2, RATE, 30.0) == [Chunk(0, RATE)]


def test_nothing_but_silence_gives_no_chunk() -> None:
    assert cut_at_pauses(silence(70), RATE, 30.0) == []
    assert cut_at_pauses(silence(0), RATE, 30.0) == []


@pytest.mark.parametrize("window", [0.0, 0.99, -1.0, math.nan])
def test_a_window_without_room_for_a_pause_is_refused(window: float) -> None:
    with pytest.raises(ValueError, match="at least 1 s"):
        cut_at_pauses(speech(1), RATE, window)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([speech, silence, faint]), st.floats(0.01, 3)), max_size=8),
    st.sampled_from([1.0, 1.7, 5.0, math.inf]),
)
def test_no_sound_is_lost_or_doubled(parts: list[tuple[Sound, float]], window: float) -> None:
    samples = np.concatenate([silence(0), *(part(length) for part, length in parts)])
    chunks = cut_at_pauses(samples, RATE, window)
    heard = np.zeros(len(samples), dtype=int)
    for chunk in chunks:
        assert 0 < chunk.end - chunk.begin <= window * RATE
        heard[chunk.begin : chunk.end] += 1
    assert heard.max(initial=0) <= 1
    assert not samples[heard == 0].any()
    assert chunks == sorted(chunks, key=lambda chunk: chunk.begin)
    assert chunks == cut_at_pauses(samples, RATE, window)

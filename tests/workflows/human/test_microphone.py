from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.agents.voice import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE
from pytest_talk2agent.workflows.human.microphone import HELD_MS, MOST_MS, RATES, Microphone

MS = SAMPLE_RATE // 1000


@given(st.lists(st.lists(st.integers(1, 3_001), max_size=4), min_size=1, max_size=60))
def test_samples_go_out_once_in_order_or_are_counted(pieces: list[list[int]]) -> None:
    """Pieces come between frames: what goes out is what came, without what was left out, plus counted silence."""
    microphone = Microphone(SAMPLE_RATE)
    rest, value, came, out = b"", 1, 0, []
    for group in pieces:
        for size in group:
            while len(rest) < size:
                rest += (value % 30_000 + 1).to_bytes(2, "little")
                value += 1
            microphone.put(rest[:size])
            came, rest = came + size, rest[size:]
        out.append(microphone.pull())
    sound = np.concatenate(out)
    assert len(sound) == len(pieces) * FRAME_SAMPLES
    heard = sound[sound != 0].astype(int)
    jumps = [later - earlier - 1 for earlier, later in pairwise(heard) if later > earlier]
    skipped = sum(jumps) + (int(heard[0]) - 1 if len(heard) else 0)
    assert skipped // MS <= microphone.dropped_ms <= skipped // MS + len(pieces)
    if len(heard):
        first = int(np.flatnonzero(sound)[0])
        silent = int((sound[first:] == 0).sum()) // MS
        assert silent == microphone.lacking_ms
    assert len(heard) + skipped <= came // 2


def test_a_pile_is_left_out_and_counted() -> None:
    microphone = Microphone(SAMPLE_RATE)
    microphone.put(b"\1\0" * (MS * (MOST_MS + 60)))
    assert microphone.pull().all()
    assert microphone.dropped_ms == MOST_MS + 60 - HELD_MS


def test_a_hole_is_silence_and_counted_from_the_first_sound_on() -> None:
    microphone = Microphone(SAMPLE_RATE)
    for _ in range(10):
        assert not microphone.pull().any()
    assert (microphone.lacking_ms, microphone.silent_ms) == (0, 10 * FRAME_MS)
    microphone.put(b"\1\0" * (MS * HELD_MS))
    for _ in range(HELD_MS // FRAME_MS):
        assert microphone.pull().all()
    assert not microphone.pull().any()
    assert microphone.lacking_ms == FRAME_MS


@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000])
def test_another_rate_is_the_same_sound(rate: int) -> None:
    wave = np.sin(np.arange(rate) * 2 * np.pi * 300 / rate)
    pcm = (wave * 10_000).astype("<i2").tobytes()
    microphone = Microphone(rate)
    out = []
    for start in range(0, len(pcm), 1_001):
        microphone.put(pcm[start : start + 1_001])
        if start // 1_001 > 10 * rate // 48_000:
            out.append(microphone.pull())
    sound = np.concatenate(out).astype(float)
    loud = sound[np.flatnonzero(sound)[0] :]
    spectrum = np.abs(np.fft.rfft(loud * np.hanning(len(loud))))
    assert abs(spectrum.argmax() * SAMPLE_RATE / len(loud) - 300) < 10


def test_what_came_before_the_call_is_no_part_of_it() -> None:
    microphone = Microphone(SAMPLE_RATE)
    microphone.put(b"\1\0" * (MS * 300))
    microphone.forget()
    assert not microphone.pull().any()


@pytest.mark.parametrize("rate", [0, -1, RATES[0] - 1, RATES[1] + 1])
def test_an_impossible_rate_is_refused(rate: int) -> None:
    with pytest.raises(ValueError, match="samples a second"):
        Microphone(rate)

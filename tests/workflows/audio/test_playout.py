from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_talk2agent.workflows.agents.voice import FRAME_SAMPLES, SAMPLE_RATE
from pytest_talk2agent.workflows.audio.playout import DRY_FRAMES, Playout

Pcm = NDArray[np.int16]


def noise(samples: int, seed: int = 0) -> Pcm:
    return np.random.default_rng(seed).integers(-20_000, 20_000, samples).astype(np.int16)


def pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    """The bytes in pieces of these sizes, which may be odd, and what is left as the last one."""
    found, place = [], 0
    for size in sizes:
        found.append(data[place : place + size])
        place += size
    return [*found, data[place:]]


def played(buffer: Playout) -> Pcm:
    """All that is queued, in frames, without the silence after it."""
    frames = []
    while buffer.queued:
        frames.append(buffer.pull())
    samples = np.concatenate([frame.samples for frame in frames]) if frames else np.zeros(0, np.int16)
    return samples[: sum(part.count for frame in frames for part in frame.parts)]


@given(st.lists(st.integers(0, 700), max_size=30), st.integers(0, 3000))
def test_nothing_is_lost_and_nothing_played_twice(sizes: list[int], samples: int) -> None:
    sound = noise(samples)
    buffer = Playout()
    for piece in pieces(sound.tobytes(), sizes):
        buffer.put(piece)
    assert np.array_equal(played(buffer), sound)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([8_000, 11_025, 16_000, 22_050, 44_100, 48_000]),
    st.lists(st.integers(1, 2_000), max_size=20),
    st.integers(1, 6_000),
)
def test_any_pieces_of_another_rate_are_the_same_samples(rate: int, sizes: list[int], samples: int) -> None:
    data = noise(samples).tobytes()
    whole, parts = Playout(), Playout()
    whole.put(data, rate)
    for piece in pieces(data, sizes):
        parts.put(piece, rate)
    whole.complete()
    parts.complete()
    one = played(whole)
    assert np.array_equal(one, played(parts))
    assert abs(len(one) - samples * SAMPLE_RATE / rate) <= 1


@given(st.lists(st.integers(0, 1500), max_size=8), st.lists(st.integers(1, 1000), max_size=12))
def test_pulls_of_any_size_give_the_samples_in_order(sounds: list[int], pulls: list[int]) -> None:
    buffer = Playout()
    given_ = [noise(samples, seed) for seed, samples in enumerate(sounds)]
    for number, sound in enumerate(given_):
        buffer.put(sound.tobytes(), name=f"i{number}")
    found = []
    for count in [*pulls, 20_000]:
        frame = buffer.pull(count)
        assert len(frame.samples) == count
        found += [frame.samples[part.start : part.start + part.count] for part in frame.parts]
    expected = np.concatenate(given_) if given_ else np.zeros(0, np.int16)
    assert np.array_equal(np.concatenate(found) if found else np.zeros(0, np.int16), expected)
    assert [item.played for item in buffer.items] == [item.received for item in buffer.items]


@given(st.integers(0, 5), st.lists(st.integers(1, 2000), min_size=1, max_size=5))
def test_a_flush_keeps_what_was_played_and_counts_the_rest(frames: int, sounds: list[int]) -> None:
    buffer = Playout()
    for number, samples in enumerate(sounds):
        buffer.put(noise(samples, number).tobytes(), name=f"i{number}")
    before = sum(len(buffer.pull().parts) and FRAME_SAMPLES for _ in range(frames))
    items = list(buffer.items)
    cut = buffer.flush()
    total = sum(sounds)
    assert buffer.queued == 0
    assert sum(item.played for item in items) == min(before, total)
    assert sum(item.dropped for item in items) == total - min(before, total)
    assert all(item.over for item in items)
    assert all(item.cut for item in cut)
    assert not buffer.pull().parts


def test_an_utterance_is_over_once_it_is_complete_and_played() -> None:
    buffer = Playout()
    item = buffer.put(noise(FRAME_SAMPLES).tobytes(), name="a")
    buffer.pull()
    assert not item.over
    buffer.complete()
    assert (item.over, item.cut) == (True, False)
    buffer.forget()
    assert buffer.items == []


def test_sound_after_an_utterance_was_complete_is_another_one() -> None:
    buffer = Playout()
    first = buffer.put(noise(10).tobytes(), name="a")
    buffer.complete()
    assert buffer.put(noise(10).tobytes(), name="a") is not first


def test_half_a_sample_waits_for_its_other_half() -> None:
    buffer = Playout()
    item = buffer.put(b"\x01")
    assert (item.received, buffer.queued) == (0, 0)
    buffer.put(b"\x02\x03")
    assert item.received == 1
    assert buffer.pull(1).samples.tolist() == [0x0201]


def test_a_resampler_gives_what_it_held_back_once_nothing_comes_any_more() -> None:
    buffer = Playout()
    item = buffer.put(noise(8_000).tobytes(), 8_000)
    while buffer.queued:
        buffer.pull()
    short = item.received
    for _ in range(DRY_FRAMES):
        buffer.pull()
    assert short < item.received == 24_000


def test_a_tone_keeps_its_pitch_at_every_rate() -> None:
    for rate in (8_000, 16_000, 48_000):
        wave = (np.sin(np.arange(rate) * (2 * np.pi * 440 / rate)) * 10_000).astype("<i2")
        buffer = Playout()
        buffer.put(wave.tobytes(), rate)
        buffer.complete()
        spectrum = np.abs(np.fft.rfft(played(buffer)[:SAMPLE_RATE].astype(float)))
        assert int(spectrum.argmax()) == pytest.approx(440, abs=1)

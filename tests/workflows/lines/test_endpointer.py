from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.agents.voice import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES
from pytest_talk2agent.workflows.lines.endpointer import LEAST_DBFS, Endpointer, loudness
from tests.workflows.lines.driving import quiet, speech


def edges(frames: list[bytes], end_ms: int = 700) -> list[tuple[int, str]]:
    ears = Endpointer(end_ms)
    heard = ((number * FRAME_MS, ears.hear(frame)) for number, frame in enumerate(frames, 1))
    return [(now, edge) for now, edge in heard if edge is not None]


def noise(ms: int, dbfs: float, seed: int = 1) -> list[bytes]:
    samples = np.random.default_rng(seed).normal(0, 32768 * 10 ** (dbfs / 20), ms // FRAME_MS * FRAME_SAMPLES)
    sound = np.clip(samples, -32768, 32767).astype("<i2").tobytes()
    return [sound[start : start + FRAME_BYTES] for start in range(0, len(sound), FRAME_BYTES)]


def test_a_turn_has_an_onset_and_an_end() -> None:
    assert edges(quiet(1000) + speech(1000) + quiet(1000)) == [(1060, "onset"), (2700, "turn")]


def test_a_murmur_is_no_turn() -> None:
    assert [edge for _, edge in edges(quiet(1000) + speech(200) + quiet(1000))] == ["onset", "murmur"]


def test_a_pause_within_a_turn_does_not_end_it() -> None:
    assert [edge for _, edge in edges(quiet(500) + speech(600) + quiet(500) + speech(600) + quiet(800))] == [
        "onset",
        "turn",
    ]


def test_steady_noise_is_no_voice_once_it_is_known() -> None:
    frames = quiet(200) + noise(8000, -35) + speech(1000) + noise(2000, -35)
    voiced = [(now, edge) for now, edge in edges(frames) if now > 5000]
    assert [edge for _, edge in voiced] == ["onset", "turn"]
    assert voiced[0][0] == pytest.approx(8260, abs=40)


@given(st.lists(st.sampled_from([quiet(20), speech(200), noise(200, -40)]), max_size=60))
def test_edges_take_turns(pieces: list[list[bytes]]) -> None:
    found = [edge for _, edge in edges(list(chain.from_iterable(pieces)), 200)]
    assert found[::2] == ["onset"] * len(found[::2])
    assert set(found[1::2]) <= {"turn", "murmur"}


def test_loudness_is_that_of_the_samples() -> None:
    assert loudness(b"") == LEAST_DBFS
    assert loudness(b"\0" * 100) == LEAST_DBFS
    assert loudness(b"\xff\x7f" * 100) == pytest.approx(0, abs=0.01)
    assert loudness((3277).to_bytes(2, "little") * 100 + b"\1") == pytest.approx(-20, abs=0.01)

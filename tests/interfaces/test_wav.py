from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import soundfile

from pytest_talk2agent.interfaces.wav import wav_bytes
from pytest_talk2agent.speech.audio import read_audio
from tests.interfaces.recordings import utterances


def test_samples_of_16_bits_come_out_as_they_were() -> None:
    path = utterances()[0].path
    assert path is not None
    audio = read_audio(path)
    before, rate = soundfile.read(path, dtype="int16")
    after, rate_after = soundfile.read(io.BytesIO(wav_bytes(audio)), dtype="int16")
    assert (rate, rate_after) == (16_000, 16_000)
    np.testing.assert_array_equal(before, after)


def test_full_scale_and_beyond_do_not_wrap_around() -> None:
    path = utterances()[0].path
    assert path is not None
    loud = np.array([0.0, 1.0, 1.2, -1.0, -1.2, 0.5], dtype=np.float32)
    data = wav_bytes(replace(read_audio(path), samples=loud, rate=8_000))
    after, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate == 8_000
    assert after.tolist() == [0, 32767, 32767, -32768, -32768, 16384]
    assert soundfile.info(io.BytesIO(data)).subtype == "PCM_16"

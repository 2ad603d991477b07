"""White noise at a known ratio, the same every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.speech.noise import SILENCE_SECONDS, SoundSwitches, silence, with_noise
from tests.conftest import write_tone


@pytest.mark.parametrize("snr", [20.0, 5.0, 0.0])
def test_the_ratio_is_what_was_asked_for(tmp_path: Path, snr: float) -> None:
    clean = read_audio(write_tone(tmp_path / "tone.wav", seconds=2.0))
    noise = with_noise(clean, snr).samples - clean.samples
    measured = 10 * np.log10(np.mean(np.square(clean.samples)) / np.mean(np.square(noise)))
    assert measured == pytest.approx(snr, abs=0.3)


def test_the_noise_is_that_of_the_recording(tmp_path: Path) -> None:
    one = read_audio(write_tone(tmp_path / "one.wav"))
    other = read_audio(write_tone(tmp_path / "other.wav", 500.0))
    assert (with_noise(one, 5).samples == with_noise(one, 5).samples).all()
    difference = (with_noise(one, 5).samples - one.samples) - (with_noise(other, 5).samples - other.samples)
    assert np.abs(difference).max() > 0.01


def test_samples_stay_in_range_and_cannot_be_changed(tmp_path: Path) -> None:
    noisy = with_noise(read_audio(write_tone(tmp_path / "tone.wav")), -20)
    assert np.abs(noisy.samples).max() <= 1
    assert noisy.samples.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        noisy.samples[0] = 0


def test_silence_is_faint_and_always_the_same() -> None:
    audio = silence()
    assert len(audio.samples) == SILENCE_SECONDS * audio.rate
    assert 20 * np.log10(np.sqrt(np.mean(np.square(audio.samples)))) == pytest.approx(-50, abs=0.2)
    assert audio.sha256 == silence().sha256


def test_a_ratio_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="audio_snr_db must be a number of dB"):
        SoundSwitches(float("nan"))

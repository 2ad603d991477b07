"""The ratio of noise is what was asked for, whatever the noise is made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.speech.acoustics.chain import heard_in
from pytest_talk2agent.speech.acoustics.effect import Sound
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound
from pytest_talk2agent.speech.audio import Audio, read_audio
from tests.speech.acoustics.conftest import FIXTURES

RECORDINGS = sorted(FIXTURES.glob("*/*.flac"))


def measured(clean: Audio, heard: Audio) -> float:
    """The ratio in dB, of a recording so quiet that nothing had to be made quieter."""
    before, after = clean.samples.astype(np.float64), heard.samples.astype(np.float64)
    noise = after - before
    return float(10 * np.log10(np.mean(np.square(before)) / np.mean(np.square(noise))))


def quiet(path: Path) -> Audio:
    audio = read_audio(path)
    return replace(audio, samples=audio.samples * np.float32(0.05))


def spectrum(sound: Sound, rate: int, low: float, high: float) -> float:
    """The mean power between two frequencies."""
    power = np.abs(np.fft.rfft(sound)) ** 2
    frequency = np.fft.rfftfreq(len(sound), 1 / rate)
    return float(np.mean(power[(frequency >= low) & (frequency < high)]))


@pytest.mark.parametrize("name", ["white", "pink", "babble", "tv", "noise"])
@pytest.mark.parametrize("snr", [20, 5, 0, -5])
def test_the_ratio_is_what_was_asked_for(name: str, snr: int, noises: Path) -> None:
    condition = parse_sound(f"{name}={noises}@{snr}dB" if name == "noise" else f"{name}@{snr}dB")
    for path in RECORDINGS[::9]:
        clean = quiet(path)
        heard = heard_in(clean, condition)
        assert measured(clean, heard) == pytest.approx(snr, abs=0.2)


@settings(max_examples=25)
@given(st.floats(-10, 40), st.integers(0, 10), st.sampled_from(["white", "pink", "babble"]))
def test_any_ratio(snr: float, which: int, name: str) -> None:
    clean = quiet(RECORDINGS[which])
    heard = heard_in(clean, parse_sound(f"{name}@{snr:.1f}dB"))
    assert measured(clean, heard) == pytest.approx(float(f"{snr:.1f}"), abs=0.2)


def test_what_passes_full_scale_is_made_quieter_as_a_whole(speech: Audio) -> None:
    loud, low = (heard_in(audio, parse_sound("white@-20dB")) for audio in (speech, quiet(speech.path)))
    assert np.abs(low.samples).max() < 1
    assert np.abs(loud.samples).max() == 1
    assert np.corrcoef(loud.samples, low.samples)[0, 1] > 0.9999


def test_silence_before_the_speech_does_not_count(speech: Audio) -> None:
    noise = heard_in(speech, parse_sound("gap@10s,white@5dB")).samples[: 10 * speech.rate]
    ratio = 10 * np.log10(np.mean(np.square(speech.samples, dtype=float)) / np.mean(np.square(noise, dtype=float)))
    assert ratio == pytest.approx(5, abs=0.2)


def test_pink_noise_falls_with_frequency_and_white_does_not(speech: Audio) -> None:
    def tilt(name: str) -> float:
        noise = heard_in(speech, parse_sound(f"{name}@-40dB")).samples.astype(np.float64)
        return float(10 * np.log10(spectrum(noise, 16_000, 500, 600) / spectrum(noise, 16_000, 5000, 6000)))

    assert tilt("pink") == pytest.approx(10, abs=1)
    assert tilt("white") == pytest.approx(0, abs=1)


def test_every_draw_is_the_same_and_another_seed_gives_another(speech: Audio) -> None:
    for name in ("white", "pink", "babble", "tv"):
        first = heard_in(speech, parse_sound(f"{name}@5dB"))
        assert (first.samples == heard_in(speech, parse_sound(f"{name}@5dB")).samples).all()
        assert (first.samples != heard_in(speech, parse_sound(f"{name}@5dB,seed@1")).samples).any()


def test_a_damaged_talker_is_named(tmp_path: Path, speech: Audio) -> None:
    (tmp_path / "broken.wav").write_bytes(b"RIFF nothing")
    with pytest.raises(ValueError, match=r"broken\.wav"):
        heard_in(speech, parse_sound(f"babble={tmp_path}@5dB"))

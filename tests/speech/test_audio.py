"""What is read: every format, channel count, sample type and rate comes out as the same mono float32 sound."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pytest_talk2agent.speech.audio import audio_seconds, read_audio

RATE = 16_000
Sound = NDArray[np.float64]


def sweep(rate: int = RATE, seconds: float = 1.0) -> Sound:
    """A tone that rises through the speech band and swells, band-limited so that resampling keeps it."""
    time = np.arange(int(rate * seconds)) / rate
    tone: Sound = 0.4 * np.sin(2 * np.pi * (200 * time + 900 * time**2)) * np.sin(np.pi * time / seconds)
    return tone


@pytest.mark.parametrize(
    ("name", "container", "subtype"),
    [
        ("a.wav", "WAV", "PCM_16"),
        ("a.wav", "WAV", "PCM_24"),
        ("a.wav", "WAV", "PCM_32"),
        ("a.wav", "WAV", "PCM_U8"),
        ("a.wav", "WAV", "FLOAT"),
        ("a.wav", "WAV", "DOUBLE"),
        ("a.wav", "RF64", "PCM_16"),
        ("a.flac", "FLAC", "PCM_16"),
        ("a.flac", "FLAC", "PCM_24"),
    ],
)
def test_lossless_formats_hold_the_same_sound(tmp_path: Path, name: str, container: str, subtype: str) -> None:
    path = tmp_path / name
    soundfile.write(path, sweep(), RATE, format=container, subtype=subtype)
    audio = read_audio(path)
    assert audio.samples.dtype == np.float32
    assert audio.samples.shape == (RATE,)
    assert audio.source_format == f"{container}/{subtype}"
    assert np.abs(audio.samples - sweep()).max() < (0.01 if subtype == "PCM_U8" else 1e-4)


@pytest.mark.parametrize(
    ("name", "container", "subtype"),
    [("a.ogg", "OGG", "VORBIS"), ("a.opus", "OGG", "OPUS"), ("a.mp3", "MP3", "MPEG_LAYER_III")],
)
def test_lossy_formats_hold_nearly_the_same_sound(tmp_path: Path, name: str, container: str, subtype: str) -> None:
    path = tmp_path / name
    soundfile.write(path, sweep(seconds=2), RATE, format=container, subtype=subtype)
    audio = read_audio(path)
    assert audio.seconds == pytest.approx(2, abs=0.1)
    reference = sweep(seconds=2)[: len(audio.samples)]
    assert np.corrcoef(audio.samples[: len(reference)], reference)[0, 1] > 0.98


def test_stereo_48_khz_int16_equals_mono_16_khz(tmp_path: Path) -> None:
    wide = sweep(48_000)
    soundfile.write(tmp_path / "wide.wav", np.column_stack([1.2 * wide, 0.8 * wide]), 48_000, subtype="PCM_16")
    soundfile.write(tmp_path / "plain.wav", sweep(), RATE, subtype="FLOAT")
    wide_audio, plain = read_audio(tmp_path / "wide.wav"), read_audio(tmp_path / "plain.wav")
    assert (wide_audio.source_channels, wide_audio.source_rate, wide_audio.rate) == (2, 48_000, RATE)
    assert wide_audio.seconds == plain.seconds == 1
    assert len(wide_audio.samples) == len(plain.samples)
    assert np.abs(wide_audio.samples - plain.samples).max() < 1e-3


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 44_100])
def test_other_rates_are_resampled(tmp_path: Path, rate: int) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(rate), rate, subtype="FLOAT")
    audio = read_audio(tmp_path / "a.wav")
    assert audio.seconds == pytest.approx(1)
    assert len(audio.samples) == pytest.approx(RATE, abs=2)
    # The ends ring, as any band-limited resampling does.
    assert np.abs(audio.samples[200:-200] - sweep()[200 : len(audio.samples) - 200]).max() < 2e-3


def test_hashes_are_of_the_bytes_and_of_the_sound(tmp_path: Path) -> None:
    for name in ("a.wav", "a.flac"):
        soundfile.write(tmp_path / name, (20_000 * sweep()).astype(np.int16), RATE)
    soundfile.write(tmp_path / "other.wav", 0.5 * sweep(), RATE, subtype="PCM_16")
    wav, flac, other = (read_audio(tmp_path / name) for name in ("a.wav", "a.flac", "other.wav"))
    assert wav.sha256 == hashlib.sha256((tmp_path / "a.wav").read_bytes()).hexdigest()
    assert wav.sha256 != flac.sha256
    assert wav.samples_sha256 == flac.samples_sha256 != other.samples_sha256


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE, format="FLAC", subtype="PCM_16")
    assert read_audio(tmp_path / "a.wav").source_format == "FLAC/PCM_16"


def test_levels(tmp_path: Path) -> None:
    square = np.where(np.arange(RATE) % 100 < 50, 0.5, -0.5)
    soundfile.write(tmp_path / "a.wav", square + 0.25, RATE, subtype="FLOAT")
    audio = read_audio(tmp_path / "a.wav")
    assert audio.peak_dbfs == pytest.approx(-6.02, abs=0.01)
    assert (audio.clipped, audio.notes) == (0, ())


def test_heavy_clipping_is_a_note(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.clip(4 * sweep(), -1, 1), RATE, subtype="PCM_16")
    audio = read_audio(tmp_path / "a.wav")
    assert 0.1 < audio.clipped < 0.9
    assert audio.notes == (f"{audio.clipped:.1%} of the samples are clipped",)


def test_a_declared_hash_that_is_right_is_accepted_in_either_case(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE)
    digest = hashlib.sha256((tmp_path / "a.wav").read_bytes()).hexdigest()
    assert read_audio(tmp_path / "a.wav", sha256=digest.upper()).sha256 == digest


def test_reading_twice_gives_the_same_samples_and_they_cannot_be_changed(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(44_100), 44_100)
    first, second = read_audio(tmp_path / "a.wav"), read_audio(tmp_path / "a.wav")
    assert np.array_equal(first.samples, second.samples)
    with pytest.raises(ValueError, match="read-only"):
        first.samples[0] = 1


def test_the_length_is_known_without_decoding(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", sweep(seconds=1.5), RATE)
    assert audio_seconds(tmp_path / "a.flac") == 1.5

"""Rooms, lines, codecs and lost packets do what their names say."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_talk2agent.speech.acoustics.chain import heard_in
from pytest_talk2agent.speech.acoustics.effect import Setting, Sound
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound
from pytest_talk2agent.speech.audio import Audio
from tests.speech.acoustics.test_noise import spectrum

RATE = 16_000


def after(text: str, sound: Sound) -> Sound:
    [effect] = parse_sound(text).effects
    process = effect.begin(Setting(RATE, float(np.mean(np.square(sound))), float(np.abs(sound).max()), 3, len(sound)))
    return np.concatenate([process.push(sound), process.end()])


@pytest.mark.parametrize("seconds", [0.2, 0.4, 1.0])
def test_a_room_dies_away_by_60_db_in_its_time(seconds: float) -> None:
    click = np.zeros(RATE)
    click[0] = 1
    response = after(f"reverb@{seconds}s", click)[1:]
    left = 10 * np.log10(np.cumsum(np.square(response)[::-1])[::-1])  # Schroeder's backward integration
    left -= left[0]
    begin, end = (int(np.argmax(left < level)) for level in (-5, -25))
    assert 3 * (end - begin) / RATE == pytest.approx(seconds, rel=0.15)


def test_a_telephone_keeps_300_to_3400_hz() -> None:
    noise = 0.1 * np.random.default_rng(0).standard_normal(10 * RATE)
    heard = after("phone", noise)
    within = spectrum(heard, RATE, 500, 3000)
    assert spectrum(heard, RATE, 20, 150) < within / 100
    assert spectrum(heard, RATE, 4200, 8000) < within / 1000
    assert within == pytest.approx(spectrum(noise, RATE, 500, 3000), rel=0.2)


@pytest.mark.parametrize("text", ["mulaw", "alaw", "gsm", "opus@24kbps", "mp3@48kbps", "mp3@24kbps"])
def test_a_codec_gives_the_same_speech_at_the_same_time(text: str, speech: Audio) -> None:
    clean, heard = (audio.samples.astype(np.float64) for audio in (speech, heard_in(speech, parse_sound(text))))
    assert len(heard) == len(clean)
    size = 2 * len(clean)
    match = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(clean, size)))
    assert int(np.argmax(match)) in (0, 1, size - 1)
    assert match.max() / np.sqrt(np.sum(clean**2) * np.sum(heard**2)) > 0.9


@pytest.mark.parametrize("codec", ["opus", "mp3"])
def test_fewer_bits_are_a_worse_copy(codec: str, speech: Audio) -> None:
    def error(kbps: int) -> float:
        heard = heard_in(speech, parse_sound(f"{codec}@{kbps}kbps")).samples
        return float(np.mean(np.square(heard - speech.samples, dtype=float)))

    assert error(8) > 2 * error(64)


@pytest.mark.parametrize("text", ["loss@20%", "bursts@20%"])
def test_as_many_packets_are_lost_as_were_asked_for(text: str) -> None:
    packets = np.repeat(np.arange(1.0, 5001.0), 320)
    heard = after(text, packets)[::320]
    lost = heard != np.arange(1, 5001)
    assert lost.mean() == pytest.approx(0.2, abs=0.03)
    runs = lost.sum() / max(1, np.count_nonzero(np.diff(lost.astype(int)) == 1))
    assert runs == pytest.approx(5 if text.startswith("bursts") else 1.25, rel=0.15)


def test_a_lost_packet_is_the_last_one_at_half_its_level() -> None:
    packets = np.repeat(np.arange(1.0, 501.0), 320)
    heard = after("loss@20%", packets)[::320]
    place = next(i for i in range(1, 500) if heard[i] != i + 1)
    assert heard[place] == heard[place - 1] / 2


def test_the_levels(speech: Audio) -> None:
    quiet = heard_in(speech, parse_sound("gain@-20dB"))
    assert np.abs(quiet.samples).max() == pytest.approx(np.abs(speech.samples).max() / 10)
    overdriven = heard_in(speech, parse_sound("clip@20dB"))
    assert 0.01 < np.mean(np.abs(overdriven.samples) == 1) < 0.5
    assert np.abs(heard_in(speech, parse_sound("clip@0dB")).samples).max() == pytest.approx(1)


def test_the_tempo_and_the_start(speech: Audio) -> None:
    fast = heard_in(speech, parse_sound("speed@1.25x"))
    assert fast.seconds == pytest.approx(speech.seconds / 1.25, abs=0.01)
    late = heard_in(speech, parse_sound("gap@0.5s"))
    assert not late.samples[:8000].any()
    assert late.samples[8000:].tolist() == speech.samples.tolist()
    assert heard_in(speech, parse_sound("cut@0.5s")).samples.tolist() == speech.samples[8000:].tolist()

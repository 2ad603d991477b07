"""Mu-law as ITU-T G.711 has it, and a stream that is brought to 8 kHz without seams."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.lines.telephone import PHONE_RATE, ToPhone, from_mulaw, to_mulaw


@pytest.mark.parametrize(
    ("sample", "code"),
    # ITU-T G.711 (11/88), table 2a and 2b: decision and output values of 14 bits, here times 4.
    [(0, 0xFF), (8, 0xFE), (-8, 0x7E), (396, 0xDF), (32124, 0x80), (-32124, 0x00), (32767, 0x80), (-32768, 0x00)],
)
def test_codes_of_the_recommendation(sample: int, code: int) -> None:
    assert to_mulaw(np.array([sample], np.int16)) == bytes([code])


def test_every_code_survives_the_way_back() -> None:
    again = to_mulaw(np.frombuffer(from_mulaw(bytes(range(256))), "<i2"))
    assert [code for code in range(256) if again[code] != code] == [0x7F]  # the two zeros are one


@given(st.lists(st.integers(-32124, 32124), min_size=1, max_size=200))
def test_the_error_is_that_of_the_segment(values: list[int]) -> None:
    samples = np.array(values, np.int16)
    back = np.frombuffer(from_mulaw(to_mulaw(samples)), "<i2").astype(int)
    assert (np.abs(back - samples.astype(int)) <= np.maximum(8, (np.abs(samples.astype(int)) + 132) / 32 + 4)).all()


@given(st.lists(st.integers(1, 320), min_size=1, max_size=20))
def test_the_stream_does_not_depend_on_how_it_is_cut(cuts: list[int]) -> None:
    moments = np.arange(24_000)
    stream = np.asarray(8000 * np.sin(2 * np.pi * 440 * moments / 24_000), "<i2")
    whole, parts, in_parts, place = ToPhone().feed(stream.tobytes()), ToPhone(), b"", 0
    for cut in [*(3 * cut for cut in cuts), 24_000]:
        in_parts += parts.feed(stream[place : place + cut].tobytes()) if place < len(stream) else b""
        place += cut
    assert in_parts == whole
    assert len(whole) == 8_000


def spectrum_of(hertz: float) -> tuple[float, float]:
    """What a tone of 8000 becomes: the frequency that stands out, and the amplitude (RMS)."""
    stream = np.asarray(8000 * np.sin(2 * np.pi * hertz * np.arange(48_000) / 24_000), "<i2")
    phone = ToPhone()
    frames = [phone.feed(stream[start : start + 480].tobytes()) for start in range(0, 48_000, 480)]
    assert {len(frame) for frame in frames} == {160}
    heard = np.frombuffer(from_mulaw(b"".join(frames)), "<i2").astype(float)[800:8800]
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    return float(np.argmax(spectrum) * PHONE_RATE / len(heard)), float(np.sqrt(np.mean(heard**2)))


@pytest.mark.parametrize("hertz", [300, 1000, 3300])
def test_a_tone_of_the_band_stays_one(hertz: float) -> None:
    found, loud = spectrum_of(hertz)
    assert found == pytest.approx(hertz, abs=2)
    assert loud == pytest.approx(8000 / np.sqrt(2), rel=0.04)


@pytest.mark.parametrize("hertz", [4000, 4700, 7000, 11_000])
def test_what_the_band_does_not_hold_does_not_come_back_as_something_else(hertz: float) -> None:
    assert spectrum_of(hertz)[1] < 8

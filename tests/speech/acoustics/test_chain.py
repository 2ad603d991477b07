"""A condition on a whole recording and on a stream: the same sound, however it is cut."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.speech.acoustics.chain import LiveSound, heard_in, record_of
from pytest_talk2agent.speech.acoustics.effect import Setting, Sound, SoundError
from pytest_talk2agent.speech.acoustics.sound_condition import FAMILIES, parse_sound
from pytest_talk2agent.speech.audio import Audio, read_audio
from pytest_talk2agent.speech.noise import with_noise
from tests.speech.acoustics.conftest import FIXTURES

LIVE = ["white@5dB", "pink@5dB", "babble@5dB", "tv@5dB", "reverb@0.3s", "phone", "mulaw", "alaw", "loss@20%",
        "bursts@20%", "dropouts@20%", "talker@5dB", "clip@6dB", "gain@-6dB", "gap@0.3s", "cut@0.3s"]  # fmt: skip
RATE = 16_000
FRAME = 320


@pytest.fixture(scope="module")
def sound(speech: Audio) -> Sound:
    return speech.samples[: 3 * RATE].astype(np.float64)


def live(text: str, sound: Sound) -> LiveSound:
    condition = parse_sound(text)
    sources = condition.sources(FIXTURES / "git" / "rename-function.slt.flac")
    power, peak = float(np.mean(np.square(sound))), float(np.abs(sound).max())
    return LiveSound(condition, RATE, power, peak, "session", sources)


@pytest.mark.parametrize("text", LIVE)
@given(data=st.data())
@settings(max_examples=5)
def test_it_makes_no_difference_how_the_sound_is_cut(text: str, data: st.DataObject, sound: Sound) -> None:
    [effect] = parse_sound(text).effects
    [source] = parse_sound(text).sources(FIXTURES / "git" / "rename-function.slt.flac")
    length = data.draw(st.sampled_from([None, len(sound)]))
    setting = Setting(RATE, float(np.mean(np.square(sound))), float(np.abs(sound).max()), 1, length, source)
    whole = effect.begin(setting)
    expected = np.concatenate([whole.push(sound), whole.end()])
    places = sorted(data.draw(st.sets(st.integers(0, len(sound)), max_size=4)))
    process = effect.begin(setting)
    pieces = [process.push(piece) for piece in np.split(sound, places)]
    assert np.concatenate([*pieces, process.end()]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("text", [*LIVE, "gap@0.2s,babble@5dB,phone,loss@5%"])
def test_frames_come_out_as_long_as_they_go_in(text: str, sound: Sound) -> None:
    session = live(text, sound)
    frames = [session.push(sound[at : at + FRAME]) for at in range(0, len(sound), FRAME)]
    assert {len(frame) for frame in frames} == {FRAME}
    assert max(np.abs(frame).max() for frame in frames) <= 1
    assert session.delay < RATE // 2
    late = session.delay
    session.push(sound[:FRAME])
    assert session.delay == late, "the delay is fixed"


def test_live_noise_has_its_ratio_in_the_long_run(sound: Sound) -> None:
    session = live("white@5dB", sound)
    quiet = np.concatenate([session.push(np.zeros(FRAME)) for _ in range(2000)])
    ratio = 10 * np.log10(np.mean(np.square(sound)) / np.mean(np.square(quiet)))
    assert ratio == pytest.approx(5, abs=0.2)


@pytest.mark.parametrize("text", ["opus@12kbps", "gsm", "mp3@24kbps", "speed@1.2x"])
def test_what_needs_the_whole_recording_is_refused_live(text: str, sound: Sound) -> None:
    with pytest.raises(SoundError, match="needs the whole recording"):
        live(text, sound)


def test_every_effect_is_tried_here() -> None:
    tried = {effect.name for text in LIVE for effect in parse_sound(text).effects}
    assert tried | {"opus", "gsm", "mp3", "speed", "noise"} == set(FAMILIES)


def test_effects_work_from_left_to_right(speech: Audio) -> None:
    one = heard_in(speech, parse_sound("phone,white@5dB"))
    other = heard_in(speech, parse_sound("white@5dB,phone"))
    high = [np.abs(np.fft.rfft(audio.samples))[-1000:].mean() for audio in (one, other)]
    assert high[0] > 100 * high[1], "noise after the line has what the line takes away"


def test_nothing_left_is_an_error(speech: Audio) -> None:
    with pytest.raises(SoundError, match="nothing is left"):
        heard_in(speech, parse_sound("cut@60s"))


def test_the_record_says_what_the_noise_is_made_of(speech: Audio) -> None:
    record = record_of(parse_sound("babble@5dB,phone"), speech.path)
    assert record["condition"] == "babble@5dB,phone"
    assert len(record["made_of"]) == 6
    assert record_of(parse_sound("phone"), speech.path) == {"condition": "phone"}


def test_the_older_option_makes_the_samples_that_it_always_made() -> None:
    audio = read_audio(FIXTURES / "desktop" / "find-house.slt.flac")
    assert audio.sha256 == "fcb265a32afd956988650cb6bb21a4004cc2918bbcd0afee2955fe0f3111c71b", (
        "the recording that the digest was taken of"
    )
    digest = hashlib.sha256(with_noise(audio, 5).samples.astype("<f4").tobytes()).hexdigest()
    assert digest.startswith("05fbe200ba55af6b")

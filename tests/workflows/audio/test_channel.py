"""The channel of a call: ratios that hold, the same sound however it is asked for, and texts that are understood."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.speech.acoustics.effect import SoundError
from pytest_talk2agent.workflows.audio.bank import Level, SpeechBank, texts_of
from pytest_talk2agent.workflows.audio.channel import REALISTIC, Channel, channel_of, parse_channel
from pytest_talk2agent.workflows.audio.clip_form import FULL, RATE, Pcm
from pytest_talk2agent.workflows.audio.talkers import talkers_for
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package

FRAME = RATE // 50
SILENCE = np.zeros(FRAME, np.int16)
LIVE = ["white@10dB", "pink@10dB", "babble@10dB", "tv@10dB", "talker@10dB", "phone", "mulaw", "loss@5%", "bursts@5%",
        "dropouts@5%", "reverb@0.3s", "gain@-6dB", "tv@0dB,phone,loss@5%", REALISTIC]  # fmt: skip


@pytest.fixture(scope="module")
def level(own: Package) -> Level:
    return SpeechBank(own).level


def of(text: str, package: Package, level: Level, seed: int = 1) -> Channel:
    return Channel(parse_channel(text), package, level, seed)


def heard(channel: Channel, sound: Pcm) -> Pcm:
    frames = [channel.frame(sound[at : at + FRAME], at * 1000 // RATE) for at in range(0, len(sound), FRAME)]
    assert {len(frame) for frame in frames} == {FRAME}
    return np.concatenate(frames)


def a_call(package: Package, seconds: int = 6) -> Pcm:
    """Silence, a few utterances, silence."""
    bank = SpeechBank(package)
    said = np.concatenate([SILENCE, *(bank.say(text).samples for text in texts_of(package)[:3])])
    whole = np.zeros(seconds * RATE, np.int16)
    whole[RATE : RATE + len(said)] = said[: seconds * RATE - RATE]
    return whole


def power(sound: Pcm) -> float:
    return float(np.mean(np.square(sound / FULL)))


@pytest.mark.parametrize("noise", ["white", "pink", "babble", "tv"])
@pytest.mark.parametrize("snr", [20, 10, 5, 0])
def test_the_ratio_is_what_was_asked_for_against_the_speech_of_the_bank(
    noise: str, snr: int, own: Package, level: Level
) -> None:
    noise_alone = heard(of(f"{noise}@{snr}dB", own, level), np.zeros(60 * RATE, np.int16))
    assert 10 * np.log10(level.power / power(noise_alone)) == pytest.approx(snr, abs=0.2)


def test_another_person_has_the_ratio_while_they_speak(own: Package, level: Level) -> None:
    said = heard(of("talker@5dB", own, level), np.zeros(60 * RATE, np.int16))
    frames = said.reshape(-1, FRAME * 10)
    speaking = np.abs(frames).max(axis=1) > 0
    assert 0.2 < speaking.mean() < 0.8, "there are pauses"
    assert speaking[:5].all(), "they begin at once"
    ratio = 10 * np.log10(level.power / power(frames[speaking]))
    assert ratio == pytest.approx(5, abs=0.5), "pieces at the edges of speech are partly silent"


def test_noise_is_there_from_the_beginning_and_between_utterances(own: Package, level: Level) -> None:
    sound = heard(of("babble@10dB", own, level), np.zeros(2 * RATE, np.int16))
    assert all(power(sound[at : at + 10 * FRAME]) > 0 for at in range(0, len(sound), 10 * FRAME))


@pytest.mark.parametrize("text", LIVE)
def test_the_same_call_sounds_the_same_and_another_seed_otherwise(text: str, own: Package, level: Level) -> None:
    sound = a_call(own)
    one, other = heard(of(text, own, level), sound), heard(of(text, own, level), sound)
    assert np.array_equal(one, other)
    random = not set(text.split(",")) <= {"phone", "mulaw", "gain@-6dB"}
    assert np.array_equal(one, heard(of(text, own, level, seed=2), sound)) != random


@pytest.mark.parametrize("text", LIVE)
@given(data=st.data())
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_heard_at_a_moment_does_not_depend_on_how_many_frames_were_asked_for(
    text: str, data: st.DataObject, own: Package, level: Level
) -> None:
    sound = a_call(own)
    sound[: RATE // 2] = 0
    whole = heard(of(text, own, level), sound)
    channel = of(text, own, level)
    asked = sorted(data.draw(st.sets(st.integers(0, 24), max_size=10))) + list(range(25, len(sound) // FRAME))
    for number in asked:
        place = number * FRAME
        frame = channel.frame(sound[place : place + FRAME], number * 20)
        assert np.array_equal(frame, whole[place : place + FRAME]), number


@pytest.mark.parametrize("text", LIVE)
def test_the_delay_is_known_from_the_first_frame_and_stays(text: str, own: Package, level: Level) -> None:
    channel = of(text, own, level)
    told = channel.delay_ms
    heard(channel, np.tile(a_call(own), 5))
    live = channel._live
    assert live is not None
    assert told == -(-live.delay // 24) <= 150


@pytest.mark.parametrize("text", ["phone", "mulaw"])
def test_speech_comes_late_by_the_delay_that_is_told(text: str, own: Package, level: Level) -> None:
    channel = of(text, own, level)
    sound = a_call(own)
    out = heard(channel, sound).astype(float)
    lags = range(200 * 24)
    best = max(lags, key=lambda lag: float(np.dot(out[lag : lag + 4 * RATE], sound[: 4 * RATE].astype(float))))
    assert best / 24 == pytest.approx(channel.delay_ms, abs=2)


def test_a_clean_channel_changes_nothing(own: Package, level: Level) -> None:
    sound = a_call(own)
    channel = of("clean", own, level)
    assert np.array_equal(heard(channel, sound), sound)
    assert channel.delay_ms == 0


def test_gaps_are_dead_line_for_their_share_of_the_time(own: Package, level: Level) -> None:
    sound = heard(of("white@10dB,dropouts@20%", own, level), np.zeros(120 * RATE, np.int16))
    dead = np.abs(sound.reshape(-1, FRAME // 4)).max(axis=1) == 0
    assert dead.mean() == pytest.approx(0.2, abs=0.04)


def test_a_frame_of_the_past_is_refused(own: Package, level: Level) -> None:
    channel = of("white@5dB", own, level)
    channel.frame(SILENCE, 40)
    with pytest.raises(ValueError, match="has passed 40 ms; its next frame begins at 60 ms"):
        channel.frame(SILENCE, 40)


def test_the_noise_never_says_what_the_user_says(own: Package, street: Path) -> None:
    words = {}
    for index in street.glob("*/user/audio/index.jsonl"):
        for row in map(json.loads, index.read_text(encoding="utf-8").splitlines()):
            words[index.parent / row["file"]] = row["text"]
    shared = set(texts_of(own)) & {text for path, text in words.items() if "own" not in path.parts}
    assert shared, "packages beside it say some of the same words"
    for noise in ("babble", "tv", "talker"):
        source = talkers_for(own, noise)
        assert source.paths
        assert not {words[path] for path in source.paths} & set(texts_of(own))


def test_babble_is_six_talkers_and_another_person_has_another_voice(own: Package) -> None:
    babble = talkers_for(own, "babble")
    assert len(babble.talkers) == 6
    voices = [{path.stem.split("_")[0] for path in talker} for talker in babble.talkers]
    assert all(len(one) == 1 for one in voices)
    assert {name for one in voices for name in one} == {"slt", "joe", "rms"}
    [person] = talkers_for(own, "talker").talkers
    assert {path.stem.split("_")[0] for path in person} != {"slt"}


def test_other_packages_have_other_noise(own: Package, street: Path) -> None:
    other = load_package(street / "beside-joe")
    assert talkers_for(own, "babble").sha256s != talkers_for(other, "babble").sha256s


def test_without_others_beside_it_noise_needs_a_folder(alone: Path, street: Path, level: Level) -> None:
    package = load_package(alone)
    with pytest.raises(SoundError, match="none beside it has clips; write tv=FOLDER@5dB"):
        of("tv@5dB", package, level)
    folder = street / "beside-rms/user/audio"
    assert power(heard(of(f"tv={folder}@5dB", package, level), np.zeros(RATE, np.int16))) > 0


@pytest.mark.parametrize(
    ("text", "written", "accent"),
    [
        ("clean", "clean", ""),
        ("accent=awb", "accent=awb", "awb"),
        ("babble@5.0dB,accent=awb,phone", "accent=awb,babble@5dB,phone", "awb"),
        ("seed@3,white@5dB", "white@5dB,seed@3", ""),
    ],
)
def test_channels_are_written_in_one_way(text: str, written: str, accent: str) -> None:
    channel = parse_channel(text)
    assert (channel.text, channel.accent) == (written, accent)
    assert parse_channel(written) == channel


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("accent=awb,accent=joe", "2 accents; a user has one"),
        ("opus@12kbps", "needs the whole recording, which a call never is"),
        ("gap@1s", "write dropouts@N% for gaps"),
        ("cut@1s", "write dropouts@N% for gaps"),
        ("clean,phone", "'clean' is not understood"),
        ("bable@5dB", "did you mean 'babble'"),
    ],
)
def test_what_is_no_channel_is_refused(text: str, said: str) -> None:
    with pytest.raises(SoundError, match=said):
        parse_channel(text)


def test_c3_is_realistic_as_the_package_says_and_c2_clean(own: Package) -> None:
    noisy = own.model_copy(update={"persona": {**own.persona, "sound": "tv@10dB,phone"}})
    assert channel_of(own, "C2").text == channel_of(noisy, "C2").text == "clean"
    assert channel_of(own, "C3").text == REALISTIC
    assert channel_of(noisy, "C3").text == "tv@10dB,phone"
    chosen = parse_channel("white@3dB")
    assert channel_of(noisy, "C3", chosen) == channel_of(own, "C2", chosen) == chosen


def test_the_identity_says_what_was_heard(own: Package, level: Level) -> None:
    made = of("babble@5dB,phone", own, level, seed=4).identity()
    assert (made["channel"], made["channel_seed"], made["sound"]) == ("babble@5dB,phone", "4", "babble@5dB,phone")
    assert made["made_of"]
    assert of("clean", own, level).identity() == {"channel": "clean", "channel_seed": "1"}


def test_a_folder_that_a_package_names_lies_in_it(alone: Path, level: Level) -> None:
    package = load_package(alone)
    channel = Channel(parse_channel("babble=user/audio@5dB"), package, level, 1)
    assert power(heard(channel, np.zeros(RATE, np.int16))) > 0
    with pytest.raises(SoundError, match="no folder of recordings"):
        Channel(parse_channel("babble=user/nothing@5dB"), package, level, 1)

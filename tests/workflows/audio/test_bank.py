"""The speech bank: a text is the samples of its clip, and what is wrong is one clear line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_talk2agent.workflows.audio.bank import BankError, SpeechBank, texts_of, voices_of
from pytest_talk2agent.workflows.audio.clip_form import RATE, Floats, decode, speech_power
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package


class Beeper:
    """A voice that is a tone, whose length says how long the text is."""

    def identity(self) -> Mapping[str, str]:
        return {"engine": "beeper"}

    def speak(self, text: str) -> tuple[Floats, int]:
        return np.sin(np.arange(800 * len(text)) / 5), 8_000


def respoiled(folder: Path, **changes: Any) -> Package:
    """The package with the first row of its index changed."""
    index = folder / "user/audio/index.jsonl"
    first, *others = index.read_text(encoding="utf-8").splitlines()
    index.write_text("\n".join([json.dumps({**json.loads(first), **changes}), *others]), encoding="utf-8")
    return load_package(folder)


def test_every_text_of_the_package_has_its_samples(own: Package) -> None:
    bank = SpeechBank(own)
    bank.check()
    assert bank.missing() == []
    for text in texts_of(own):
        said = bank.say(text)
        assert said.samples.dtype == np.int16
        assert said.duration_ms == -(-len(said.samples) // 24)
        assert said.voice == "slt"
        assert said.plain()["source"] == "clip"


def test_the_first_row_of_a_text_counts_and_an_accent_is_another_voice(own: Package) -> None:
    assert voices_of(own) == ["slt", "joe"]
    text = texts_of(own)[0]
    plain, joe = SpeechBank(own).say(text), SpeechBank(own, accent="joe").say(text)
    assert (plain.voice, joe.voice) == ("slt", "joe")
    assert not np.array_equal(plain.samples, joe.samples)


def test_an_accent_that_no_clip_has_is_an_error(own: Package) -> None:
    with pytest.raises(BankError, match="no clip in the voice `awb`; its voices: slt, joe"):
        SpeechBank(own, accent="awb")


def test_the_samples_cannot_be_changed(own: Package) -> None:
    with pytest.raises(ValueError, match="read-only"):
        SpeechBank(own).say(texts_of(own)[0]).samples[0] = 1


def test_a_text_without_a_clip_is_an_error_that_says_what_to_do(own: Package) -> None:
    with pytest.raises(BankError, match=r"no clip says `Something else\.`; render it with `talk2agent speak"):
        SpeechBank(own).say("Something else.")


def test_what_is_missing_is_known_before_a_session(alone: Path) -> None:
    index = alone / "user/audio/index.jsonl"
    rows = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    text = rows[0]["text"]
    index.write_text("".join(f"{json.dumps(row)}\n" for row in rows if row["text"] != text), encoding="utf-8")
    package = load_package(alone)
    assert SpeechBank(package).missing() == [text]
    with pytest.raises(BankError, match="no clip says"):
        SpeechBank(package).check()
    SpeechBank(package, mode="auto", live=("beeper", Beeper())).check()


def test_a_named_live_voice_speaks_what_has_no_clip(own: Package) -> None:
    bank = SpeechBank(own, mode="auto", live=("beeper", Beeper()))
    said = bank.say("Something else.")
    assert said.plain() == {"voice": "beeper", "clip": None, "source": "live"}
    assert len(said.samples) == pytest.approx(RATE * len("Something else.") / 10, abs=2)
    assert speech_power(decode(said.samples)) == pytest.approx(10**-2.6, rel=0.02)
    assert bank.say(texts_of(own)[0]).plain()["source"] == "clip"
    assert bank.identity()["live_engine"] == "beeper"


@pytest.mark.parametrize(("mode", "live"), [("auto", None), ("prerendered", ("beeper", Beeper())), ("kokoro", None)])
def test_a_mode_without_its_voice_is_refused(own: Package, mode: Any, live: Any) -> None:
    with pytest.raises(BankError, match="a live voice goes with the mode auto"):
        SpeechBank(own, mode=mode, live=live)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pcm16_sha256": "0" * 64}, "the index says 0000"),
        ({"pcm16_sha256": ""}, "the index says nothing"),
        ({"num_samples": 7}, "the index says 7 samples"),
        ({"sample_rate": 16_000}, "samples at 16000 Hz"),
        ({"file": "gone.flac"}, "cannot be read"),
        ({"file": "../../task.yaml"}, "leads out of it"),
        ({"file": "index.jsonl"}, "no sound can be read"),
    ],
)
def test_a_clip_that_is_not_what_the_index_says_is_an_error(alone: Path, changes: dict[str, Any], said: str) -> None:
    package = respoiled(alone, **changes)
    with pytest.raises(BankError, match=said):
        SpeechBank(package).check()
    with pytest.raises(BankError, match=said):
        SpeechBank(package).say(package.clips[0].text)


def test_a_package_without_clips_has_the_nominal_level(alone: Path) -> None:
    (alone / "user/audio/index.jsonl").unlink()
    package = load_package(alone)
    assert SpeechBank(package, mode="auto", live=("beeper", Beeper())).level.power == pytest.approx(10**-2.6)
    with pytest.raises(BankError, match=r"other texts; render it"):
        SpeechBank(package).check()


def test_the_level_is_that_of_the_clips(own: Package) -> None:
    level = SpeechBank(own).level
    assert 10 * np.log10(level.power) == pytest.approx(-26, abs=0.3)
    assert 0.05 < level.peak < 1


def test_the_identity_changes_with_any_clip(alone: Path, own: Package) -> None:
    assert SpeechBank(own).identity() == SpeechBank(load_package(alone)).identity()
    assert SpeechBank(own).identity() != SpeechBank(respoiled(alone, pcm16_sha256="1" * 64)).identity()
    assert SpeechBank(own).identity() != SpeechBank(own, accent="slt").identity()

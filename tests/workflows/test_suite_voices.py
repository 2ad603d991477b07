"""The users of the shipped workflows have voices: a clip for each text, as its index says, and none tells too much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.audio.bank import SpeechBank, texts_of, voices_of
from pytest_talk2agent.workflows.audio.heard_back import leaks_of
from pytest_talk2agent.workflows.audio.rendering import META, audio_folder, forgotten
from pytest_talk2agent.workflows.package.loader import find_packages, load_package
from pytest_talk2agent.workflows.package.package import Package

SUITES = Path(__file__).parents[2] / "suites" / "workflows"
PACKAGES = [load_package(folder) for folder in find_packages(SUITES)]
NAMES = [package.id for package in PACKAGES]


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_every_text_has_a_clip_that_is_whole(package: Package) -> None:
    bank = SpeechBank(package)
    bank.check()
    assert bank.missing() == []
    assert forgotten(package) == []
    assert voices_of(package)[0] == package.persona["voice_id"]
    assert {clip.text for clip in package.clips} == set(texts_of(package))


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_no_wording_tells_what_it_does_not_express(package: Package) -> None:
    assert leaks_of(package) == []


@pytest.mark.parametrize("package", PACKAGES, ids=NAMES)
def test_the_record_beside_the_clips_says_what_made_them(package: Package) -> None:
    meta = json.loads((audio_folder(package) / META).read_text(encoding="utf-8"))
    assert set(meta["voices"]) == set(voices_of(package))


def test_there_are_several_voices_and_the_clips_stay_small() -> None:
    assert {voices_of(package)[0] for package in PACKAGES} == {"joe", "slt", "rms", "awb", "gb"}
    assert sum(path.stat().st_size for path in SUITES.glob("*/user/audio/*")) < 20_000_000

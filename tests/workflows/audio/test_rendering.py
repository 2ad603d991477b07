"""The speech bank of a package: what is written, what stays, and what is rendered again."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.recording.voices import VoiceError, make_voices
from pytest_talk2agent.workflows.audio.bank import SpeechBank, texts_of, voices_of
from pytest_talk2agent.workflows.audio.rendering import (
    Speaker,
    Spoken,
    audio_folder,
    forgotten,
    render_clips,
    sayings_of,
    speaker_of,
    write_meta,
)
from pytest_talk2agent.workflows.caller.speech import CLOSINGS, NUDGE, Wordings
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from tests.recording.test_voices import BEEP
from tests.workflows.toys import expense, load


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path / "expense")


def speakers(tmp_path: Path, *labels: str) -> list[Speaker]:
    program = tmp_path / "beep.py"
    program.write_text(BEEP, encoding="utf-8")
    command = f"command:{shlex.join([sys.executable, str(program)])} {{out}}"
    return make_voices([f"{label}=command?identity={label}:{command.partition(':')[2]}" for label in labels])


def render(package: Package, made: Sequence[Speaker], tmp_path: Path) -> list[Spoken]:
    return render_clips(package, made, tmp_path / "store", 2)


def rows(package: Package) -> list[dict[str, Any]]:
    index = audio_folder(package) / "index.jsonl"
    return [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]


def test_every_text_gets_a_clip_that_the_bank_reads(package: Package, tmp_path: Path) -> None:
    made = render(package, speakers(tmp_path, "beep"), tmp_path)
    again = load_package(package.folder)
    bank = SpeechBank(again)
    bank.check()
    assert bank.missing() == []
    assert [one.saying for one in made] == sayings_of(package)
    assert [clip.text for clip in again.clips] == [saying.text for saying in sayings_of(package)]
    assert forgotten(again) == []


def test_rows_have_the_keys_of_the_format(package: Package, tmp_path: Path) -> None:
    render(package, speakers(tmp_path, "beep"), tmp_path)
    [first] = [row for row in rows(package) if row.get("variant_id") == "open#v1"]
    assert list(first) == [
        "file", "text", "num_samples", "sample_rate", "kind", "user_plan_id", "variant_id", "voice", "pcm16_sha256",
        "word_timestamps",
    ]  # fmt: skip
    assert (first["file"], first["kind"], first["user_plan_id"], first["voice"]) == (
        "open_v1.flac", "variant", "open", "beep",
    )  # fmt: skip
    assert first["word_timestamps"] == [], "no voice said when it spoke a word, and nothing is made up"
    kinds = [row["kind"] for row in rows(package)]
    assert (kinds.count("closing"), kinds.count("nudge")) == (len(CLOSINGS), 1)


def test_the_user_says_the_same_words_with_and_without_clips(package: Package, tmp_path: Path) -> None:
    before = Wordings(package, "C2", 3)
    render(package, speakers(tmp_path, "beep", "other"), tmp_path)
    after = Wordings(load_package(package.folder), "C2", 3)
    assert (after.closing(), after.nudge()) == (before.closing(), before.nudge()) == (CLOSINGS[3], NUDGE)
    text = texts_of(package)[0]
    clip = next(clip for clip in load_package(package.folder).clips if clip.text == text)
    assert after.duration(text) == clip.duration_ms != before.duration(text)


def test_a_second_run_renders_nothing_and_changes_nothing(package: Package, tmp_path: Path) -> None:
    made = speakers(tmp_path, "beep")
    assert not any(one.kept for one in render(package, made, tmp_path))
    first = {path.name: path.read_bytes() for path in audio_folder(package).iterdir()}
    assert all(one.kept for one in render(load_package(package.folder), made, tmp_path))
    assert {path.name: path.read_bytes() for path in audio_folder(package).iterdir()} == first


def test_a_lost_clip_comes_back_from_the_store(package: Package, tmp_path: Path) -> None:
    made = speakers(tmp_path, "beep")
    render(package, made, tmp_path)
    lost = audio_folder(package) / "open_v1.flac"
    content = lost.read_bytes()
    lost.unlink()
    render(load_package(package.folder), made, tmp_path)
    assert lost.read_bytes() == content


def test_another_voice_becomes_an_accent_and_the_first_stays_the_users_own(package: Package, tmp_path: Path) -> None:
    render(package, speakers(tmp_path, "beep"), tmp_path)
    render(load_package(package.folder), speakers(tmp_path, "awb"), tmp_path)
    again = load_package(package.folder)
    assert voices_of(again) == ["beep", "awb"]
    text = texts_of(again)[0]
    assert SpeechBank(again).say(text).file == "open_v1.flac"
    assert SpeechBank(again, accent="awb").say(text).file == "open_v1.awb.flac"
    render(again, speakers(tmp_path, "beep"), tmp_path)
    assert voices_of(load_package(package.folder)) == ["beep", "awb"]


def test_rows_of_texts_that_are_gone_leave_the_index_and_their_files_are_named(
    package: Package, tmp_path: Path
) -> None:
    render(package, speakers(tmp_path, "beep", "awb"), tmp_path)
    bank = package.folder / "user/realization_bank.jsonl"
    lines = [json.loads(line) for line in bank.read_text(encoding="utf-8").splitlines()]
    gone = lines[0]["variants"].pop()
    bank.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    render(load_package(package.folder), speakers(tmp_path, "beep"), tmp_path)
    again = load_package(package.folder)
    assert gone["text"] not in {clip.text for clip in again.clips}
    assert len(forgotten(again)) == 2


def test_the_voice_that_the_persona_names_speaks_alone(package: Package, tmp_path: Path) -> None:
    made = speakers(tmp_path, "amy", "bo")
    named = package.model_copy(update={"persona": {"voice_id": "bo"}})
    assert [spec.label for spec, _ in speaker_of(named, made)] == ["bo"]
    assert speaker_of(package.model_copy(update={"persona": {"voice_id": "voice_03"}}), made) == made


def test_the_record_says_what_made_the_clips(package: Package, tmp_path: Path) -> None:
    made = speakers(tmp_path, "beep")
    render(package, made, tmp_path)
    write_meta(package, made, {"beep": {"interface": "x"}})
    write_meta(package, speakers(tmp_path, "other"), None)
    meta = json.loads((audio_folder(package) / "meta.json").read_text(encoding="utf-8"))
    assert list(meta["voices"]) == ["beep", "other"]
    assert meta["voices"]["beep"]["engine"] == "command"
    assert meta["checked"] == {"beep": {"interface": "x"}}
    assert set(meta["libraries"]) == {"numpy", "soundfile", "soxr"}


def test_two_sayings_of_one_file_are_refused(package: Package, tmp_path: Path) -> None:
    bank = package.folder / "user/realization_bank.jsonl"
    text = bank.read_text(encoding="utf-8").replace('"open#v2"', '"open v1"')
    bank.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"open#v1 and open v1 would share open_v1\.flac; rename one"):
        render(load_package(package.folder), speakers(tmp_path, "beep"), tmp_path)


def test_a_voice_that_is_silent_is_named_with_the_text(package: Package, tmp_path: Path) -> None:
    program = tmp_path / "mute.py"
    program.write_text("import sys, numpy, soundfile\nsoundfile.write(sys.argv[1], numpy.zeros(800), 16000)\n")
    mute = make_voices([f"mute=command:{shlex.join([sys.executable, str(program)])} {{out}}"])
    with pytest.raises(VoiceError, match="silent"):
        render(package, mute, tmp_path)

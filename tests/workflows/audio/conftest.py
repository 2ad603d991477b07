"""A package whose user has a voice, and others beside it: the toy of an expense report, spoken by real recordings."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path

import pytest

from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.workflows.audio.bank import texts_of
from pytest_talk2agent.workflows.audio.clip_form import RATE, Pcm, clip_name, digest_of, flac_of, in_form
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from tests.workflows.toys import Toy, expense, line, load

FIXTURES = Path(__file__).parents[3] / "fixtures_audio"
VOICES = ("slt", "joe", "rms")


def spoken(voice: str, count: int) -> list[Pcm]:
    """So many pieces of speech of one voice, of one to two seconds."""
    pieces: list[Pcm] = []
    for path in sorted(FIXTURES.glob(f"*/*.{voice}.flac")):
        whole = read_audio(path, RATE).samples
        for at in range(0, len(whole) - 2 * RATE, 2 * RATE):
            pieces.append(in_form(whole[at : at + 2 * RATE - 400 * (len(pieces) % 50)].astype("float64"), RATE))
            if len(pieces) == count:
                return pieces
    raise AssertionError(f"too little speech of {voice}")


def voiced(package: Package, *voices: str) -> None:
    """Give a package clips: every text in every voice, the first voice first."""
    folder = package.folder / "user" / "audio"
    folder.mkdir()
    rows = []
    texts = texts_of(package)
    for voice in voices:
        for number, (text, pcm) in enumerate(zip(texts, spoken(voice, len(texts)), strict=True)):
            name = clip_name(f"{voice}/{number}")
            (folder / name).write_bytes(flac_of(pcm))
            kind = "closing" if text.endswith(("Goodbye.", "Bye.", "Bye now.")) else "variant"
            rows.append(
                {"file": name, "kind": "nudge" if "go on" in text else kind, "text": text, "voice": voice,
                 "sample_rate": RATE, "num_samples": len(pcm), "pcm16_sha256": digest_of(pcm)}
            )  # fmt: skip
    (folder / "index.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def named(toy: Toy, name: str, words: str = "") -> Toy:
    """A toy under another id, which says other things where there are words."""
    made = copy.deepcopy(toy)
    made["task.yaml"]["id"] = made["taxonomy.yaml"]["task_id"] = name
    if words:
        rows = made["user/realization_bank.jsonl"]
        made["user/realization_bank.jsonl"] = [
            line(row["user_plan_id"], row["speech_act"], f"{words} {number}") for number, row in enumerate(rows)
        ]
    return made


@pytest.fixture(scope="session")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages; that named ``own`` is heard, in two voices, and the others are beside it."""
    folder = tmp_path_factory.mktemp("street")
    voiced(load(named(expense(), "own"), folder / "own"), "slt", "joe")
    for voice in VOICES:
        voiced(load(named(expense(), f"beside-{voice}", f"other words of {voice}"), folder / f"beside-{voice}"), voice)
    return folder


@pytest.fixture(scope="session")
def own(street: Path) -> Package:
    return load_package(street / "own")


@pytest.fixture
def alone(street: Path, tmp_path: Path) -> Path:
    """A copy of the package to spoil, with nothing beside it."""
    return Path(shutil.copytree(street / "own", tmp_path / "alone" / "own"))

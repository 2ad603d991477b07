"""A disk that is really full: a small file system of its own, which something else fills while a take is on its way."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.recording.page.studio import SPARE
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.recording.page.conftest import FIRST, Room, speech

SIZE = SPARE + (16 << 20)
PIECE = 1 << 18


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if shutil.which("mount") is None:
        pytest.skip("needs the command mount")
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"needs the right to mount a file system: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def room(disk: Path) -> Iterator[Room]:
    made = Room(disk / "recordings")
    made.agree()
    yield made
    made.studio.close()


def fill(disk: Path, spare: int) -> Path:
    """Leave only so many bytes free."""
    filler = disk / "filler"
    with filler.open("wb") as file:
        file.write(b"\0" * (shutil.disk_usage(disk).free - spare))
    return filler


def test_a_take_is_not_begun_where_there_is_no_room_for_it(room: Room, disk: Path) -> None:
    filler = fill(disk, SPARE)
    answer = room.begin(*speech())
    assert (answer.status_code, "the disk is full" in answer.json()["error"]) == (507, True)
    filler.unlink()
    assert room.record(*speech())["kept"]


def test_what_has_arrived_stays_where_the_disk_fills_on_the_way(room: Room, disk: Path) -> None:
    pcm, rate = speech()
    data = pcm.tobytes()
    assert len(data) > PIECE, "one piece must be left to send"
    key = room.begin(pcm, rate).json()["upload"]
    assert room.piece(key, 0, data[: PIECE // 2]).json()["offset"] == PIECE // 2
    filler = fill(disk, 4096)
    answer = room.piece(key, PIECE // 2, data[PIECE // 2 :])
    assert (answer.status_code, "cannot be saved" in answer.json()["error"]) == (507, True)
    assert str(disk) not in answer.text
    assert room.begin(pcm, rate).status_code == 507
    filler.unlink()
    assert room.begin(pcm, rate).json()["offset"] == PIECE // 2
    assert room.piece(key, PIECE // 2, data[PIECE // 2 :]).json()["offset"] == len(data)
    assert room.finish(key).json()["kept"]


def test_a_take_that_cannot_be_written_is_none_and_comes_later(room: Room, disk: Path) -> None:
    pcm, rate = speech()
    data = pcm.tobytes()
    key = room.begin(pcm, rate).json()["upload"]
    room.piece(key, 0, data[:PIECE])
    assert room.piece(key, PIECE, data[PIECE:]).json()["offset"] == len(data)
    filler = fill(disk, 0)
    answer = room.finish(key)
    assert answer.status_code == 507
    assert not list((room.folder / "takes").rglob("*.flac"))
    filler.unlink()
    assert room.finish(key).json()["name"] == "amy-1"
    [recording] = read_manifest(room.folder / "manifest.jsonl").recordings[FIRST.task.id]
    assert recording.take == "amy-1"
    room.again()
    assert room.studio.count("amy") == 1

"""One manifest for voices and people: whoever writes it, the rows of the others are still there."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.recording.page.take import TakeError
from pytest_talk2agent.recording.rendering import Line, check_manifest, render, write_manifest
from pytest_talk2agent.recording.shared_manifest import SharedManifestError, key_of, read_rows, update
from pytest_talk2agent.recording.voices import Speech, Voice, VoiceSpec
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.recording.page.conftest import FIRST, SECOND, Room, speech


class Tone(Voice):
    def check(self) -> None:
        pass

    def identity(self) -> Mapping[str, str]:
        return {"engine": "tone"}

    def speak(self, text: str) -> Speech:
        return np.sin(np.arange(8000) / 20), 16_000


SPEC = VoiceSpec("tone=tone:low", "tone", "tone", "low")


def speak(folder: Path, *tasks: str, script: str = "hello") -> None:
    lines = [Line(task, script, SPEC, Tone()) for task in tasks]
    check_manifest(folder / "manifest.jsonl", lines, folder)
    write_manifest(folder / "manifest.jsonl", render(lines, folder, folder.parent / "store", 1))


def takes(folder: Path) -> set[tuple[str, str]]:
    return {key_of(row) for row in read_rows(folder / "manifest.jsonl")}


def test_voices_and_people_share_a_folder(room: Room) -> None:
    voiced = {(FIRST.task.id, "tone"), (SECOND.task.id, "tone")}
    room.record(*speech())
    speak(room.folder, FIRST.task.id, SECOND.task.id, script=FIRST.script)
    assert takes(room.folder) == voiced | {(FIRST.task.id, "amy-1")}
    second = room.record(*speech(SECOND), SECOND)
    assert takes(room.folder) == voiced | {(FIRST.task.id, "amy-1"), (SECOND.task.id, "amy-1")}
    assert room.ask("DELETE", f"/api/takes/{second['key']}").status_code == 200
    room.studio.close()
    room.open()
    assert takes(room.folder) == voiced | {(FIRST.task.id, "amy-1")}
    speak(room.folder, SECOND.task.id, script=FIRST.script)
    assert takes(room.folder) == voiced | {(FIRST.task.id, "amy-1")}
    recordings = read_manifest(room.folder / "manifest.jsonl").recordings[FIRST.task.id]
    assert {(one.take, one.voice) for one in recordings} == {("amy-1", ""), ("tone", "tone:low")}
    assert all(one.seconds and one.sha256 for one in recordings)


def test_a_take_of_another_maker_is_never_replaced(room: Room) -> None:
    path = room.folder / "manifest.jsonl"
    other = {"task": FIRST.task.id, "audio": "elsewhere/x.wav", "take": "tone"}
    path.write_text(json.dumps(other) + "\n", encoding="utf-8")
    with pytest.raises(SharedManifestError, match=r"has a take `tone` already, `elsewhere/x\.wav`; give"):
        speak(room.folder, FIRST.task.id)
    assert [dict(row) for row in read_rows(path)] == [other]


def test_a_recording_of_another_script_is_named_before_anything_is_rendered(room: Room) -> None:
    path = room.folder / "manifest.jsonl"
    other = {"task": FIRST.task.id, "audio": "takes/amy/x-1.flac", "take": "amy-1", "script": "what it said before"}
    path.write_text(json.dumps(other) + "\n", encoding="utf-8")
    with pytest.raises(SharedManifestError, match=r"`takes/amy/x-1\.flac` was made of another script"):
        speak(room.folder, FIRST.task.id)
    assert not list(room.folder.glob("*.flac"))


def test_a_page_does_not_begin_on_a_manifest_that_it_would_spoil(room: Room) -> None:
    room.record(*speech())
    room.studio.close()
    path = room.folder / "manifest.jsonl"
    kept = path.read_text(encoding="utf-8")
    path.write_text(kept + "nonsense\n", encoding="utf-8")
    with pytest.raises(TakeError, match=r"manifest\.jsonl:2: no line of a manifest; mend or delete it"):
        room.open()
    clash = {"task": FIRST.task.id, "audio": "other.wav", "take": "amy-1"}
    path.write_text(json.dumps(clash) + "\n", encoding="utf-8")
    with pytest.raises(TakeError, match="has a take `amy-1` already"):
        room.open()
    path.write_text(kept, encoding="utf-8")
    room.open()


def test_a_manifest_that_was_damaged_meanwhile_is_the_operators_matter(room: Room) -> None:
    (room.folder / "manifest.jsonl").write_text("nonsense\n", encoding="utf-8")
    pcm, rate = speech()
    key = room.begin(pcm, rate).json()["upload"]
    data = pcm.tobytes()
    for offset in range(0, len(data), 1 << 18):
        room.piece(key, offset, data[offset : offset + (1 << 18)])
    answer = room.finish(key)
    assert (answer.status_code, "the manifest is damaged" in answer.text) == (507, True)
    assert str(room.folder) not in answer.text
    (room.folder / "manifest.jsonl").unlink()
    room.again()
    assert takes(room.folder) == {(FIRST.task.id, "amy-1")}, "the take itself was saved"


NAMES = st.sampled_from("abc")
ROWS = st.lists(st.tuples(NAMES, NAMES, st.integers(0, 2)), max_size=6)


@given(st.lists(st.tuples(st.booleans(), ROWS), max_size=6))
def test_whoever_writes_the_rows_of_the_other_stay(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[bool, list[tuple[str, str, int]]]]
) -> None:
    path = tmp_path_factory.mktemp("shared") / "manifest.jsonl"
    last: dict[bool, dict[tuple[str, str], int]] = {True: {}, False: {}}
    for people, entries in turns:
        maker = "takes" if people else "voices"
        made = {(task, f"{maker}-{take}"): note for task, take, note in entries}
        rows = [
            {"task": task, "audio": f"{maker}/{take}", "take": take, "note": str(n)} for (task, take), n in made.items()
        ]
        update(path, rows, lambda row, maker=maker: str(row["audio"]).startswith(maker))  # type: ignore[misc]
        last[people] = made
        expected = {key: str(note) for known in last.values() for key, note in known.items()}
        assert {key_of(row): row["note"] for row in read_rows(path)} == expected


def _write_many(path: Path, maker: str) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(25):
        rows.append({"task": f"t{number}", "audio": f"{maker}/{number}.flac", "take": maker})
        update(path, rows, lambda row: str(row["audio"]).startswith(f"{maker}/"))


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(path, maker)) for maker in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
        assert writer.exitcode == 0
    assert takes(tmp_path) == {(f"t{number}", maker) for number in range(25) for maker in "abc"}

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import KEYS, Manifest, read_manifest, to_lines
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task, takes
from tests.tasks.importers.foreign import write_lines

HASH = "ab" * 32
TASK = """\
id: files/copy
instruction: Copy a.txt.
intentions: {source: {say: a.txt, kind: filename}}
value: source
"""


def read(folder: Path, *rows: object, roots: tuple[Path, ...] = ()) -> Manifest:
    return read_manifest(write_lines(folder / "manifest.jsonl", rows), roots)


def refusal(path: Path) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        read_manifest(path)
    assert all("\n" not in problem.message for problem in caught.value.problems)
    return [str(problem).removeprefix(str(path)) for problem in caught.value.problems]


def task(folder: Path, text: str = TASK) -> Task:
    path = folder / "task.yaml"
    path.write_text(text)
    (found,) = load_tasks(path)
    return found


def test_a_line_is_a_recording(tmp_path: Path) -> None:
    row = {"task": "copy", "audio": "a.wav", "speaker": "amy", "take": 2, "sha256": HASH.upper(), "note": "loud"}
    manifest = read(tmp_path, {**row, "script": "copy a dot t x t"}, {"task": "copy", "audio": "b.wav"})
    first, second = manifest.recordings["copy"]
    assert first == Recording(audio=tmp_path / "a.wav", speaker="amy", take="2", sha256=HASH, note="loud")
    assert second == Recording(audio=tmp_path / "b.wav")
    assert manifest.scripts == {"copy": "copy a dot t x t"}


def test_audio_is_beside_the_manifest_then_in_the_folders_of_recordings(tmp_path: Path) -> None:
    root = tmp_path / "audio"
    root.mkdir()
    for path in (tmp_path / "near.wav", root / "near.wav", root / "far.wav"):
        path.touch()
    names = ("near", "far", "nowhere")
    manifest = read(tmp_path, *({"task": "a", "audio": f"{name}.wav"} for name in names), roots=(root,))
    places = [recording.audio.relative_to(tmp_path).as_posix() for recording in manifest.recordings["a"]]
    assert places == ["near.wav", "audio/far.wav", "nowhere.wav"]


def test_line_ends_marks_and_empty_lines_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf\r\n{"task": "a", "audio": "a.wav"}\r\n \r\n{"task": "a", "audio": "b.wav", "x": 1}\r\n'
    )
    assert refusal(path) == [f":4:1: unknown key `x`; known are {', '.join(KEYS)}"]
    path.write_bytes(path.read_bytes().replace(b', "x": 1', b', "script": "a\xe2\x80\xa8b"'))
    manifest = read_manifest(path)
    assert len(manifest.recordings["a"]) == 2
    assert manifest.scripts == {"a": "a\u2028b"}


BAD: dict[str, tuple[str, str]] = {
    "no JSON": ('{"task": "a"', ":1:1: not JSON: "),
    "endless nesting": ("[" * 200_000, ":1:1: not JSON: "),
    "endless number": ("9" * 10_000, ":1:1: not JSON: "),
    "key twice": ('{"task": "a", "audio": "b", "audio": "c"}', ":1:1: not JSON: the key 'audio' is there twice"),
    "a list": ("[1]", ":1:1: a record is an object, such as "),
    "a text": ('"a"', ":1:1: a record is an object,"),
    "unknown key": ('{"task": "a", "audio": "b", "takes": 1}', ":1:1: unknown key `takes`; did you mean `take`?"),
    "key of a dataset": ('{"task_id": "a", "audio": "b"}', ":1:1: unknown key `task_id`; "),
    "no task": ('{"audio": "b"}', ":1:1: `task` is missing or no text; every recording names its task and its audio"),
    "no audio": ('{"task": "a", "script": "b"}', ":1:1: `audio` is missing or no text;"),
    "empty audio": ('{"task": "a", "audio": ""}', ":1:1: `audio` is missing or no text;"),
    "number for a task": ('{"task": 3, "audio": "b"}', ":1:1: `task` is missing or no text;"),
    "take no id can hold": ('{"task": "a", "audio": "b", "take": "a/b"}', ":1:1: `a/b` cannot be part of a test id;"),
    "take that is a list": ('{"task": "a", "audio": "b", "take": ["c"]}', ":1:1: `take` must be a text"),
    "speaker with a point": ('{"task": "a", "audio": "b", "speaker": 1.5}', ":1:1: `speaker` must be a text"),
    "sha256 too short": ('{"task": "a", "audio": "b", "sha256": "12"}', ":1:1: a SHA-256 is 64 hexadecimal digits;"),
    "script that is a list": ('{"task": "a", "audio": "b", "script": ["c"]}', ":1:1: `script` must be a text"),
    "name that no system has": ('{"task": "a", "audio": "\\u0000"}', ":1:1: "),
    "empty file": ("", ": no recording in it; write one a line, with `task` and `audio`"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_a_faulty_line_is_one_clear_line(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(text)
    (line,) = refusal(path)
    assert line.startswith(expected)


def test_every_faulty_line_is_named(tmp_path: Path) -> None:
    rows = [{"task": "a", "audio": "b"}, {"task": "a"}, {"task": "c", "audio": "d"}, [], {"task": "c", "x": 1}]
    path = write_lines(tmp_path / "manifest.jsonl", rows)
    assert [line.split(":")[1] for line in refusal(path)] == ["2", "4", "5"]


def test_a_task_cannot_have_a_take_twice_nor_two_scripts(tmp_path: Path) -> None:
    row = {"task": "a", "audio": "a.wav", "take": 1, "script": "copy it"}
    again, other = {**row, "audio": "b.wav", "script": "copy it"}, {**row, "take": 2, "script": "move it"}
    path = write_lines(tmp_path / "manifest.jsonl", [row, {**again, "take": "1"}, other, {**row, "task": "b"}])
    assert refusal(path) == [
        ":2:1: task `a` has take `1` twice; give each its own name",
        ":3:1: task `a` has a second script that differs; keep one of them",
    ]


def test_a_missing_manifest_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.jsonl"
    assert refusal(path) == [": cannot be read: No such file or directory; check the path and its permissions"]


class TestSupply:
    def supplied(self, folder: Path, text: str = TASK, **row: object) -> Task:
        manifest = read(folder, {"task": "files/copy", "audio": "new.wav", "script": "copy it", **row})
        (found,) = manifest.supply([task(folder, text)])
        return found

    @pytest.mark.parametrize("name", ["files/copy", "copy"])
    def test_a_task_is_named_by_its_id_or_its_last_part(self, tmp_path: Path, name: str) -> None:
        found = self.supplied(tmp_path, task=name)
        assert [recording.audio.name for recording in found.recordings] == ["new.wav"]
        assert (found.script, found.spoken) == ("copy it", "copy it")

    @pytest.mark.parametrize("name", ["files", "files/", "py", "other/copy"])
    def test_a_line_of_another_task_supplies_nothing(self, tmp_path: Path, name: str) -> None:
        assert self.supplied(tmp_path, task=name).recordings == ()

    def test_the_whole_id_comes_before_its_last_part(self, tmp_path: Path) -> None:
        manifest = read(tmp_path, {"task": "copy", "audio": "a.wav"}, {"task": "files/copy", "audio": "b.wav"})
        (found,) = manifest.supply([task(tmp_path)])
        assert [recording.audio.name for recording in found.recordings] == ["b.wav"]

    def test_what_a_task_has_itself_stays(self, tmp_path: Path) -> None:
        own = f"{TASK}script: copy a dot text\nrecordings: [{{audio: old.wav}}]\n"
        found = self.supplied(tmp_path, own)
        assert found.script == "copy a dot text"
        assert [recording.audio.name for recording in found.recordings] == ["old.wav"]

    def test_a_task_keeps_its_place_and_its_grader_and_is_hashed_with_its_script(self, tmp_path: Path) -> None:
        before = task(tmp_path)
        hashed = before.content_hash
        found = self.supplied(tmp_path)
        assert found.content_hash != hashed
        assert (found.path, found.line, found.place("value")) == (before.path, 1, before.place("value"))
        assert found.grader().full == before.grader().full
        assert self.supplied(tmp_path, script=None).content_hash == hashed  # a recording changes no score

    def test_recordings_come_in_the_order_of_the_manifest_with_names_for_each(self, tmp_path: Path) -> None:
        rows = [{"speaker": "amy"}, {"take": "1"}, {}, {"speaker": "joe"}, {"speaker": "joe"}]
        manifest = read(tmp_path, *({"task": "copy", "audio": f"{n}.wav", **row} for n, row in enumerate(rows)))
        (found,) = manifest.supply([task(tmp_path)])
        named = [(name, recording.audio.name) for name, recording in takes(found)]
        assert named == [("amy", "0.wav"), ("1", "1.wav"), ("2", "2.wav"), ("3", "3.wav"), ("4", "4.wav")]

    def test_tasks_come_back_in_their_order_those_without_a_line_as_they_were(self, tmp_path: Path) -> None:
        manifest = read(tmp_path, {"task": "b", "audio": "b.wav"})
        tasks = [task(tmp_path, TASK.replace("files/copy", name)) for name in ("c", "b", "a")]
        found = manifest.supply(tasks)
        assert [each.id for each in found] == ["c", "b", "a"]
        assert found[0] is tasks[0]
        assert len(found[1].recordings) == 1


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"task": NAMES, "audio": NAMES.map("audio/{}.wav".format)},
        optional={"speaker": NAMES, "sha256": st.just(HASH), "note": st.text(max_size=5)},
    ),
    min_size=1,
)


@given(ROWS)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.getbasetemp() / "written"
    manifest = read(folder, *({**row, "script": f"say {row['task']}"} for row in rows))
    (folder / "again.jsonl").write_text("".join(f"{line}\n" for line in to_lines(manifest, folder)), encoding="utf-8")
    again = read_manifest(folder / "again.jsonl")
    assert (again.recordings, again.scripts) == (manifest.recordings, manifest.scripts)


def test_only_what_is_known_of_a_recording_is_written(tmp_path: Path) -> None:
    row = {"task": "a", "audio": "a.wav"}
    assert [json.loads(line) for line in to_lines(read(tmp_path, row), tmp_path)] == [row]


def test_audio_is_written_relative_to_the_folder_where_it_is_below(tmp_path: Path) -> None:
    manifest = read(tmp_path / "data", {"task": "a", "audio": "x/a.wav"}, {"task": "a", "audio": "../b.wav"})
    audio = [json.loads(line)["audio"] for line in to_lines(manifest, tmp_path / "data")]
    assert audio == ["x/a.wav", str(tmp_path / "b.wav")]

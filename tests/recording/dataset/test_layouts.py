"""The way into other layouts and back: nothing of a recording is lost, and a bad folder is one line a fault."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.recording.dataset.audio_folder import export_audio_folder, is_audio_folder, read_audio_folder
from pytest_talk2agent.recording.dataset.collection import DataSet, collect
from pytest_talk2agent.recording.dataset.paper_layout import export_paper_layout
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.dataset import PROMPTS, SCRIPTS, TAKES, read_dataset
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import Manifest
from tests.conftest import PORT, REPORT
from tests.recording.dataset.conftest import Small

CARD = "# card\n"
Key = tuple[Any, ...]


def told(data: DataSet) -> dict[str, Key]:
    """What a data set says of each recording, but where its file lies."""
    return {
        item.shown: (
            item.script,
            item.recording.speaker,
            item.recording.voice,
            item.recording.note,
            item.recording.sha256 or file_sha256(item.recording.audio),
        )
        for item in data.items
    }


def jsonl(data: DataSet, folder: Path) -> Manifest:
    export_audio_folder(data, folder, CARD)
    return read_audio_folder(folder)[0]


def in_csv(data: DataSet, folder: Path) -> Manifest:
    export_audio_folder(data, folder, CARD, "csv")
    return read_audio_folder(folder)[0]


def paper(data: DataSet, folder: Path) -> Manifest:
    export_paper_layout(data, folder, CARD)
    return read_dataset(folder)


LAYOUTS = {"jsonl": jsonl, "csv": in_csv, "paper": paper}
Layout = Callable[[DataSet, Path], Manifest]


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> Layout:
    return LAYOUTS[request.param]


def test_the_way_there_and_back_loses_nothing(filled: Small, layout: Layout, tmp_path: Path) -> None:
    data = filled.data()
    manifest = layout(data, tmp_path / "out")
    assert told(collect([], manifest)) == told(data)
    again = collect([task.replaced(recordings=()) for task in data.tasks], manifest)
    assert told(again) == told(data)
    assert all(item.recording.audio.is_relative_to(tmp_path / "out") for item in again.items)
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == CARD


def test_the_shipped_suites_go_there_and_back(shipped: DataSet, layout: Layout, tmp_path: Path) -> None:
    assert told(collect([], layout(shipped, tmp_path / "out"))) == told(shipped)


def test_texts_of_any_kind_survive(filled: Small, layout: Layout, tmp_path: Path) -> None:
    odd = 'say "a, b"; then\nwait\u2028 for 7 €, ünd'
    filled.rows[2].update(note=odd)
    data = filled.data([task.replaced(script=f"{odd} {task.id}") for task in filled.data().tasks])
    found = told(collect([], layout(data, tmp_path / "out")))
    assert found == told(data)
    assert found[f"{PORT}[1]"][3] == odd


def test_a_benchmarks_tasks_have_their_own_names_in_the_papers_layout(filled: Small, tmp_path: Path) -> None:
    tasks = load_tasks(filled.task_file)
    source = tasks[0].source.model_copy(update={"benchmark": "wildclawbench"})
    filled.rows = [row for row in filled.rows if row["take"] != 1]
    filled.rows[0]["take"] = "tts"
    filled.rows[0]["task"] = "wcb/01_x_task_1"
    data = filled.data([tasks[0].replaced(source=source, id="wcb/01_x_task_1"), tasks[1]])
    assert data.unrecorded == [PORT]
    export_paper_layout(data, tmp_path / "out", CARD)
    [row] = map(json.loads, (tmp_path / "out" / PROMPTS).read_text(encoding="utf-8").splitlines())
    assert (row["task_id"], row["voice"]) == ("01_x_task_1", "flite:rms")
    assert row["colloquial_prompt"].startswith("copy report underscore")
    assert not (tmp_path / "out" / TAKES).exists()
    assert not (tmp_path / "out" / SCRIPTS).exists()
    again = collect([task.replaced(recordings=()) for task in data.tasks], read_dataset(tmp_path / "out"))
    assert told(again) == told(data)


def test_nothing_is_written_where_a_recording_is_not_the_declared_one(filled: Small, tmp_path: Path) -> None:
    for export in (export_audio_folder, export_paper_layout):
        (filled.folder / "b.flac").write_bytes(b"another")
        with pytest.raises(ValueError, match=r"\[tone\].*declared is .*\nnothing was written"):
            export(filled.data(), tmp_path / "out", CARD)
        assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*")), "nothing half written is left"


def test_what_is_there_is_not_written_over(filled: Small, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").touch()
    with pytest.raises(ValueError, match="is there already and not empty"):
        export_audio_folder(filled.data(), tmp_path / "out", CARD)


def folder_of(small: Small, rows: list[dict[str, Any]]) -> Path:
    root = small.folder / "hub"
    root.mkdir(exist_ok=True)
    for number in (0, 1):
        (root / f"{number}.flac").write_bytes(small.SOUNDS[number].read_bytes())
    (root / "metadata.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return root


def test_columns_of_others_are_named(small: Small) -> None:
    rows = [
        {"file_name": f"{number}.flac", "id": task, "sentence": f"words {number}", "client": "amy", "age": 30}
        for number, task in enumerate((REPORT, PORT))
    ]
    root = folder_of(small, rows)
    assert is_audio_folder(root)
    with pytest.raises(
        TaskFileError, match=r"metadata\.jsonl:1:1: no column says the task; name it with --column task="
    ):
        read_audio_folder(root)
    manifest, unread = read_audio_folder(root, {"task": "id", "speaker": "client"})
    assert manifest.scripts == {REPORT: "words 0", PORT: "words 1"}
    assert {one.speaker for own in manifest.recordings.values() for one in own} == {"amy"}
    assert all(one.sha256 == file_sha256(one.audio) for own in manifest.recordings.values() for one in own)
    assert unread == {"age": 2}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"task": "a"}, "`file_name` is missing"),
        ({"file_name": "9.flac", "task": "a"}, "no such recording"),
        ({"file_name": "../tasks.yaml", "task": "a"}, "lies outside|outside of"),
        ({"file_name": "0.flac", "task": "a", "sha256": "ab" * 32}, "declared is abab"),
        ({"file_name": "0.flac", "task": "a", "take": "a b"}, "cannot be part of a test id"),
        ({"file_name": "0.flac", "task": "a", "script": 3}, "`script` must be a text"),
    ],
)
def test_a_faulty_row_is_one_line(small: Small, row: dict[str, Any], fault: str) -> None:
    root = folder_of(small, [{"file_name": "1.flac", "task": "b"}, row])
    (small.folder / "pytest.ini").unlink()
    with pytest.raises(TaskFileError, match=fault) as caught:
        read_audio_folder(root)
    assert [problem.line for problem in caught.value.problems] == [2]


@pytest.mark.parametrize(
    "text", ["file_name,task\n0.flac\n", "file_name,task\n0.flac,a,b\n", 'file_name,task\n"0.flac,a\n']
)
def test_a_table_that_is_torn_is_refused(small: Small, text: str) -> None:
    root = folder_of(small, [])
    (root / "metadata.jsonl").unlink()
    (root / "metadata.csv").write_text(f"file_name,task\n{text}", encoding="utf-8")
    with pytest.raises(TaskFileError, match=r"metadata\.csv"):
        read_audio_folder(root)


def test_a_table_has_a_row_for_each_recording(filled: Small, tmp_path: Path) -> None:
    export_audio_folder(filled.data(), tmp_path / "out", CARD, "csv")
    with (tmp_path / "out" / "test" / "metadata.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["take"] for row in rows] == ["1", "tone", "1"]
    assert all((tmp_path / "out" / "test" / row["file_name"]).is_file() for row in rows)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_the_library_of_the_hub_loads_it(filled: Small, tmp_path: Path, kind: str) -> None:
    datasets = pytest.importorskip("datasets", reason="the library of the hub is not installed")
    export_audio_folder(filled.data(), tmp_path / "out", CARD, kind)
    found = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    assert list(found) == ["test"]
    rows = found["test"].cast_column("audio", datasets.Audio(decode=False))
    assert [(row["task"], row["take"]) for row in rows] == [(REPORT, "1"), (REPORT, "tone"), (PORT, "1")]

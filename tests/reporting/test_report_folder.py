"""The report folder: lines as items finish, the run at the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import BeforeBaseline, BeforeSaved
from pytest_talk2agent.reporting.report_folder import FILES, ReportFolder, forget_report
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import baseline, interval, lossy, result, retention, transcript, undefined


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "new" / "report"


def rows_of(directory: Path) -> list[TaskResult]:
    text = (directory / "results.jsonl").read_text(encoding="utf-8")
    return [TaskResult.from_json(json.loads(line)) for line in text.split("\n") if line]


def run_of(directory: Path, *rows: TaskResult, errors: dict[str, str] | None = None) -> Any:
    """Write a whole run; its run.json."""
    folder = ReportFolder(directory)
    for row in rows:
        folder.append(row)
    gate = decide_gate(rows, errors or {}, (), inconclusive_passes=False)
    folder.finish(rows, errors or {}, gate, "# summary\n")
    return json.loads((directory / "run.json").read_text(encoding="utf-8"))


def test_results_are_on_disk_as_they_finish(directory: Path) -> None:
    folder = ReportFolder(directory)
    for number, row in enumerate([lossy("a"), result("b")], start=1):
        folder.append(row)
        assert len(rows_of(directory)) == number
    assert rows_of(directory) == [lossy("a"), result("b")]
    assert not (directory / "run.json").exists()
    folder.finish([], {}, decide_gate([], {}, (), inconclusive_passes=False), "")


def test_one_result_is_one_line_whatever_was_heard(directory: Path) -> None:
    row = result(heard=transcript("one\ntwo\u2028three\x85four\x00"))
    run_of(directory, row)
    assert rows_of(directory) == [row]
    assert (directory / "results.jsonl").read_bytes().count(b"\n") == 1


def test_the_run_as_a_whole(directory: Path) -> None:
    rows = [lossy("a"), result("b", kept=retention(interval("0", "1"))), result("c", kept=undefined())]
    run = run_of(directory, *rows, errors={"f::z": "no audio", "f::y": "silent"})
    assert run["passed"] is False
    assert run["reasons"][0] == "1 item failed: a[whisper-tiny.en-amy]"
    assert list(run["errors"].items()) == [("f::y", "silent"), ("f::z", "no audio")]
    assert run["judges"] == ["lexical/1"]
    assert run["wer_normaliser"].startswith("whisper-english/")
    assert run["conditions"] == {
        "whisper-tiny.en": {
            "spec": "whisper:tiny.en",
            "fingerprint": "f00d",
            "identity": {"name": "whisper", "model": "f00d"},
            "items": 3,
            "outcomes": {"failed": 1, "passed": 2},
            "native": ["1/4", "3/4"],
            "shapley": ["3/4", "3/4"],
            "lost": 1,
            "intentions": 6,
            "unresolved": 0,
            "wer": 0.0,
            "wer_verbatim": 6 / 18,
            "left_out_of_means": 1,
            "suspect": 0,
            "empty": 0,
            "states": {},
            "inserted": None,
            "decoys": None,
            "cost": None,
            "kinds": {"number": {"intentions": 6, "lost": 1, "unresolved": 0}},
        }
    }
    assert (directory / "summary.md").read_text(encoding="utf-8") == "# summary\n"


def test_how_it_was_started_and_what_it_was_held_to_are_kept(directory: Path, tmp_path: Path) -> None:
    before = BeforeBaseline(baseline(tmp_path / "rc0.json", lossy("a")))
    rows = [result("a"), result("b")]
    gate = decide_gate(rows, {}, (), inconclusive_passes=False)
    rerun = Rerun("..", ("--t2a-baseline=my rc0.json",))
    ReportFolder(directory).finish(rows, {}, gate, "", before=before, rerun=rerun)
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    assert run["rerun"] == {"root": "..", "options": ["--t2a-baseline=my rc0.json"]}
    again = BeforeSaved(run["before"])
    assert again.name == "baseline rc0.json"
    assert [again.of(row) for row in rows] == [before.of(row) for row in rows]
    assert again.of(rows[1]) is None


def test_a_run_without_results_is_a_run(directory: Path) -> None:
    run = run_of(directory)
    assert (run["passed"], run["conditions"], run["items"]) == (False, {}, 0)


def test_a_new_run_replaces_the_old_one_from_its_start(directory: Path) -> None:
    run_of(directory, lossy("old"))
    (directory / "notes.txt").write_text("mine", encoding="utf-8")
    folder = ReportFolder(directory)
    assert rows_of(directory) == []
    assert not (directory / "run.json").exists()
    assert not (directory / "summary.md").exists()
    assert (directory / "notes.txt").exists()
    folder.finish([], {}, decide_gate([], {}, (), inconclusive_passes=False), "")


def test_a_name_that_utf_8_cannot_hold_stays_json(directory: Path) -> None:
    row = result("odd", condition="odd\udcff")
    run = run_of(directory, row)
    assert rows_of(directory) == [row]
    assert list(run["conditions"]) == ["odd\udcff"]


def test_a_file_in_its_place_is_an_error_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        ReportFolder(tmp_path / "file")


@pytest.mark.parametrize("name", ["run.json", "summary.md", "report.html", "results.jsonl"])
def test_what_cannot_be_deleted_leaves_nothing_else_of_an_earlier_run(directory: Path, name: str) -> None:
    directory.mkdir(parents=True)
    for file in FILES:
        (directory / file).write_text("passed")
    (directory / name).unlink()
    (directory / name).mkdir()
    with pytest.raises(OSError, match=name):
        forget_report(directory)
    assert [path.name for path in directory.iterdir()] == [name]

"""``talk2agent review``: a person at a terminal, played by standard input."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.results.task_result import TaskResult
from tests.results import builders

TASKS = ["files/a", "files/b", "files/c"]
Review = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of three tasks, each with a port in doubt and a service that is clear."""
    folder = tmp_path / "run"
    folder.mkdir()
    judged = builders.judgement({"port": builders.OPEN, "service": builders.KEPT})
    write(folder, *(builders.result(task, judged=judged) for task in TASKS))
    return folder


def write(folder: Path, *results: TaskResult) -> None:
    lines = [f"{json.dumps(result.to_json())}\n" for result in results]
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def review(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Review:
    """Review the run with these answers; what is printed."""

    def run(answers: str, *arguments: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        assert main(["review", str(folder), f"--labels={folder / 'people.jsonl'}", *arguments]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return run


def labels_in(folder: Path) -> dict[str, str]:
    lines = (folder / "people.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["task"]: row["label"] for row in map(json.loads, lines)}


def test_each_key_is_a_label(folder: Path, review: Review) -> None:
    shown = review("r\nC\n o \n")
    assert labels_in(folder) == {"files/a": "retained", "files/b": "changed", "files/c": "omitted"}
    assert "1/3 files/a[amy] whisper-tiny.en" in shown
    assert "transcript [[set ]]the port to 8080" in shown
    assert "share 50.0% of the task's value" in shown
    assert "3 labels added" in shown


def test_a_review_is_taken_up_where_it_was_left(folder: Path, review: Review) -> None:
    assert "1 label added" in review("u\nq\n")
    before = (folder / "people.jsonl").read_bytes()
    assert "1/2 files/b[amy]" in review("s\nc\n")
    after = (folder / "people.jsonl").read_bytes()
    assert after.startswith(before)
    assert labels_in(folder) == {"files/a": "unresolved", "files/c": "changed"}
    shown = review("")
    assert "1/1 files/b[amy]" in shown
    assert "0 labels added" in shown
    assert "0 skipped, 1 not reached" in shown
    assert (folder / "people.jsonl").read_bytes() == after
    review("r\n")
    assert "0 labels added" in review("r\n")


def test_a_key_that_is_none_is_asked_for_again(folder: Path, review: Review) -> None:
    shown = review("x\n\nretained\nc\nq\n")
    assert shown.count("r retained, c changed") == 5
    assert labels_in(folder) == {"files/a": "changed"}


def test_who_and_when_are_kept_only_where_they_are_given(folder: Path, review: Review) -> None:
    review("c\nq\n", "--by=amy", "--at=2026-10-02")
    review("c\nq\n")
    first, second = map(json.loads, (folder / "people.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["by"], first["at"]) == ("amy", "2026-10-02")
    assert not {"by", "at"} & second.keys()


def test_a_label_that_another_run_gave_otherwise_is_asked(folder: Path, review: Review, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    judged = builders.judgement({"port": builders.OPEN, "service": builders.KEPT})
    findings = {**judged.findings, "service": Finding(Label.CHANGED, "it says engine x", "nginx")}
    write(other, builders.result("files/b", judged=replace(judged, findings=findings, judge="other/1")))
    shown = review("", f"--against={other}")
    assert "1/4" in shown
    assert "another: changed: it says engine x" in review("s\ns\nq\n", f"--against={other}")


def test_the_instruction_is_shown_where_the_task_file_is_the_same(folder: Path, review: Review, tmp_path: Path) -> None:
    from pytest_talk2agent.tasks.loader import load_tasks

    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(
        "id: files/a\ninstruction: Put the port at 8080.\n"
        "intentions: {port: {say: '8080', kind: number}, service: {say: nginx, kind: term}}\n"
        "value: 0.5*port + 0.5*service\n",
        encoding="utf-8",
    )
    [task] = load_tasks(tasks)
    judged = builders.judgement({"port": builders.OPEN})
    write(
        folder,
        builders.result("files/a", judged=judged, task_sha256=task.content_hash),
        builders.result("files/b", judged=judged),
    )
    shown = review("s\ns\n", f"--tasks={tmp_path}")
    assert "instruction Put the port at 8080." in shown
    assert "instruction (the task file is not at hand)" in shown


def test_the_page_holds_the_questions_and_asks_nothing(folder: Path, review: Review, tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    assert "3 questions in" in review("", f"--page={page}")
    assert page.read_text(encoding="utf-8").count("<fieldset") == 3
    assert not (folder / "people.jsonl").exists()


def test_a_folder_without_a_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path), "--labels=people.jsonl"]) == 2
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'results.jsonl'}: cannot read it")

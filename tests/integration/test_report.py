"""The report folder and the job summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.results.task_result import TaskResult
from tests.conftest import LOSSY, PORT, REPORT, Run, Transcripts


def test_the_folder(run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, f"--t2a-interface=transcripts:{transcripts(LOSSY)}", "--t2a-report=out/here")
    result.stdout.fnmatch_lines(["report: *out/here"])
    folder = pytester.path / "out" / "here"
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    by_task = {TaskResult.from_json(row).task: TaskResult.from_json(row) for row in rows}
    assert set(by_task) == {REPORT, PORT}
    assert by_task[PORT].lost() == ["port"]
    assert by_task[PORT].transcript.text == LOSSY[PORT]
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert document["passed"] is False
    assert document["conditions"]["transcripts-asr"]["native"] == ["3/4", "3/4"]
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("## talk2agent: gate FAILED")
    assert "port: wanted 8080, heard 8081" in summary


def test_a_short_summary_begins_with_what_was_lost(
    alone: Run, tasks: Path, transcripts: Transcripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = alone(tasks, f"--t2a-interface=transcripts:{transcripts(LOSSY)}")
    result.stdout.fnmatch_lines(["FAILED tasks.yaml::files/set-port[[]transcripts-asr-1] - port: wanted 8080*"])


def test_error_rates_in_the_files(alone: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    heard = {REPORT: "nothing", PORT: "Set the port to 8080 and restart nginx."}
    alone(tasks, f"--t2a-interface=transcripts:{transcripts(heard)}", "-k", "not copy", "--t2a-report=out")
    document = json.loads((pytester.path / "out" / "run.json").read_text(encoding="utf-8"))
    found = document["conditions"]["transcripts-asr"]
    assert found["wer"] == 0  # "eighty eighty" is 8080 to the normaliser of the field
    assert found["wer_verbatim"] == 4 / 9  # Set, 8080 for two words, nginx.
    assert document["wer_normaliser"].startswith("whisper-english/")


def test_the_job_summary(alone: Run, pytester: pytest.Pytester, tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pytester.path / "summary"
    path.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    alone(tasks, "--t2a-interface=text")
    assert path.read_text(encoding="utf-8").startswith("before\n## talk2agent: gate passed")


def test_a_job_summary_that_cannot_be_written_changes_no_verdict(
    alone: Run, tasks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/no/such/folder/summary")
    result = alone(tasks, "--t2a-interface=text")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["no job summary written: /no/such/folder/summary *", "GATE PASSED"])


def test_a_report_that_cannot_be_written_is_a_usage_error(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    (pytester.path / "file").write_text("", encoding="utf-8")
    result = alone(tasks, "--t2a-interface=text", "--t2a-report=file/report")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-report: *file*"])

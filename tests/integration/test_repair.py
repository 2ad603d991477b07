"""``+repair``: raw and repaired transcripts are both kept and both judged, and what the repair does is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PERFECT, REPORT, Run, Transcripts

HEARD = PERFECT | {REPORT: "Copy report vinyl dot docx to /srv/archive and do not overwrite anything."}


@pytest.fixture
def suite(pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> Path:
    """The two tasks with a transcript each; the agent of the first sees the file whose name was misheard."""
    text = tasks.read_text(encoding="utf-8")
    files = json.dumps(["report_final.docx", "notes.md"])
    tasks.write_text(text.replace("tags: [copy]", f"tags: [copy]\ncontext: {{files: {files}}}"), encoding="utf-8")
    transcripts(HEARD)
    return tasks


def records(pytester: pytest.Pytester) -> dict[str, dict[str, Any]]:
    lines = (pytester.path / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["task"]: row for row in map(json.loads, lines)}


def test_recorded_transcripts_are_repaired(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    assert run(suite, "--t2a-interface=transcripts:asr.jsonl").ret == 1
    result = run(suite, "--t2a-interface=transcripts+repair:asr.jsonl", "--t2a-report=report")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["transcripts-asr+repair  before repair  2      1        0     0          +1 filename"])
    row = records(pytester)[REPORT]
    assert row["transcript"]["raw"] == HEARD[REPORT]
    assert "report_final.docx" in row["transcript"]["text"]
    assert row["transcript"]["repair"]["changes"] == [{"heard": "report vinyl dot docx", "put": "report_final.docx"}]
    assert row["raw"]["findings"]["file"]["label"] == "changed"
    assert row["judgement"]["findings"]["file"]["label"] == "retained"


def test_raw_and_repaired_in_one_run(suite: Path, run: Run) -> None:
    arguments = ("--t2a-interface=transcripts:asr.jsonl", "--t2a-interface=transcripts+repair:asr.jsonl")
    result = run(suite, *arguments)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "transcripts-asr         2      1  *",
            "transcripts-asr+repair  2      2  *",
            "transcripts-asr+repair  transcripts-asr  2      1        0     0          +1 filename",
            "transcripts-asr+repair  before repair    2      1        0     0          +1 filename",
        ]
    )


def test_a_repaired_condition_has_a_baseline_of_its_own(suite: Path, run: Run) -> None:
    arguments = (suite, "--t2a-interface=transcripts+repair:asr.jsonl", "--t2a-baseline=base.json")
    assert run(*arguments, "--t2a-update-baseline").ret == 0
    assert run(*arguments).ret == 0
    other = run(suite, "--t2a-interface=transcripts+repair?terms_most=1:asr.jsonl", "--t2a-baseline=base.json")
    assert other.ret == 0, "another list of terms is another spec: a candidate"


def test_an_unknown_repair_is_refused_before_the_run(suite: Path, run: Run) -> None:
    result = run(suite, "--t2a-interface=transcripts+repair?repair_with=magic:asr.jsonl")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*repair_with*magic*"])

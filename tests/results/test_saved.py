"""A run read back from its folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.folder import ReportFolder
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.record import SCHEMA
from pytest_talk2agent.results.saved import read_run
from tests.reporting.test_release import FOUND
from tests.results.builders import lossy, result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run of two conditions, whose first item ran twice."""
    rows = [lossy("b", "second"), lossy("a", "first"), result("b", condition="first")]
    kept = [result("a", condition="first"), rows[2], rows[0]]
    report = ReportFolder(tmp_path)
    for row in [*rows, kept[0]]:
        report.append(row)
    errors = {"f::c": "silent"}
    report.finish(kept, errors, decide_gate(kept, errors, (), inconclusive_passes=False), "")
    return tmp_path


def test_results_come_back_in_order_and_the_last_line_of_an_item_counts(folder: Path) -> None:
    run = read_run(folder)
    assert run.results == (result("a", condition="first"), result("b", condition="first"), lossy("b", "second"))
    assert (run.errors, run.passed) == ({"f::c": "silent"}, False)
    assert run.reasons == ("1 item failed: b[second-amy]", "1 item could not be judged: c")


def test_a_run_that_was_broken_off_has_what_it_finished_and_no_verdict(folder: Path) -> None:
    (folder / "run.json").unlink()
    with (folder / "results.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"schema": ')
    run = read_run(folder)
    assert (len(run.results), run.passed, run.reasons) == (3, None, ())


def test_comparisons_and_remarks_come_back_as_they_were(tmp_path: Path) -> None:
    gate = decide_gate([result()], {}, (), inconclusive_passes=False)
    report = ReportFolder(tmp_path)
    report.append(result())
    report.finish([result()], {}, replace(gate, comparisons=(FOUND,), remarks=("look",)), "")
    run = read_run(tmp_path)
    assert (run.comparisons, run.remarks) == ((FOUND,), ("look",))


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("results.jsonl", "{}\n", r"results.jsonl:1: not a result \(a result of schema None"),
        ("results.jsonl", json.dumps({"schema": SCHEMA}) + "\n", r"results.jsonl:1: not a result \(no "),
        ("results.jsonl", "\n", r"results.jsonl:1: not a result"),
        ("results.jsonl", "[]\n", r"results.jsonl:1: not a result"),
        ("run.json", "{", r"run.json: cannot read it"),
        ("run.json", json.dumps({"errors": {}}), r"run.json: cannot read it"),
    ],
)
def test_what_is_no_run_is_told_with_its_place(folder: Path, file: str, text: str, message: str) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_run(folder)


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"results.jsonl: cannot read it \(No such file.*--t2a-report=DIR"):
        read_run(tmp_path)

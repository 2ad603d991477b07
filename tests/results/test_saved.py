"""A run read back from its folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.reporting.report_folder import ReportFolder
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.results.task_result import SCHEMA
from tests.reporting.test_run_tables import FOUND
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
        ("run.json", json.dumps({"errors": {}}), r"run.json: cannot read it \(no 'passed'\)"),
        ("run.json", "[" * 100_000, r"run.json: cannot read it \(it is nested too deeply\)"),
        ("run.json", "[]", r"run.json: cannot read it \(it is no object\)"),
        ("results.jsonl", "[" * 100_000 + "\n", r"results.jsonl:1: not a result \(it is nested too deeply\)"),
        ("results.jsonl", "\xff\n", r"results.jsonl:1: not a result"),
    ],
)
def test_what_is_no_run_is_told_with_its_place(folder: Path, file: str, text: str, message: str) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_run(folder)


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"results.jsonl: cannot read it \(No such file.*--t2a-report=DIR"):
        read_run(tmp_path)


GRADER = GraderSource("port", {"port": Fraction(0)}).to_json()


def row_with(folder: Path, change: Callable[[Any], object]) -> None:
    """Change the second line."""
    path = folder / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    data = json.loads(lines[1])
    change(data)
    lines[1] = json.dumps(data)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d["retention"].update(native=["1/0", "1"]), "'1/0' is not a number"),
        (lambda d: d["retention"].update(native=["1e999999999", "1"]), "'1e999999999' is not a number"),
        (lambda d: d["retention"].update(native=["1", "0"]), "the interval [1, 0] ends below its beginning"),
        (lambda d: d["retention"].update(native=""), "an interval has two ends"),
        (lambda d: d["retention"].update(lost="1"), "retention.lost: input should be a valid integer"),
        (lambda d: d["retention"].update(status="odd"), "retention.status: input should be "),
        (lambda d: d["weights"].update(port="1/0"), "'1/0' is not a number"),
        (lambda d: d["weights"].pop("port"), "weights lacks 'port'"),
        (lambda d: d["kinds"].pop("port"), "kinds lacks 'port'"),
        (lambda d: d.update(critical=["host"]), "critical names 'host', which is no intention of it"),
        (lambda d: d.update(critical="port"), "critical is no list of texts"),
        (lambda d: d.update(task_sha256=None), "task_sha256: input should be a valid string"),
        (lambda d: d.update(spec="?"), "no interface is named"),
        (lambda d: d.update(transcript=None), "a transcript is an object"),
        (lambda d: d["transcript"].update(seconds="long"), "seconds: input should be a valid number"),
        (lambda d: d["transcript"].update(detail=None), "detail: input should be a valid dictionary"),
        (lambda d: d["transcript"].update(detail={"cost": "free"}), "detail['cost'] is 'free', not an amount"),
        (lambda d: d["transcript"].update(text="\ud83d"), "it['text'] is no valid text"),
        (lambda d: d["transcript"].update(silence={"text": "a"}), "silence has neither a text with the number of its"),
        (lambda d: d["judgement"].update(findings=[]), "judgement.findings is no object"),
        (lambda d: d["judgement"].update(findings={"port": 1}), "judgement.findings.port is no object"),
        (lambda d: d["judgement"].update(flags="empty"), "judgement.flags is no list of texts"),
        (lambda d: d.update(grader={**GRADER, "let": []}), "grader.let is no object"),
        (lambda d: d.update(grader={**GRADER, "range": ["0"]}), "not enough values"),
        (lambda d: d.update(grader={**GRADER, "groups": {"a": 1}}), "cannot unpack"),
        (lambda d: d["judgement"]["findings"]["port"].update(label="kept"), "'kept' is not a valid Label"),
        (lambda d: d["judgement"]["findings"]["port"].update(start="0"), "start: input should be a valid integer"),
        (lambda d: d["limits"].update(tolerance="1/0"), "'1/0' is not a number"),
        (lambda d: d["limits"].update(own=[]), "own is no object"),
        (lambda d: d["verdict"].update(outcome="fine"), "'fine' is not a valid Outcome"),
        (lambda d: d["verdict"].update(reasons="none"), "reasons is no list of texts"),
        (lambda d: d.update(proposed="no"), "proposed: input should be a valid boolean"),
        (lambda d: d.pop("limits"), "no 'limits'"),
    ],
)
def test_a_damaged_result_is_told_with_its_line(folder: Path, change: Callable[[Any], object], why: str) -> None:
    row_with(folder, change)
    with pytest.raises(ValueError, match=re.escape(why)) as caught:
        read_run(folder)
    assert str(caught.value).startswith(f"{folder / 'results.jsonl'}:2: not a result (")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"passed": "false"}, "it does not say whether the run passed"),
        ({"passed": None}, "it does not say whether the run passed"),
        ({"errors": []}, "errors is no object"),
        ({"errors": {"f::a": 1}}, "errors.f::a: input should be a valid string"),
        ({"reasons": "none"}, "reasons is no list of texts"),
        ({"missing": {}}, "missing is no list of texts"),
        ({"conditions": []}, "conditions is no object"),
        ({"comparisons": {}}, "comparisons is no list"),
        ({"comparisons": [{}]}, "no 'kinds'"),
        ({"items": 4}, "it counts 4 results, and results.jsonl has 3"),
        ({"items": "3"}, "it does not say how many results the run had"),
        ({"schema": 99}, "a run of schema 99; this version reads 1"),
        ({"version": 10**30}, "it['version'] is too large a number"),
    ],
)
def test_a_damaged_end_is_told(folder: Path, change: dict[str, Any], why: str) -> None:
    path = folder / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(why)) as caught:
        read_run(folder)
    assert str(caught.value).startswith(f"{path}: cannot read it (")


@pytest.mark.parametrize("change", [{"margin": "1/0"}, {"interval": [0.1]}, {"before": 1}, {"change": "better"}])
def test_a_damaged_comparison_is_told(tmp_path: Path, change: dict[str, Any]) -> None:
    report = ReportFolder(tmp_path)
    report.append(result())
    gate = decide_gate([result()], {}, (), inconclusive_passes=False)
    report.finish([result()], {}, replace(gate, comparisons=(FOUND,)), "")
    path = tmp_path / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    run["comparisons"][0]["differences"][0].update(change)
    path.write_text(json.dumps(run), encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.json: cannot read it \("):
        read_run(tmp_path)


def test_a_result_that_a_finished_run_has_lost_is_told(folder: Path) -> None:
    path = folder / "results.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[2:]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"run.json: cannot read it \(it counts 3 results, and results.jsonl has 2\)"):
        read_run(folder)


@pytest.mark.parametrize("file", ["results.jsonl", "run.json"])
@pytest.mark.parametrize(("put", "why"), [(Path.mkdir, "Is a directory"), (os.mkfifo, "not a regular file")])
def test_what_is_no_file_is_told_and_waits_for_nobody(
    folder: Path, file: str, put: Callable[[Path], object], why: str
) -> None:
    (folder / file).unlink()
    put(folder / file)
    with pytest.raises(ValueError, match=rf"{file}: cannot read it \({why}\)"):
        read_run(folder)


@given(
    st.binary(max_size=40), st.integers(0, 9000), st.integers(0, 200), st.sampled_from(["results.jsonl", "run.json"])
)
def test_no_damage_raises_what_is_not_declared(put: bytes, at: int, gone: int, file: str) -> None:
    with TemporaryDirectory() as name:
        report = ReportFolder(Path(name))
        for row in (lossy("a"), result("b")):
            report.append(row)
        rows = [lossy("a"), result("b")]
        report.finish(rows, {}, decide_gate(rows, {}, (), inconclusive_passes=False), "")
        path = Path(name) / file
        whole = path.read_bytes()
        path.write_bytes(whole[:at] + put + whole[at + gone :])
        try:
            read_run(Path(name))
        except ValueError as error:
            assert str(error).startswith(f"{path}:") or "it counts 2 results" in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017

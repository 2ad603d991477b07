"""Items are pytest items: selected, listed and rerun like any other."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.conftest import LOSSY, PORT, REPORT, Run, Transcripts

TEXT = "--t2a-interface=text"


def test_by_keyword_tag_mark_and_node_id(alone: Run, tasks: Path) -> None:
    alone(tasks, TEXT, "-k", "set-port").assert_outcomes(passed=1)
    alone(tasks, TEXT, "-k", "copy and not service").assert_outcomes(passed=1, deselected=1)
    alone(tasks, TEXT, "-m", "t2a").assert_outcomes(passed=2)
    alone(tasks, TEXT, "-m", "not t2a").assert_outcomes(deselected=2, failed=1)
    alone(f"{tasks}::{PORT}[text]", TEXT).assert_outcomes(passed=1)


def test_collect_only_lists_and_transcribes_nothing(alone: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    result = alone(heard_tasks, "--t2a-interface=python:fake_asr:Recogniser", "--collect-only", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"heard.yaml::{REPORT}?python-Recogniser-amy]", f"heard.yaml::{PORT}?python-*"])
    assert "GATE" not in result.stdout.str()
    assert not (pytester.path / "loads.txt").exists()


def test_what_is_deselected_is_not_transcribed(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    run(heard_tasks, "--t2a-interface=python:fake_asr:Recogniser", "-k", "set-port").assert_outcomes(passed=1)
    assert (pytester.path / "asked.txt").read_text(encoding="utf-8") == "port.wav\n"


def test_last_failed(pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    spec = f"--t2a-interface=transcripts:{transcripts(LOSSY)}"
    pytester.runpytest_inprocess(tasks, spec, "-p", "no:xdist").assert_outcomes(passed=1, failed=1)
    pytester.runpytest_inprocess(tasks, spec, "-p", "no:xdist", "--lf").assert_outcomes(failed=1)


def test_stop_at_the_first_failure(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = alone(tasks, f"--t2a-interface=transcripts:{transcripts(dict.fromkeys(LOSSY, 'nothing'))}", "-x")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: *; 1 item without a result: *"])


def test_junit(run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    run(tasks, f"--t2a-interface=transcripts:{transcripts(LOSSY)}", "--junitxml=out.xml")
    cases = {case.get("name", ""): case for case in ET.parse(pytester.path / "out.xml").iter("testcase")}
    port = cases[f"{PORT}[transcripts-asr-1]"]
    properties = {p.get("name"): p.get("value") for p in port.iter("property")}
    assert properties["t2a.native"] == "0.5000"
    assert properties["t2a.lost_intentions"] == "port"
    assert properties["t2a.outcome"] == "failed"
    assert "t2a.result" not in properties
    failure = port.find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith("port: wanted 8080, heard 8081; native 0.5 < 1; shapley 0.5 < 1")


def test_the_item_points_at_its_line(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    tasks.write_text("\n\n" + tasks.read_text(encoding="utf-8"), encoding="utf-8")
    conftest = tasks.parent / "conftest.py"
    conftest.write_text("def pytest_runtest_logreport(report): print(report.location)\n", encoding="utf-8")
    result = alone(tasks, TEXT, "-s")
    result.stdout.fnmatch_lines([f"*('tasks.yaml', 2, '{REPORT}?text]')*", f"*('tasks.yaml', 12, '{PORT}?text]')*"])


def test_takes(alone: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    text = heard_tasks.read_text(encoding="utf-8").replace(
        "speaker: amy}]", "speaker: amy}, {audio: audio/report.wav, speaker: bo}]"
    )
    heard_tasks.write_text(text, encoding="utf-8")
    spec = "--t2a-interface=python:fake_asr:Recogniser"
    for takes, count in (("all", 4), ("first", 2), ("1", 2), ("2", 4)):
        result = alone(heard_tasks, spec, "--collect-only", "-q", f"--t2a-takes={takes}")
        assert sum("::" in line for line in result.outlines) == count
    result = alone(heard_tasks, spec, "--t2a-takes=none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --t2a-takes: 'none' is none of all, first, available or a number of recordings"]
    )

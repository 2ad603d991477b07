"""What the gate does when it cannot write what it was asked to write: it is red, and says so in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import LOSSY, PERFECT, Run, Transcripts

BASE = "--t2a-baseline=base.json"
SPEC = "--t2a-interface=transcripts:asr.jsonl"


@pytest.mark.parametrize("content", ["not json", '{"schema": 99}'])
def test_a_broken_baseline_is_not_written_over(
    alone: Run, pytester: pytest.Pytester, tasks: Path, content: str
) -> None:
    base = pytester.path / "base.json"
    base.write_text(content, encoding="utf-8")
    result = alone(tasks, "--t2a-interface=text", BASE, "--t2a-update-baseline")
    assert result.ret != pytest.ExitCode.OK
    said = f"{result.stdout.str()}{result.stderr.str()}"
    assert "restore it, or delete it and make it anew with --t2a-update-baseline" in said
    assert "INTERNALERROR" not in said
    assert "Traceback" not in said
    assert base.read_text(encoding="utf-8") == content


def test_a_baseline_that_cannot_be_written_is_a_reason(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    (pytester.path / "file").touch()
    result = alone(tasks, "--t2a-interface=text", "--t2a-baseline=file/base.json", "--t2a-update-baseline")
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["GATE FAILED: no baseline written: *file/base.json cannot be written (*"])


def test_a_report_that_cannot_be_made_new_is_said_before_anything_runs(
    alone: Run, pytester: pytest.Pytester, tasks: Path
) -> None:
    (pytester.path / "report" / "run.json").mkdir(parents=True)
    result = pytester.runpytest_subprocess("-p", "no:xdist", tasks, "--t2a-interface=text", "--t2a-report=report")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-report: cannot make the folder *report new: Is a directory; name *"])


def test_a_report_that_cannot_be_written_is_a_reason(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest(
        "from pathlib import Path\n"
        "def pytest_t2a_gate(results):\n"
        "    (Path('report') / 'run.json').mkdir()\n"
        "    return []\n"
    )
    result = alone(tasks, "--t2a-interface=text", "--t2a-report=report")
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["GATE FAILED: no report written: *report cannot be written (Is a directory)"])


def test_new_items_of_another_build_are_a_reason(
    alone: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts
) -> None:
    transcripts(PERFECT)
    alone(tasks, "-k", "set-port", "--t2a-interface=rc=text", BASE, "--t2a-update-baseline").assert_outcomes(
        passed=1, deselected=1
    )
    before = (pytester.path / "base.json").read_text(encoding="utf-8")
    result = alone(tasks, "--t2a-interface=rc=script", BASE, "--t2a-update-baseline=new")
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["GATE FAILED: no baseline written: *items of two builds do not mix*"])
    assert (pytester.path / "base.json").read_text(encoding="utf-8") == before


def test_the_record_of_an_item_is_for_the_controller_only(
    alone: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts
) -> None:
    transcripts(LOSSY)
    alone(tasks, SPEC, "--junitxml=junit.xml", "--t2a-report=report")
    junit = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert 'name="t2a.native" value="0.5000"' in junit
    assert "t2a.result" not in junit
    lines = (pytester.path / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["verdict"]["outcome"] for line in lines] == ["passed", "failed"]
    assert json.loads((pytester.path / "report" / "run.json").read_text(encoding="utf-8"))["passed"] is False

"""``--t2a-judge``: models and labels in a run, where a fault is an error and no label; ``judge`` and ``review``."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.cli import main
from tests.conftest import LOSSY, PERFECT, PORT, REPORT, Run, Transcripts
from tests.judging.scripted import Scripted, data_in, fails, reads_values, scripted_server

pytest.importorskip("httpx")

DOUBTFUL = PERFECT | {REPORT: "Copy report final.docx to /srv/archive and do not overwrite anything."}
REPORT_OPTION = "--t2a-report=out"


@pytest.fixture
def server() -> Iterator[Scripted]:
    with scripted_server(reads_values) as scripted:
        yield scripted


@pytest.fixture
def suite(tasks: Path, transcripts: Transcripts) -> Path:
    """The two tasks, and a transcript of each that leaves one file name in doubt."""
    transcripts(DOUBTFUL)
    return tasks


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["task"]: row for row in map(json.loads, lines)}


def labels_of(folder: Path) -> dict[str, dict[str, str]]:
    return {
        task: {name: finding["label"] for name, finding in row["judgement"]["findings"].items()}
        for task, row in rows_of(folder).items()
    }


class TestAModel:
    def test_it_labels_a_run_and_is_asked_once_for_a_transcript(
        self, pytester: pytest.Pytester, suite: Path, server: Scripted, run: Run
    ) -> None:
        spec = f"--t2a-judge=llm:tidy?base_url={server.url}&votes=2"
        result = run(suite, "--t2a-interface=transcripts:asr.jsonl", spec, REPORT_OPTION)
        result.assert_outcomes(passed=1, failed=1)
        labels = labels_of(pytester.path / "out")
        assert labels[REPORT] == {"file": "omitted", "target": "retained", "keep": "retained"}
        assert labels[PORT] == {"port": "retained", "service": "retained"}
        judges = json.loads((pytester.path / "out" / "run.json").read_text(encoding="utf-8"))["judges"]
        assert judges[0].startswith("llm/2:tidy#")
        assert len(server.asked) == 4
        again = run(suite, "--t2a-interface=transcripts:asr.jsonl", spec, "--t2a-report=again")
        again.assert_outcomes(passed=1, failed=1)
        assert labels_of(pytester.path / "again") == labels
        assert len(server.asked) == 4

    def test_a_cascade_asks_for_what_is_in_doubt(
        self, pytester: pytest.Pytester, suite: Path, server: Scripted, run: Run
    ) -> None:
        spec = f"--t2a-judge=lexical+llm:tidy?base_url={server.url}&votes=1"
        result = run(suite, "--t2a-interface=transcripts:asr.jsonl", spec, REPORT_OPTION)
        result.assert_outcomes(passed=1, failed=1)
        [request] = server.asked
        assert list(data_in(request)["intentions"]) == ["file"]
        assert labels_of(pytester.path / "out")[REPORT]["file"] == "omitted"

    def test_a_provider_that_fails_is_an_error_of_the_item(self, suite: Path, server: Scripted, run: Run) -> None:
        server.answers = [fails(400, "no such model")]
        result = run(suite, "--t2a-interface=transcripts:asr.jsonl", f"--t2a-judge=llm:tidy?base_url={server.url}")
        result.assert_outcomes(errors=2)
        result.stdout.fnmatch_lines(["*files/set-port: rejected: judge llm:tidy at *: HTTP 400: no such model*"])
        result.stdout.no_fnmatch_line("*Traceback*")
        result.stdout.fnmatch_lines(["*GATE FAILED*"])

    def test_a_wrong_judge_is_a_usage_error(self, suite: Path, alone: Run) -> None:
        result = alone(suite, "--t2a-judge=llm:tidy?base_url=http://127.0.0.1:9/v1&votes=0")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*judge 'llm:tidy': option votes must lie between 1 and 25, not 0"])

    def test_a_budget_of_the_run_needs_one_of_the_judge(self, suite: Path, server: Scripted, alone: Run) -> None:
        spec = f"--t2a-judge=lexical+llm:tidy?base_url={server.url}&votes=1"
        options = (suite, "--t2a-interface=transcripts:asr.jsonl", "--t2a-budget=1")
        result = alone(*options, spec)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*--t2a-budget is for interfaces; say what the judge may cost, too*"])
        alone(*options, f"{spec}&price_per_request=0&budget=1").assert_outcomes(passed=1, failed=1)

    def test_a_baseline_pins_the_judge(self, suite: Path, server: Scripted, alone: Run) -> None:
        options = (suite, "--t2a-interface=transcripts:asr.jsonl", "--t2a-baseline=base.json")
        judge = f"--t2a-judge=llm:tidy?base_url={server.url}&votes="
        assert alone(*options, f"{judge}1", "--t2a-update-baseline").ret == 0
        assert alone(*options, f"{judge}1").ret == 0
        result = alone(*options, f"{judge}2")
        assert result.ret != 0
        result.stderr.fnmatch_lines(["*made by judge llm/2:tidy#*, this run judges with llm/2:tidy#*"])


class TestLabels:
    def test_a_run_is_judged_by_the_labels_of_another(
        self, pytester: pytest.Pytester, suite: Path, transcripts: Transcripts, run: Run
    ) -> None:
        run(suite, "--t2a-interface=transcripts:asr.jsonl", REPORT_OPTION)
        again = run(suite, "--t2a-interface=transcripts:asr.jsonl", "--t2a-judge=labels:out", "--t2a-report=again")
        first, second = rows_of(pytester.path / "out"), rows_of(pytester.path / "again")
        assert {t: r["judgement"]["findings"] for t, r in first.items()} == {
            t: r["judgement"]["findings"] for t, r in second.items()
        }
        transcripts(LOSSY)
        stale = run(suite, "--t2a-interface=transcripts:asr.jsonl", "--t2a-judge=labels:out")
        stale.assert_outcomes(errors=2)
        again.stdout.no_fnmatch_line("*stale*")
        stale.stdout.fnmatch_lines(["*files/set-port port, service: stale: labelled for other words than *"])

    def test_a_review_settles_what_the_judge_left_open(
        self, pytester: pytest.Pytester, suite: Path, alone: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        options = (suite, "--t2a-interface=transcripts:asr.jsonl")
        alone(*options, REPORT_OPTION).assert_outcomes(passed=1, failed=1)
        monkeypatch.setattr("sys.stdin", io.StringIO("r\n"))
        assert main(["review", "out", "--labels=people.jsonl", "--by=amy"]) == 0
        alone(*options, "--t2a-judge=labels:people.jsonl?else=lexical").assert_outcomes(passed=2)
        alone(*options, "--t2a-judge=labels:people.jsonl").assert_outcomes(errors=2)


class TestTheCommands:
    def test_a_judge_is_compared_with_the_labels_of_a_run(
        self, pytester: pytest.Pytester, suite: Path, server: Scripted, alone: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone(suite, "--t2a-interface=transcripts:asr.jsonl", REPORT_OPTION)
        capsys.readouterr()
        arguments = ["judge", "out", f"--judge=llm:tidy?base_url={server.url}&votes=1", "--json"]
        assert main(arguments) == 0
        measured = json.loads(capsys.readouterr().out)
        assert (measured["n"], measured["errors"]) == (5, [])
        [row] = measured["disagreements"]
        assert (row["intention"], row["expected"], row["got"]) == ("file", "unresolved", "omitted")
        server.answers = [fails(500)]
        assert main([*arguments, "--frozen"]) == 0
        assert json.loads(capsys.readouterr().out) == measured

    def test_a_judge_that_is_compared_with_itself_is_told_so(
        self, suite: Path, alone: Run, server: Scripted, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone(suite, "--t2a-interface=transcripts:asr.jsonl", REPORT_OPTION)
        capsys.readouterr()
        other = f"llm:tidy?base_url={server.url}&votes=1"
        for arguments, told in (([], True), ([f"--judge={other}"], False), ([f"--against={other}"], False)):
            assert main(["judge", "out", *arguments]) == 0
            assert ("note: the run has its labels from this very judge" in capsys.readouterr().out) is told

    def test_a_task_that_has_changed_since_is_named(
        self, suite: Path, alone: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone(suite, "--t2a-interface=transcripts:asr.jsonl", REPORT_OPTION)
        suite.write_text(suite.read_text(encoding="utf-8").replace("0.5*port", "0.4*port"), encoding="utf-8")
        capsys.readouterr()
        assert main(["judge", "out"]) == 2
        assert "files/set-port: no task file has it as this run knew it" in capsys.readouterr().err

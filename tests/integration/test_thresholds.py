"""Thresholds: the task's own before its suite's, before the option's, before the ini file's, before 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOSSY, TASKS, Run, Transcripts


def lossy(transcripts: Transcripts) -> str:
    return f"--t2a-interface=transcripts:{transcripts(LOSSY)}"


def test_an_option_lowers_both(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, lossy(transcripts), "--t2a-min-native=0.5", "--t2a-min-shapley=0.5")
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_each_metric_has_its_own(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = alone(tasks, lossy(transcripts), "--t2a-min-native=0.5")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["port: wanted 8080, heard 8081; shapley 0.5 < 1"])


def test_an_ini_key_and_the_option_over_it(
    alone: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts
) -> None:
    pytester.makeini("[pytest]\nt2a_min_native = 0.5\nt2a_min_shapley = 0.5\n")
    alone(tasks, lossy(transcripts)).assert_outcomes(passed=2)
    alone(tasks, lossy(transcripts), "--t2a-min-native=0.6").assert_outcomes(passed=1, failed=1)


def test_the_suite_over_the_option_and_the_task_over_the_suite(
    alone: Run, tasks: Path, transcripts: Transcripts
) -> None:
    header = "suite: {name: mini, thresholds: {native: 0.5, shapley: 0.5}}\n---\n"
    tasks.write_text(header + TASKS, encoding="utf-8")
    alone(tasks, lossy(transcripts), "--t2a-min-native=0.9", "--t2a-min-shapley=0.9").assert_outcomes(passed=2)
    tasks.write_text(f"{header}{TASKS}thresholds: {{native: 0.51}}\n", encoding="utf-8")
    result = alone(tasks, lossy(transcripts))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["port: wanted 8080, heard 8081; native 0.5 < 0.51"])


@pytest.mark.parametrize("value", ["1.5", "-0.1", "high", "nan", "1/0"])
def test_a_bad_threshold_is_a_usage_error(pytester: pytest.Pytester, tasks: Path, value: str) -> None:
    for name in ("native", "shapley"):
        result = pytester.runpytest(tasks, "--t2a-interface=text", f"--t2a-min-{name}={value}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: --t2a-min-{name}: '{value}' is not a number from 0 to 1"])


def test_a_bad_threshold_in_the_ini_file_is_one_too(pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeini("[pytest]\nt2a_min_native = high\n")
    assert pytester.runpytest(tasks).ret == pytest.ExitCode.USAGE_ERROR


def test_a_lost_critical_intention_fails_whatever_the_scores(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    text = TASKS.replace('port: {say: "8080", kind: number}', 'port: {say: "8080", kind: number, critical: true}')
    tasks.write_text(text, encoding="utf-8")
    result = run(tasks, lossy(transcripts), "--t2a-min-native=0", "--t2a-min-shapley=0")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["port: wanted 8080, heard 8081; critical intention port changed"])

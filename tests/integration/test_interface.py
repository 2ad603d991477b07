from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOSSY, PERFECT, PORT, Run, Transcripts


def test_controls_keep_everything(run: Run, tasks: Path) -> None:
    result = run(tasks, "--t2a-interface=text", "--t2a-interface=script")
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["text *2 *2 *0 *0 *1 *1 *", "script *2 *2 *0 *0 *1 *1 *", "GATE PASSED"])


def test_a_perfect_transcript_passes(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = alone(tasks, f"--t2a-interface=transcripts:{transcripts(PERFECT)}")
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_a_lost_intention_fails_and_says_what_was_heard(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, f"--t2a-interface=transcripts:{transcripts(LOSSY)}")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "port: wanted 8080, heard 8081; native 0.5 < 1; shapley 0.5 < 1",
            "port *changed *wanted '8080', heard '8081'*",
            "rerun *pytest *files/set-port*transcripts-asr*",
            f"{PORT}*failed *0.5 *0.5 *1 *port: wanted 8080, heard 8081",
            "GATE FAILED: 1 item failed: files/set-port*",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_several_conditions_give_items_each(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    good, bad = transcripts(PERFECT, "good.jsonl"), transcripts(LOSSY, "bad.jsonl")
    result = alone(tasks, "-v", f"--t2a-interface=old=transcripts:{good}", f"--t2a-interface=new=transcripts:{bad}")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*files/set-port?new-1]*failed*"])


def test_an_unknown_interface_is_a_usage_error(run: Run, tasks: Path) -> None:
    result = run(tasks, "--t2a-interface=wisper")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *unknown interface 'wisper'; did you mean 'whisper'*"])


def test_two_interfaces_of_one_label_are_a_usage_error(alone: Run, tasks: Path) -> None:
    result = alone(tasks, "--t2a-interface=text", "--t2a-interface=text")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *same label 'text'*"])


def test_an_ini_key_names_a_spec(alone: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    pytester.makeini(f"[pytest]\nt2a_specs =\n    nightly = transcripts:{transcripts(PERFECT)}\n")
    result = alone(tasks, "-v", "--t2a-interface=nightly")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*files/set-port?nightly-1]*"])


def test_a_missing_transcript_is_an_error_and_the_rest_go_on(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, f"--t2a-interface=transcripts:{transcripts({PORT: PERFECT[PORT]})}")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*no transcript of task 'files/copy-report'*", "GATE FAILED: *could not be judged*"])


def test_a_task_without_recordings_is_an_error_for_an_interface_that_hears(alone: Run, tasks: Path) -> None:
    result = alone(tasks, "--t2a-interface=command:cat {audio}")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*files/copy-report: the task lists no recording*"])

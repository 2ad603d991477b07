"""--t2a-agent without --t2a-execute: packages of workflows are held, scored and gated, in every mode."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import Baseline
from tests.conftest import Run
from tests.workflows.toys import expense, interview, write

ORACLE = "--t2a-agent=oracle"
FLAKY = "--t2a-agent=flaky=adversary:flaky"
"""Fails one of three repetitions."""


@pytest.fixture(autouse=True)
def _packages(pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "expense")
    write(interview(), pytester.path / "flows" / "interview")


def lines(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines)


def test_every_agent_holds_every_package_as_often_as_asked(run: Run, pytester: pytest.Pytester) -> None:
    result = run("flows", ORACLE, "--t2a-repetitions=2", "--junitxml=junit.xml", "--t2a-report=out")
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["measure *oracle", "held *4 sessions", "Pass@1 *100.0 %*(n=2)", "GATE PASSED"])
    suite = xml.etree.ElementTree.parse(pytester.path / "junit.xml")
    cases = {
        str(case.get("name")): {str(one.get("name")): one.get("value") for one in case.iter("property")}
        for case in suite.iter("testcase")
    }
    assert cases.keys() == {f"toy_{kind}_001[oracle-{n}]" for kind in ("form", "interview") for n in (1, 2)}
    facts = cases["toy_form_001[oracle-2]"]
    assert (facts["t2a.outcome"], facts["t2a.AV"], facts["t2a.archetype"]) == ("passed", "pass", "FORM_FILL")
    assert not {"t2a.session", "t2a.session_item"} & facts.keys()
    saved = json.loads((pytester.path / "out" / "workflows.json").read_text())
    assert (saved["passed"], len(saved["sessions"])) == (True, 4)
    assert "### workflows" in (pytester.path / "out" / "summary.md").read_text()


def test_a_failure_says_gate_by_gate_what_was_wanted_and_what_stood_there(run: Run) -> None:
    result = run("flows/expense", "--t2a-agent=silent")
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "TS target state       FAIL",
            "   terminal state done",
            "      wanted expense.status = 'submitted'",
            "      found  'open'",
            "PV process validity   pass",
            "artifact expense_1 against gold: * wrong of *",
            "   ! * employee_id *'E1042'*nothing",
            "log     *.jsonl   (talk2agent replay *",
            "rerun   pytest 'flows/expense/task.yaml::toy_form_001[[]silent-1]' --t2a-agent=silent=silent",
            "GATE FAILED: 1 session failed: *",
        ]
    )


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (("-k", "FORM_FILL"), {"toy_form_001[oracle-1]"}),
        (("-k", "interview"), {"toy_interview_001[oracle-1]"}),
        (("-m", "A3_APPROVAL_GATED_COMMIT"), {"toy_form_001[oracle-1]"}),
        (("-m", "t2a_workflow and not EVIDENCE_MATRIX"), {"toy_form_001[oracle-1]", "toy_interview_001[oracle-1]"}),
        (("-m", "MID_SPEECH_CORRECTION", "--strict-markers"), {"toy_form_001[oracle-1]"}),
    ],
)
def test_what_kind_of_work_it_is_selects(alone: Run, selection: tuple[str, ...], names: set[str]) -> None:
    result = alone("flows", ORACLE, *selection, "-v")
    assert result.ret == 0
    assert {line.split("::")[1].split(" ")[0] for line in result.outlines if "PASSED" in line and "::" in line} == names


def test_the_files_of_a_package_are_no_task_files(alone: Run) -> None:
    result = alone("flows", ORACLE, "--collect-only", "-q")
    assert result.ret == 0
    assert [line for line in result.outlines if "::" in line] == [
        "flows/expense/task.yaml::toy_form_001[oracle-1]",
        "flows/interview/task.yaml::toy_interview_001[oracle-1]",
    ]


def test_without_an_agent_nothing_is_held_and_the_run_says_so(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    result = run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_second_run_takes_what_was_held_and_a_failed_one_alone_is_repeated(pytester: pytest.Pytester) -> None:
    arguments = ("flows/expense", FLAKY, "--t2a-repetitions=3", "-p", "no:xdist")
    first = pytester.runpytest_subprocess(*arguments)
    first.assert_outcomes(passed=2, failed=1)
    logs = {path: path.stat().st_mtime_ns for path in (pytester.path / ".t2a").rglob("logs/*.jsonl")}
    assert len(logs) == 3
    again = pytester.runpytest_subprocess(*arguments, "--lf")
    again.assert_outcomes(failed=1)
    assert {path: path.stat().st_mtime_ns for path in logs} == logs


def test_a_torn_record_is_held_again(pytester: pytest.Pytester, alone: Run) -> None:
    assert alone("flows", ORACLE).ret == 0
    [path] = (pytester.path / ".t2a" / "store" / "sessions").glob("sessions-*.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    result = alone("flows", ORACLE)
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_a_run_that_is_killed_goes_on_where_it_was(pytester: pytest.Pytester) -> None:
    arguments = (sys.executable, "-m", "pytest", "flows", ORACLE, "--t2a-repetitions=30", "-q", "-p", "no:xdist")
    store = pytester.path / ".t2a" / "store" / "sessions"
    first = subprocess.Popen(arguments, cwd=pytester.path, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 120
        while first.poll() is None and time.monotonic() < until and len(held(store)) < 3:
            time.sleep(0.02)
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait(60)
    before = held(store)
    assert 3 <= len(before) < 60
    subprocess.run(arguments, cwd=pytester.path, stdout=subprocess.DEVNULL, check=True, timeout=300)
    after = held(store)
    assert len(after) == 60
    assert before <= after
    assert sum(path.read_bytes().count(b"\n") for path in store.glob("sessions-*.jsonl")) == 60  # none twice


def held(store: Path) -> set[bytes]:
    """Every whole record of a store."""
    contents = [path.read_bytes() for path in sorted(store.glob("sessions-*.jsonl"))]
    return {line for content in contents for line in content[: content.rfind(b"\n") + 1].splitlines()}


@pytest.mark.parametrize(
    ("limits", "status", "reason"),
    [
        ((), 1, "2 sessions failed"),
        (("--t2a-min-pass=2/3",), 0, "GATE PASSED"),
        (("--t2a-min-pass=0.7",), 1, "Pass@1 66.7 % < 0.7"),
        (("--t2a-min-reliable=0.1",), 1, "Reliable@3 0.0 % < 0.1"),
    ],
)
def test_least_shares(run: Run, limits: tuple[str, ...], status: int, reason: str) -> None:
    result = run("flows", FLAKY, "--t2a-repetitions=3", *limits)
    assert result.ret == status
    assert reason in lines(result)


def test_a_baseline_is_set_held_against_and_pinned(run: Run, pytester: pytest.Pytester) -> None:
    baseline = ("--t2a-baseline=base.json",)
    first = run("flows", ORACLE, *baseline, "--t2a-update-baseline")
    assert first.ret == 0
    assert Baseline.load(pytester.path / "base.json").workflows.outcome("oracle", "toy_form_001", 0) == "passed"
    assert run("flows", ORACLE, *baseline).ret == 0
    worse = run("flows", "--t2a-agent=candidate=silent", *baseline)
    assert worse.ret == 1
    assert "2 sessions failed" in lines(worse)
    assert "candidate against baseline oracle: Pass@1 by -100.0 points" in lines(worse)
    other = run("flows", "--t2a-agent=oracle=silent", *baseline)
    assert other.ret == pytest.ExitCode.USAGE_ERROR
    assert "agent oracle is now another build" in lines(other) + "\n".join(other.errlines)
    part = run("flows", ORACLE, *baseline, "--deselect=flows/interview/task.yaml::toy_interview_001[oracle-1]")
    assert part.ret == 0
    toy: Any = interview()
    toy["task.yaml"]["title"] = "Another one"
    write(toy, pytester.path / "flows" / "interview")
    changed = run("flows", ORACLE, *baseline)
    assert changed.ret == pytest.ExitCode.USAGE_ERROR
    assert "package changed: toy_interview_001" in lines(changed) + "\n".join(changed.errlines)


def test_what_the_baseline_has_and_nobody_deselected_must_run(run: Run, pytester: pytest.Pytester) -> None:
    assert run("flows", ORACLE, "--t2a-baseline=base.json", "--t2a-update-baseline").ret == 0
    (pytester.path / "flows" / "interview" / "task.yaml").unlink()
    result = run("flows", ORACLE, "--t2a-baseline=base.json")
    assert result.ret == 1
    assert "of the baseline did not run: toy_interview_001 of oracle" in lines(result)


def test_what_the_infrastructure_loses_is_an_error_and_red(run: Run) -> None:
    result = run("flows/expense", "--t2a-agent=adversary:disconnecting", "--t2a-min-pass=0")
    result.assert_outcomes(errors=1)
    assert result.ret == 1
    assert "no result after 3 attempts: " in lines(result)
    assert "1 session lost to the infrastructure, which says nothing of the agent" in lines(result)


def test_both_sets_of_rules_are_said_where_they_differ(run: Run, pytester: pytest.Pytester) -> None:
    toy: Any = expense()
    toy["grading/gold.yaml"]["precedence"] = [{"before": "submit", "after": "ask_approval"}]
    write(toy, pytester.path / "flows" / "expense")
    result = run("flows/expense", ORACLE)
    assert result.ret == 1
    assert "PV FAIL, by apex-1.0 pass" in lines(result)
    published = run("flows/expense", ORACLE, "--t2a-compat=apex-1.0")
    assert published.ret == 0
    assert "PV pass, by the mended rules FAIL" in lines(published)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--t2a-agent=orcale",), "agent orcale: there is no such agent; did you mean oracle?"),
        ((ORACLE, "--t2a-repetitions=0"), "--t2a-repetitions: '0' is no number of repetitions from 1 to 1000"),
        ((ORACLE, "--t2a-clock=sun"), "--t2a-clock: 'sun' is neither virtual nor real"),
        ((ORACLE, "--t2a-compat=apex-2.0"), "--t2a-compat: 'apex-2.0' is no set of rules"),
        ((ORACLE, "--t2a-min-pass=2"), "--t2a-min-pass: '2' is not a number from 0 to 1"),
        (
            (ORACLE, "--t2a-database=mysql://u:secret@h/d"),
            "is no database; write sqlite: or postgresql://USER@HOST/NAME",
        ),
        ((ORACLE, "--t2a-judge=labels:x"), "judges no fields"),
    ],
)
def test_what_is_typed_wrong_ends_the_run_in_one_line(alone: Run, arguments: tuple[str, ...], problem: str) -> None:
    result = alone("flows", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "\n".join([*result.outlines, *result.errlines])
    assert problem in said
    assert "secret" not in said.replace("mysql://u:secret", "mysql://u:***")


def test_a_package_that_is_wrong_is_no_skip(run: Run, pytester: pytest.Pytester) -> None:
    toy: Any = expense()
    toy["grading/gold.yaml"]["terminal_state"][0]["kind"] = "state_is"
    write(toy, pytester.path / "flows" / "expense")
    result = run("flows", ORACLE)
    assert result.ret != 0
    assert "flows/expense/grading/gold.yaml:" in lines(result)


def test_two_packages_of_one_name_are_refused(run: Run, pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "copy")
    result = run("flows", ORACLE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "two packages are called toy_form_001" in lines(result) + "\n".join(result.errlines)


def test_nothing_held_is_never_green(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "empty").mkdir()
    result = run("empty", ORACLE)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    none = run("flows", ORACLE, "-k", "nothing")
    assert none.ret != 0


def test_logs_prove_themselves(alone: Run, pytester: pytest.Pytester) -> None:
    from pytest_talk2agent.workflows.session.replay import replay

    assert alone("flows", ORACLE).ret == 0
    logs = sorted(Path(pytester.path).rglob("logs/*.jsonl"))
    assert len(logs) == 2
    assert {replay(log.read_bytes()).package.id for log in logs} == {"toy_form_001", "toy_interview_001"}

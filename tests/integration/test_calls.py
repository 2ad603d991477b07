"""--t2a-caller, --t2a-call, --t2a-channel and --t2a-listener: agents with a voice are called, in every mode."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.workflows.toys import expense, write

ORACLE = "--t2a-agent=spoken:oracle"
SINE = "--t2a-caller=stand-in"


@pytest.fixture(autouse=True)
def _packages(pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "expense")


def sessions(pytester: pytest.Pytester) -> list[dict[str, object]]:
    saved = json.loads((pytester.path / "out" / "workflows.json").read_text())
    return list(saved["sessions"].values())


def test_an_agent_with_a_voice_is_called_and_recorded(run: Run, pytester: pytest.Pytester) -> None:
    result = run("flows", ORACLE, SINE, "--t2a-repetitions=2", "--t2a-store=kept", "--t2a-report=out")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    for session in sessions(pytester):
        call = session["call"]
        assert isinstance(call, dict)
        recording = pytester.path / "kept" / "sessions" / call["recording"]
        assert hashlib.sha256(recording.read_bytes()).hexdigest() == call["recording_sha256"]
        assert call["settings"]["clips"]["name"] == "stand-in"
        assert session["key"]["sound"].startswith("C2; caller=stand-in")  # type: ignore[index]


def test_a_session_without_sound_has_no_call(run: Run, pytester: pytest.Pytester) -> None:
    run("flows", "--t2a-agent=oracle", "--t2a-report=out").assert_outcomes(passed=1)
    assert [(one["call"], one["key"]["sound"]) for one in sessions(pytester)] == [(None, "")]  # type: ignore[index]


def test_a_non_yielder_is_red_in_floor_control(run: Run, pytester: pytest.Pytester) -> None:
    run("flows", "--t2a-agent=spoken:adversary:non-yielder", SINE, "--t2a-report=out")
    (session,) = sessions(pytester)
    assert session["mended"]["yields"] == [0, 1, [], 1, 0, 0]  # type: ignore[index]


def test_a_call_is_not_held_twice_and_held_anew_on_another_line(run: Run, pytester: pytest.Pytester) -> None:
    run("flows", ORACLE, SINE).assert_outcomes(passed=1)
    run("flows", ORACLE, SINE, "--t2a-frozen").assert_outcomes(passed=1)
    other = run("flows", ORACLE, SINE, "--t2a-channel=phone", "--t2a-frozen")
    other.assert_outcomes(errors=1)
    run("flows", ORACLE, SINE, "--t2a-channel=phone").assert_outcomes(passed=1)


def test_the_user_needs_a_voice(run: Run) -> None:
    result = run("flows", ORACLE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no clip says*talk2agent speak*or name a live voice*"])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--t2a-call=C0", "--t2a-call: 'C0' is no way to call an agent; write C1, C2 or C3"),
        ("--t2a-caller=nobody", "*nobody*"),
        ("--t2a-channel=fog@3", "*fog*"),
        ("--t2a-listener=nobody", "*nobody*"),
    ],
)
def test_what_cannot_be_had_ends_the_run_in_one_line(run: Run, option: str, message: str) -> None:
    result = run("flows", ORACLE, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{message}*"])


def test_an_agent_that_takes_real_time_is_not_held_by_the_virtual_clock(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        slow="""
        from pytest_talk2agent.workflows.agents.policy import Oracle
        from pytest_talk2agent.workflows.agents.spoken import Spoken
        from dataclasses import replace

        def slow(text):
            made = Spoken(Oracle())
            made.abilities = replace(made.abilities, virtual=False)
            return made
        """
    )
    entry = pytester.path / "slow-1.dist-info"
    entry.mkdir()
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1\n")
    (entry / "entry_points.txt").write_text("[talk2agent.agents]\nslow = slow:slow\n")
    pytester.syspathinsert()
    result = run("flows", "--t2a-agent=slow", SINE, "--t2a-clock=virtual")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-clock: slow takes real time; leave the option out"])
    assert Path(entry).is_dir()

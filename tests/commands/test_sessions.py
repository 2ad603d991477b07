"""`talk2agent replay` and `talk2agent explore`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.session.run import run_session
from tests.commands.conftest import Say
from tests.workflows.session.test_session import revoking
from tests.workflows.toys import expense, load, write


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    run_session(load(expense(), tmp_path / "package"), make_agent("oracle"), "oracle").write(path)
    return path


def test_a_log_that_holds_says_its_gates(log: Path, say: Say) -> None:
    told = say("replay", log)
    assert "holds, " in told
    assert "toy_form_001 by oracle, repetition 1: TS pass, PV pass, AC pass, AV pass" in told


def test_a_log_that_was_changed_is_named_with_its_line(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = log.read_text(encoding="ascii").splitlines(keepends=True)
    changed = tmp_path / "b.jsonl"
    broken = next(n for n, line in enumerate(lines, 1) if n > 1 and "E1042" in line)
    changed.write_text("".join(line if n == 1 else line.replace("E1042", "E1043") for n, line in enumerate(lines, 1)))
    assert main(["replay", str(changed), str(log)]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"{changed}:{broken}: was changed: its digest is not that of what it says\n"
    assert "holds" in captured.out
    assert main(["replay", str(tmp_path / "none.jsonl")]) == 2


def test_a_search_writes_the_smallest_log_that_goes_wrong(tmp_path: Path, say: Say) -> None:
    package = write(revoking(), tmp_path / "package")
    path = tmp_path / "found.jsonl"
    told = say(
        "explore", package, "--agent", "adversary:post-revocation", "--sessions", 2, "--log", path, status=1
    ).splitlines()
    assert told[0] == "toy_form_001: write after revocation, in session 1 of 2"
    assert told[1].startswith("smallest schedule, ")
    assert told[-1] == f"talk2agent replay {path}"
    assert "PV fail" in say("replay", path)
    assert say("explore", package, "--agent", "oracle", "--sessions", 3) == (
        "toy_form_001: no contract was broken in 3 sessions\n"
    )


def test_a_wrong_argument_is_one_line(tmp_path: Path, complain: Say) -> None:
    package = write(expense(), tmp_path / "package")
    assert "did you mean oracle" in complain("explore", package, "--agent", "oracel")
    assert "--sessions must be at least 1" in complain("explore", package, "--agent", "oracle", "--sessions", 0)


def test_a_session_is_shown_as_it_was_spoken(tmp_path: Path, say: Say) -> None:
    package = write(expense(), tmp_path / "package")
    told = say("converse", package, "--agent", "oracle", "--log", tmp_path / "c.jsonl").splitlines()
    assert told[0] == "    0.5 s  user  Hi, I need to file my expenses."
    assert any(line.endswith("[cut after: So the total is 240]") for line in told)
    assert any('tool  submit {"target_id":"expense_1"}: ok' in line for line in told)
    assert told[-1].endswith("TS pass, PV pass, AC pass, AV pass")
    assert "holds" in say("replay", tmp_path / "c.jsonl")

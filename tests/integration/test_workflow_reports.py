"""What a run of workflows writes beside the terminal: the page with its timelines and differences, in every mode."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from tests.conftest import Run
from tests.workflows.toys import expense, interview, write

SUITE = Path(__file__).parents[2] / "suites" / "workflows"
CARD = "card-1-freeze-lost"


@pytest.fixture
def card(pytester: pytest.Pytester) -> str:
    """A package with a database behind its tools."""
    shutil.copytree(SUITE / CARD, pytester.path / "flows" / CARD)
    shutil.copytree(SUITE / "worlds", pytester.path / "flows" / "worlds")
    return f"flows/{CARD}"


def page(pytester: pytest.Pytester) -> str:
    return (pytester.path / "out" / "report.html").read_text(encoding="utf-8")


def plain(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html.partition("<main>")[2].partition("<script")[0]).split()))


def test_rows_are_told_before_and_after_in_the_failure_and_on_the_page(
    run: Run, card: str, pytester: pytest.Pytester
) -> None:
    result = run(card, "--t2a-agent=adversary:freezes-both", "--t2a-report=out")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "TS target state       FAIL",
            "AV artifact validity  pass",
            "",
            "2 rows changed, before -> after",
            "   cards K-103 changed: status 'active' -> 'frozen'",
            "   cards K-104 changed: status 'active' -> 'frozen'",
            "held * 1 session",
        ]
    )
    summary = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "| measure | adversary-freezes-both |" in summary
    assert (
        f"| {CARD}\\[adversary-freezes-both-1\\] | failed | TS failed: assertion no\\_other\\_card\\_changes:"
        in summary
    )
    shown = plain(page(pytester))
    assert "Gate failed 1 session · 1 workflow · 1 agent" in shown
    assert "2 rows changed, before -> after" in shown
    assert "cards K-104 changed status 'active' status 'frozen'" in shown
    assert "timeline of card-1-freeze-lost" in shown
    logs = list(pytester.path.rglob("logs/*.jsonl"))
    assert [f"talk2agent replay {log}" in shown for log in logs] == [True]
    again = f"pytest 'flows/{CARD}/task.yaml::{CARD}[adversary-freezes-both-1]'"
    assert f"{again} --t2a-agent=adversary-freezes-both=adversary:freezes-both" in shown


def test_a_run_in_which_all_pass_has_a_page_too(run: Run, pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "expense")
    write(interview(), pytester.path / "flows" / "interview")
    result = run("flows", "--t2a-agent=oracle", "--t2a-repetitions=2", "--t2a-report=out")
    assert result.ret == 0
    shown = plain(page(pytester))
    assert "Gate passed 4 sessions · 2 workflows · 1 agent" in shown
    assert shown.count("timeline of toy_") == 4
    assert "overlap" in shown
    assert "kinds of work, oracle" in shown
    assert "[100.0, 100.0]" not in shown
    saved = json.loads((pytester.path / "out" / "workflows.json").read_text())
    assert len(saved["sessions"]) == 4


def test_the_page_is_made_again_from_the_folder(
    alone: Run, card: str, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    write(expense(), pytester.path / "flows" / "expense")
    agents = ("--t2a-agent=oracle", "--t2a-agent=bad=adversary:freezes-both")
    result = alone("flows", *agents, "--t2a-report=out", "--t2a-min-pass=0.9")
    result.assert_outcomes(passed=3, errors=1)
    out = pytester.path / "out"
    of_the_run = page(pytester)
    (out / "report.html").unlink()
    assert main(["report", str(out)]) == 0
    assert page(pytester) == of_the_run
    assert "report.html: 3 sessions, 0." in capsys.readouterr().out
    (out / "workflows.json").write_text('{"sessions": {"a": {}}}')
    assert main(["report", str(out)]) == 2
    assert "workflows.json is not what a run writes (" in capsys.readouterr().err


def test_what_the_infrastructure_lost_is_on_the_page_with_its_reason(alone: Run, pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "expense")
    result = alone("flows", "--t2a-agent=adversary:disconnecting", "--t2a-report=out")
    result.assert_outcomes(errors=1)
    shown = plain(page(pytester))
    assert "no result after 3 attempts: " in shown
    assert "What was said and done (" in shown


def test_a_log_that_is_gone_is_said(alone: Run, pytester: pytest.Pytester) -> None:
    """The page of a run is written whatever became of a log meanwhile."""
    write(expense(), pytester.path / "flows" / "expense")
    pytester.makeconftest(
        """
        from pathlib import Path

        def pytest_runtest_teardown(item):
            for log in Path(".t2a").rglob("logs/*.jsonl"):
                log.unlink()
        """
    )
    result = alone("flows", "--t2a-agent=silent", "--t2a-report=out")
    result.assert_outcomes(failed=1)
    assert "its log cannot be read (No such file or directory): no timeline and no differences" in plain(page(pytester))

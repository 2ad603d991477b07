"""``talk2agent regate`` and ``compare`` on runs that held workflows: decided with them, never without."""

from __future__ import annotations

import json

import pytest

from pytest_talk2agent.cli import main
from tests.conftest import Run
from tests.workflows.toys import expense, interview, write

FLAKY = "--t2a-agent=flaky=adversary:flaky"
TASK = """
id: notes/delete
instruction: Delete the file notes.txt.
intentions:
  file: {say: notes.txt, kind: filename}
value: file
"""


@pytest.fixture(autouse=True)
def _packages(pytester: pytest.Pytester) -> None:
    write(expense(), pytester.path / "flows" / "expense")
    write(interview(), pytester.path / "flows" / "interview")
    (pytester.path / "flows" / "delete.yaml").write_text(TASK, encoding="utf-8")


def test_failed_sessions_stay_failed_beside_transcripts_that_pass(
    run: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run("flows", "--t2a-interface=text", "--t2a-agent=silent", "--t2a-report=out")
    assert result.ret == 1
    assert main(["regate", "out"]) == 1
    assert "GATE FAILED: 2 sessions failed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("limits", "status", "reason"),
    [
        ((), 1, "2 sessions failed"),
        (("--min-pass=2/3",), 0, "GATE PASSED"),
        (("--min-pass=0.7",), 1, "Pass@1 66.7 % < 0.7"),
        (("--min-reliable=0.1",), 1, "Reliable@3 0.0 % < 0.1"),
        (("--min-pass=0.5", "--must-pass=toy_form*"), 1, "1 session failed"),
    ],
)
def test_the_verdict_is_that_of_pytest_under_the_same_rules(
    run: Run, capsys: pytest.CaptureFixture[str], limits: tuple[str, ...], status: int, reason: str
) -> None:
    run("flows/expense", "flows/interview", FLAKY, "--t2a-repetitions=3", "--t2a-report=out")
    assert main(["regate", "out", *limits]) == status
    assert reason in capsys.readouterr().out


def test_limits_on_workflows_need_some(alone: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert alone("flows/delete.yaml", "--t2a-interface=text", "--t2a-report=out").ret == 0
    assert main(["regate", "out", "--min-pass=0.5"]) == 1
    assert "no workflow was held in this run" in capsys.readouterr().out


def test_a_baseline_of_workflows_is_held_against(
    alone: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    flows = ("flows/expense", "flows/interview")
    alone(*flows, "--t2a-agent=oracle", "--t2a-baseline=base.json", "--t2a-update-baseline")
    alone(*flows, "--t2a-agent=candidate=silent", "--t2a-report=out")
    capsys.readouterr()
    assert main(["regate", "out", "--baseline=base.json"]) == 1
    assert "2 sessions failed" in capsys.readouterr().out
    assert main(["regate", "out", "--baseline=base.json", "--margin=pass=0.2"]) == 1
    assert "candidate against baseline oracle: Pass@1 by -100.0 points" in capsys.readouterr().out
    alone(*flows, "--t2a-agent=oracle=silent", "--t2a-report=other")
    capsys.readouterr()
    assert main(["regate", "other", "--baseline=base.json"]) == 2
    assert "agent oracle is now another build" in capsys.readouterr().err


@pytest.mark.parametrize("loss", ["file", "row", "text"])
def test_sessions_that_are_gone_are_no_pass(
    alone: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], loss: str
) -> None:
    alone("flows", "--t2a-interface=text", "--t2a-agent=silent", "--t2a-report=out")
    path = pytester.path / "out" / "workflows.json"
    if loss == "file":
        path.unlink()
    elif loss == "row":
        saved = json.loads(path.read_text(encoding="utf-8"))
        saved["sessions"].popitem()
        path.write_text(json.dumps(saved), encoding="utf-8")
    else:
        path.write_text("[]", encoding="utf-8")
    capsys.readouterr()
    assert main(["regate", "out"]) == 2
    told = capsys.readouterr().err
    assert "workflows.json" in told
    assert "make the run again with --t2a-report" in told


def test_two_runs_are_compared(alone: Run, capsys: pytest.CaptureFixture[str]) -> None:
    flows = ("flows/expense", "flows/interview")
    alone(*flows, "--t2a-agent=oracle", "--t2a-report=before")
    alone(*flows, "--t2a-agent=silent", "--t2a-report=after")
    capsys.readouterr()
    assert main(["compare", "before", "after"]) == 0
    assert "silent against before: oracle: Pass@1 by -100.0 points" in capsys.readouterr().out
    assert main(["compare", "before", "after", "--margin=pass=0.1"]) == 1
    assert "FAILED" in capsys.readouterr().out
    assert main(["compare", "before", "before", "--margin=pass=0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["passed"] is True
    assert told["workflows"]


def test_a_test_that_failed_for_another_reason_stays_failed(
    alone: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(item):
            yield
            assert "expense" not in str(item.path), "the lamp is on"
        """
    )
    assert alone("flows/expense", "flows/interview", "--t2a-agent=oracle", "--t2a-report=out").ret == 1
    capsys.readouterr()
    assert main(["regate", "out"]) == 1
    assert "1 session failed" in capsys.readouterr().out

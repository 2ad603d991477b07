"""Annotations of GitHub Actions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.github import MOST, workflow_commands
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.results.builders import CHANGED, interval, judgement, lossy, result, retention


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def commands(*rows: TaskResult, errors: dict[str, str] | None = None, items: bool = True) -> list[str]:
    gate = decide_gate(rows, errors or {}, (), inconclusive_passes=False)
    places = {row.node: ("suites/tasks.yaml", 7) for row in rows}
    return workflow_commands(rows, errors or {}, gate, places, items=items)


def test_a_gate_that_passed_is_not_annotated() -> None:
    assert commands(result()) == []


def test_the_gate_comes_first_and_an_item_stands_on_its_line() -> None:
    gate, item = commands(lossy("bad"))
    assert gate == "::error title=talk2agent%3A gate failed::1 item failed: bad[whisper-tiny.en-amy]"
    assert item == (
        "::error file=suites/tasks.yaml,line=7,title=bad[whisper-tiny.en-amy]"
        "::port: wanted 8080, heard 8080; native 0.5 < 1; shapley 0.5 < 1"
    )


def test_the_worst_are_shown_and_the_others_counted() -> None:
    rows = []
    for number in range(20):
        score = interval(str(Fraction(number, 20)))
        rows.append(result(f"t{number:02}", outcome=Outcome.FAILED, kept=retention(score, score, lost=1)))
    found = commands(*reversed(rows))
    assert len(found) == MOST
    assert found[0].endswith("(+11 more in the job summary)")
    assert "title=t00[" in found[1]
    assert "title=t08[" in found[-1]


def test_errors_are_annotated_without_a_place() -> None:
    assert commands(errors={"f.yaml::t[x]": "no audio"})[1] == "::error title=t[x]::no audio"


def test_only_the_gate_where_another_plugin_annotates_items() -> None:
    assert len(commands(lossy("bad"), items=False)) == 1


def test_a_line_break_begins_no_command() -> None:
    row = result("bad", outcome=Outcome.FAILED, reasons=("100%\n::stop::",), judged=judgement({"port": CHANGED}))
    assert commands(row)[1].endswith("::port: wanted 8080, heard 8080; 100%25%0A::stop::")


def test_what_cannot_be_seen_is_spelled() -> None:
    row = result(
        "bad", outcome=Outcome.FAILED, reasons=("a\x1b[2J\u202e\u2028b\rc",), judged=judgement({"port": CHANGED})
    )
    assert commands(row)[1].endswith(r"::port: wanted 8080, heard 8080; a\x1b[2J\u202e\u2028b%0Dc")


class TestTheCheckout:
    @pytest.mark.parametrize(
        ("workspace", "root", "shown"),
        [
            (".", "voice", "voice/suites/tasks.yaml"),
            ("voice", "voice", "suites/tasks.yaml"),
            ("link", "voice", "suites/tasks.yaml"),
            ("elsewhere", "voice", "suites/tasks.yaml"),
        ],
    )
    def test_files_are_named_from_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: str, root: str, shown: str
    ) -> None:
        (tmp_path / "voice").mkdir()
        (tmp_path / "link").symlink_to("voice")
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / workspace))
        row = lossy("bad")
        gate = decide_gate([row], {}, (), inconclusive_passes=False)
        found = workflow_commands([row], {}, gate, {row.node: ("suites/tasks.yaml", 7)}, root=tmp_path / root)
        assert f"file={shown},line=7," in found[1]

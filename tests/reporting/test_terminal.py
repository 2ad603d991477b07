"""The terminal summary."""

from __future__ import annotations

from pytest_talk2agent.reporting.terminal import SHOWN, summary_lines
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.results.builders import CHANGED, KEPT, OPEN, interval, judgement, lossy, result, retention, undefined


def lines(*rows: TaskResult, errors: dict[str, str] | None = None, verbose: bool = False) -> list[str]:
    gate = decide_gate(rows, errors or {}, (), inconclusive_passes=False)
    return summary_lines(rows, errors or {}, gate, verbose=verbose)


def test_what_passed_is_not_shown_unless_asked_for() -> None:
    rows = [result("good"), lossy("bad")]
    assert not [line for line in lines(*rows) if line.startswith("good")]
    assert [line.split()[:2] for line in lines(*rows, verbose=True)[1:3]] == [
        ["bad[whisper-tiny.en-amy]", "failed"],
        ["good[whisper-tiny.en-amy]", "passed"],
    ]


def test_a_failed_row_says_what_was_lost() -> None:
    assert (
        lines(lossy("bad"))[1]
        == "bad[whisper-tiny.en-amy]  failed   0.5     0.5      1     port: wanted 8080, heard 8080"
    )


def test_an_open_row_says_what_is_open() -> None:
    row = result(
        "open",
        outcome=Outcome.INCONCLUSIVE,
        kept=retention(interval("0", "1")),
        judged=judgement({"a": OPEN, "b": KEPT, "c": CHANGED}),
    )
    assert lines(row)[1].endswith("inconclusive  [0, 1]  1        0     c: wanted 8080, heard 8080 +1 more")


def test_a_row_for_each_condition() -> None:
    found = lines(result(condition="new"), result(condition="old"))
    assert [line.split()[0] for line in found[:3]] == ["condition", "new", "old"]
    assert found[1].split() == ["new", "1", "1", "0", "0", "1", "1", "0/2", "0", "0.0%", "33.3%"]


def test_what_means_leave_out_is_counted() -> None:
    found = lines(result("a"), result("b", kept=undefined(), outcome=Outcome.UNDEFINED))
    assert found[-1].startswith("means leave out 1 item: ")
    assert not [line for line in lines(result()) if "leave out" in line]


def test_a_long_list_is_cut_and_counted() -> None:
    rows = [lossy(f"t{number:02}") for number in range(SHOWN + 5)]
    assert "and 5 more (-v shows all)" in lines(*rows)
    assert "and 5 more (-v shows all)" not in lines(*rows, verbose=True)


def test_a_list_that_fits_is_not_cut() -> None:
    rows = [lossy(f"t{number:02}") for number in range(SHOWN)]
    errors = {f"f.yaml::e{number:02}[x]": "no audio" for number in range(SHOWN)}
    assert not [line for line in lines(*rows, errors=errors) if line.startswith("and ")]


def test_errors_are_lines_in_a_fixed_order() -> None:
    errors = {f"f.yaml::t{number:02}[x]": "no audio" for number in reversed(range(SHOWN + 2))}
    found = lines(errors=errors)
    assert found[0] == "ERROR t00[x]: no audio"
    assert found[-1] == "and 2 more errors"

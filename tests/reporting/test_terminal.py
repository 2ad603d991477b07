"""The terminal summary."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.reporting.terminal import SHOWN, ProgressLine, summary_lines
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.results.builders import CHANGED, KEPT, OPEN, interval, judgement, lossy, result, retention, undefined


class Reporter:
    """Notes what a terminal reporter is told."""

    def __init__(self, *, isatty: bool) -> None:
        self.isatty = isatty
        self.drawn: list[str] = []
        self.lines: list[str] = []

    def rewrite(self, text: str, **_: Any) -> None:
        self.drawn.append(text)

    def write(self, text: str) -> None:
        assert text == "\r"

    def ensure_newline(self) -> None:
        pass

    def write_line(self, text: str) -> None:
        self.lines.append(text)


def line_of(reporter: Reporter, verbosity: int = 0, *, beside_items: bool = False) -> ProgressLine:
    manager = SimpleNamespace(get_plugin=lambda name: reporter)
    config = SimpleNamespace(pluginmanager=manager, get_verbosity=lambda: verbosity)
    return ProgressLine(cast("pytest.Config", config), beside_items=beside_items)


def run(reporter: Reporter, *steps: Progress, verbosity: int = 0) -> Reporter:
    line = line_of(reporter, verbosity)
    for step in steps:
        line._shown = float("-inf")  # as if the last bar was drawn long ago
        line.show(step)
    line.close()
    return reporter


def test_a_terminal_shows_a_bar_and_then_one_line() -> None:
    reporter = run(Reporter(isatty=True), Progress(4, 1), Progress(4, 4))
    assert reporter.drawn == [
        f"transcribing [{'#' * 7}{'.' * 23}] 1/4",
        f"transcribing [{'#' * 30}] 4/4",
        "",
    ]
    (line,) = reporter.lines
    assert re.fullmatch(r"talk2agent: 0 of 4 transcripts from the store, 4 recordings transcribed in \d+\.\d s", line)


@pytest.mark.parametrize("total", [1, 10, 1000, 100_000])
def test_the_closing_line_covers_the_bar(total: int) -> None:
    reporter = run(Reporter(isatty=True), Progress(total, total - 1), Progress(total, total, stored=total))
    assert len(reporter.lines[0]) >= max(map(len, reporter.drawn))


def test_a_log_file_gets_lines() -> None:
    reporter = run(Reporter(isatty=False), Progress(2, 1), Progress(2, 2, failed=1))
    assert reporter.drawn == []
    assert reporter.lines[:2] == ["talk2agent: 1 of 2 transcripts", "talk2agent: 2 of 2 transcripts"]
    assert reporter.lines[2].startswith(
        "talk2agent: 0 of 2 transcripts from the store, 1 recording transcribed, 1 failed in "
    )


def test_a_log_file_gets_no_more_than_a_line_every_ten_seconds() -> None:
    reporter = Reporter(isatty=False)
    line = line_of(reporter)
    for done in range(1, 1001):
        line.show(Progress(1000, done))
    assert reporter.lines == []


def test_a_long_recording_is_not_silence() -> None:
    reporter = run(Reporter(isatty=False), Progress(2), Progress(2))
    assert reporter.lines[:2] == ["talk2agent: 0 of 2 transcripts"] * 2


def test_beside_items_a_terminal_is_left_alone() -> None:
    reporter = Reporter(isatty=True)
    line = line_of(reporter, beside_items=True)
    line._shown = float("-inf")
    line.show(Progress(2, 1))
    assert reporter.drawn == []


def test_what_comes_from_the_store_draws_no_bar() -> None:
    reporter = Reporter(isatty=True)
    line = line_of(reporter)
    line._shown = time.monotonic()
    for step in (Progress(2, 1, stored=1), Progress(2, 2, stored=2)):
        line.show(step)
    line.close()
    assert reporter.drawn == [""]
    assert reporter.lines[0].startswith("talk2agent: 2 of 2 transcripts from the store")


def test_a_pass_over_nothing_says_nothing() -> None:
    assert run(Reporter(isatty=True)).lines == []


def test_a_quiet_run_says_nothing() -> None:
    reporter = run(Reporter(isatty=True), Progress(1, 1), verbosity=-1)
    assert (reporter.drawn, reporter.lines) == ([], [])


def test_a_bar_is_not_drawn_all_the_time() -> None:
    reporter = Reporter(isatty=True)
    line = line_of(reporter)
    for done in range(1, 1001):
        line.show(Progress(1000, done))
    assert 1 <= len(reporter.drawn) < 500


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
    assert found[-1].startswith("not in the means: 1 item without a score")
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

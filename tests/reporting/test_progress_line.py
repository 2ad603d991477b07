"""The progress of a transcription pass: a bar on a terminal, one line elsewhere, nothing where nothing is to do."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytest_talk2agent.reporting.progress_line import ProgressLine

from pytest_talk2agent.engine.progress import Progress


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

"""The beginning of a red page: what was lost, what was heard instead, where, and since when."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.reporting.html.before import Before, BeforeBaseline, BeforeLimits, Count, moved_of
from pytest_talk2agent.reporting.html.lost import FIRST, MOST, lost_rows, lost_table
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Limits, Outcome
from tests.reporting.test_html_markup import HOSTILE, read
from tests.results.builders import (
    CHANGED,
    JUDGE,
    KEPT,
    OMITTED,
    ONE,
    OPEN,
    baseline,
    finding,
    interval,
    judgement,
    lossy,
    result,
    retention,
)


def item(task: str, outcome: Outcome = Outcome.FAILED, **findings: tuple[Label, str]) -> TaskResult:
    """An item with an intention for each keyword: its label, and its Shapley value."""
    found = {name: finding(label, None if label is OMITTED else "8081") for name, (label, _) in findings.items()}
    weights = {name: Fraction(weight) for name, (_, weight) in findings.items()}
    return result(task, outcome=outcome, judged=Judgement(found, JUDGE), weights=weights, reasons=("native 0 < 1",))


def table_of(*rows: TaskResult, before: Before | None = None) -> list[list[str]]:
    """The cells of every table, row by row."""
    earlier = before or BeforeLimits()
    pieces = lost_table(lost_rows(rows), earlier, compared=bool(moved_of(rows, earlier)))
    cells = Cells()
    cells.feed("".join(pieces))
    return cells.rows


class Cells(HTMLParser):
    """The text of every cell, row by row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] = f"{self.rows[-1][-1]}{data}".lstrip()


def test_failed_items_stand_first_then_the_largest_share() -> None:
    rows = [
        item("open", Outcome.INCONCLUSIVE, who=(OPEN, "1")),
        item("passed", Outcome.PASSED, port=(CHANGED, "1")),
        item("small", port=(CHANGED, "1/10"), host=(KEPT, "9/10")),
        item("large", port=(OMITTED, "9/10"), who=(OPEN, "1/10")),
    ]
    assert [(row.result.task, row.name) for row in lost_rows(rows)] == [
        ("large", "port"),
        ("small", "port"),
        ("large", "who"),
        ("open", "who"),
    ]


def test_a_row_says_what_was_wanted_heard_and_where() -> None:
    assert table_of(item("files/x", port=(CHANGED, "3/4"), host=(OMITTED, "1/4"))) == [
        ["intention", "wanted", "heard", "share", "where"],
        ["in items that failed"],
        ["port number, changed", "8080", "8081", "0.75", "files/x amy · whisper-tiny.en · suites/tasks.yaml"],
        ["host number, omitted", "8080", "nothing", "0.25", "files/x amy · whisper-tiny.en · suites/tasks.yaml"],
    ]


def test_a_row_says_since_when(tmp_path: Path) -> None:
    labels = {"port": CHANGED, "service": OMITTED}
    kept = retention(interval("0"), interval("0"), lost=2)
    rows = [result(task, outcome=Outcome.FAILED, judged=judgement(labels), kept=kept) for task in ("a", "new")]
    before = BeforeBaseline(baseline(tmp_path / "rc0.json", lossy("a")))
    cells = [line[4] for line in table_of(*rows, before=before) if len(line) == 6]
    assert cells == ["before", "lost before Native 0.5", "retained before Native 0.5", "new item", "new item"]


@pytest.mark.parametrize(("native", "shown"), [("1", "retained before Native 1"), ("1/2", "Native 0.5")])
def test_from_scores_alone_only_a_full_one_says_what_was_retained(native: str, shown: str) -> None:
    held = Limits({}, {"native": interval(native), "shapley": interval(native)})
    row = replace(item("a", port=(CHANGED, "1")), limits=held)
    assert table_of(row)[-1][4] == shown


def test_an_item_that_fails_without_a_loss_tells_its_reasons() -> None:
    assert table_of(item("a", port=(KEPT, "1")))[-1] == [
        "native 0 < 1",
        "a amy · whisper-tiny.en · suites/tasks.yaml",
    ]


def test_a_long_list_is_folded_and_ends() -> None:
    rows = lost_rows([item(f"t{number:03}", port=(CHANGED, "1")) for number in range(MOST + 7)])
    first, folded, rest = lost_table(rows, BeforeLimits(), compared=False)
    assert (first.count("l-name"), folded.count("l-name")) == (FIRST, MOST - FIRST)
    assert f"<summary>{MOST - FIRST} more</summary>" in folded
    assert "7 more are in the list of items below" in rest


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_heard_stays_text(text: str) -> None:
    found = Judgement({"port": Finding(Label.CHANGED, text, text, text, 0, len(text))}, JUDGE)
    row = replace(item(text, port=(CHANGED, "1")), judgement=found, take=text, condition=text, kinds={"port": text})
    plain, seen = (
        read("".join(lost_table(lost_rows([one]), BeforeLimits(), compared=False)))
        for one in (item("a", port=(CHANGED, "1")), row)
    )
    allowed = {tag for tag, _ in plain.tags}
    assert {tag for tag, _ in seen.tags} <= allowed
    assert not [name for _, given in seen.tags for name in given if name.startswith("on")]


class TestMoved:
    def test_means_and_losses_are_over_what_both_have(self, tmp_path: Path) -> None:
        before = BeforeBaseline(baseline(tmp_path / "rc0.json", result("a"), lossy("b"), result("gone")))
        moved = moved_of([lossy("a"), result("b"), lossy("new")], before)["whisper-tiny.en"]
        half = interval("1/2")
        assert (moved.items, moved.new) == (2, 1)
        assert moved.native == moved.shapley == (interval("3/4"), interval("3/4"))
        assert moved.lost == Count(of=4, before=1, now=1)
        worse = moved_of([lossy("a"), lossy("b")], before)["whisper-tiny.en"]
        assert worse.native == (interval("3/4"), half)
        assert worse.kinds == {"number": Count(of=4, before=1, now=2)}

    def test_what_enters_no_mean_enters_none(self, tmp_path: Path) -> None:
        before = BeforeBaseline(baseline(tmp_path / "rc0.json", result("a")))
        moved = moved_of([replace(lossy("a"), polarity="reversal")], before)["whisper-tiny.en"]
        assert (moved.native, moved.shapley) == (None, None)
        assert moved.lost == Count(of=2, before=0, now=1)

    def test_scores_alone_say_nothing_of_intentions(self) -> None:
        row = replace(lossy("a"), limits=Limits({}, {"native": ONE, "shapley": ONE}))
        moved = moved_of([row], BeforeLimits())["whisper-tiny.en"]
        assert moved.native == (ONE, interval("1/2"))
        assert (moved.lost, moved.kinds) == (Count(), {})

    def test_a_run_that_is_compared_with_nothing(self) -> None:
        assert moved_of([lossy("a")], BeforeLimits()) == {}

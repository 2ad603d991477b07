"""The comparison with a baseline as rows of cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pytest_talk2agent.reporting.github import summary_markdown
from pytest_talk2agent.reporting.run_tables import release_tables, tables_of
from pytest_talk2agent.results.comparison import Change, Comparison, Difference, KindChange
from pytest_talk2agent.results.gate import decide_gate
from tests.results.builders import result

ROWS = (
    Difference(
        metric="native",
        tasks=30,
        before=(0.95, 0.95),
        after=(0.9, 0.92),
        difference=(-0.05, -0.0301),
        interval=(-0.12, 0.0),
        margin=Fraction(1, 20),
        change=Change.UNDECIDED,
    ),
    Difference(
        metric="lost",
        tasks=30,
        before=(0.1, 0.1),
        after=(0.1, 0.1),
        difference=(-1e-17, 0.0),
        interval=(-1e-17, 1e-17),
        margin=Fraction(1, 20),
        change=Change.NOT_REGRESSED,
    ),
)
KINDS = (
    KindChange("number", 40, 4, 40, 36, 0, 1, p=1e-10, adjusted=2e-10, regressed=True),
    KindChange("term", 20, 1, 1, 0, 0, 0, p=1.0, adjusted=1.0),
)
FOUND = Comparison("rc1", "main", 60, 30, 2, 0, ROWS, KINDS, "bootstrap", 10_000, 0)


def test_a_row_for_each_metric_with_its_interval_and_verdict() -> None:
    (title, head, rows), _ = release_tables([FOUND])
    assert title == "rc1 against main: means over tasks (30 tasks, 60 items, 2 only in the baseline)"
    assert head[4] == "95 % interval"
    assert rows == [
        ["native", "0.950", "[0.900, 0.920]", "[-0.050, -0.030]", "[-0.120, +0.000]", "-0.05", "undecided"],
        ["lost", "0.100", "0.100", "+0.000", "+0.000", "+0.05", "not regressed"],
    ]


def test_a_row_for_each_kind_that_changed() -> None:
    _, (title, _, rows) = release_tables([FOUND])
    assert title == "rc1 against main: intentions lost, by kind"
    assert rows == [["number", "40", "4", "40", "36", "0", "1", "2e-10", "regressed"]]


def test_kinds_that_did_not_change_are_no_table() -> None:
    assert len(release_tables([replace(FOUND, kinds=KINDS[1:])])) == 1


def test_without_a_margin_and_without_an_interval() -> None:
    row = replace(ROWS[0], tasks=1, interval=None, margin=None, change=None)
    (_, _, rows), *_ = release_tables([replace(FOUND, differences=(row,))])
    assert rows[0][4:] == ["none: fewer than two tasks", "", ""]


def test_it_stands_below_the_conditions_in_the_terminal_and_in_markdown() -> None:
    gate = decide_gate([result()], {}, (), inconclusive_passes=False)
    gate = replace(gate, comparisons=(FOUND,), remarks=("all 2 intentions of kind number are lost",))
    assert [title for title, _, _ in tables_of(gate, [result()])][-2:] == [
        title for title, _, _ in release_tables([FOUND])
    ]
    text = summary_markdown([result()], {}, gate)
    assert "- note: all 2 intentions of kind number are lost\n" in text
    assert "| native | 0.950 |" in text

from __future__ import annotations

import pytest

from pytest_talk2agent.reporting.session_diff import ARTIFACTS, CELLS, FIELDS, ROWS, diff_lines
from pytest_talk2agent.workflows.campaign.diff import WORLD, ArtifactDiff, Cell, FieldDiff, RowDiff, SessionDiff

WRONG = FieldDiff("amount", "wrong", "'200'", "'240'", stale=True)
RIGHT = FieldDiff("name", "right", "'x'", "'x'")


def test_an_artifact_that_differs_field_by_field() -> None:
    assert diff_lines(SessionDiff((ArtifactDiff("a", (WRONG, RIGHT), ("note",)), ArtifactDiff("b", (RIGHT,))))) == [
        "",
        "artifact a against gold: 1 wrong of 2",
        "      field   wanted  stood there",
        "   !  amount  '200'   '240' (stale)",
        "   =  name    'x'     'x'",
        "   not in gold: note",
    ]


def test_rows_before_and_after() -> None:
    rows = (
        RowDiff("cards", "K-1", "changed", (Cell("status", "'active'", "'frozen'"),)),
        RowDiff("cards", "K-2", "inserted", (Cell("id", None, "'K-2'"), Cell("n", None, "1"))),
        RowDiff(WORLD, "", "changed", (Cell("slots.am", "'free'", "'taken'"),)),
    )
    assert diff_lines(SessionDiff(rows=rows, tables=("cards",))) == [
        "",
        "2 rows changed, before -> after",
        "   cards K-1 changed: status 'active' -> 'frozen'",
        "   cards K-2 inserted: id 'K-2', n 1",
        "world, before -> after: slots.am 'free' -> 'taken'",
    ]
    assert diff_lines(SessionDiff(tables=("cards",))) == ["", "no row changed"]
    assert diff_lines(SessionDiff()) == []


def test_what_is_left_out_is_counted() -> None:
    many = ArtifactDiff("a", (WRONG,) * (FIELDS + 5), tuple(f"f{n}" for n in range(CELLS + 2)))
    cells = tuple(Cell(f"c{n}", "1", "2") for n in range(CELLS + 3))
    lines = diff_lines(SessionDiff((many,) * (ARTIFACTS + 1), (RowDiff("t", "k", "changed", cells),) * (ROWS + 1)))
    assert lines.count("   and 5 fields more") == ARTIFACTS
    assert lines.count("   and 1 artifact more") == lines.count("   and 1 row more") == 1
    assert sum(line.endswith(" and 3 more") for line in lines) == ROWS
    assert sum(line.endswith(" and 2 more") for line in lines) == ARTIFACTS


@pytest.mark.parametrize("text", ["x" * 10**6, "\x1b[2J\n::error::" * 50])
def test_a_value_of_any_length_is_short(text: str) -> None:
    hostile = ArtifactDiff("a", (FieldDiff("f", "wrong", text, text),), (text,))
    row = RowDiff("t", text, "changed", (Cell("c", text, text),))
    assert max(map(len, diff_lines(SessionDiff((hostile,), (row,))))) < 500

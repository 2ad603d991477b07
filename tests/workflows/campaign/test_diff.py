from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.campaign.diff import WORLD, ArtifactDiff, Cell, RowDiff, SessionDiff, session_diff
from pytest_talk2agent.workflows.campaign.record import SessionKey, record_session
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import RowChange, WorldChange
from tests.workflows.scoring.sessions import RIGHT, finished, form
from tests.workflows.toys import expense, load

KEY = SessionKey(
    package="w", package_sha256="a", agent="x", agent_sha256="b", repetition=0, seed=1, clock="virtual"
)  # fmt: skip


def diff_of(folder: Path, **changes: Any) -> SessionDiff:
    package, trace = load(expense(), folder), finished(**changes)
    record = record_session(KEY, package, trace, score_session(package, trace))
    return session_diff(package, trace, record.score())


def marks(one: ArtifactDiff) -> dict[str, str]:
    return {field.field: field.mark for field in one.fields}


def test_a_session_as_gold_wants_it_does_not_differ(tmp_path: Path) -> None:
    [one] = diff_of(tmp_path).artifacts
    assert not one.differs
    assert set(marks(one).values()) <= {"right", "optional"}


def test_wrong_fields_come_first_and_say_what_stood_there(tmp_path: Path) -> None:
    fields = {**RIGHT, "total_amount": 240, "trip_purpose": "to see a customer", "note": "n"}
    del fields["cost_center"]
    [one] = diff_of(tmp_path, **form(fields, stale=("employee_id",))).artifacts
    assert [field.field for field in one.fields[:3]] == ["cost_center", "total_amount", "trip_purpose"]
    assert [field.mark for field in one.fields[:3]] == ["wrong", "wrong", "unjudged"]
    assert (one.fields[1].wanted, one.fields[1].found) == ("'200' (numeric_tolerance)", "'240'")
    assert one.fields[0].found == "nothing"
    assert {field.field for field in one.fields if field.stale} == {"employee_id"}
    assert one.unasked == ("note",)
    assert (one.count("wrong"), one.count("unjudged")) == (2, 1)


def test_lifecycle_and_absence_are_said_beside_the_fields(tmp_path: Path) -> None:
    [early] = diff_of(tmp_path, **form(dict(RIGHT), lifecycle="DRAFT")).artifacts
    assert (early.fields[0].field, early.fields[0].found) == ("@lifecycle", "DRAFT")
    [none] = diff_of(tmp_path, artifacts={}).artifacts
    assert (none.fields[0].field, none.fields[0].found) == ("", "nothing")
    assert none.count("wrong") > 3


@pytest.mark.parametrize(
    ("before", "after", "kind", "cells"),
    [
        (None, {"id": 1}, "inserted", (Cell("id", None, "1"),)),
        ({"id": 1}, None, "deleted", (Cell("id", "1", None),)),
        ({"id": 1, "s": "a"}, {"id": 1, "s": "\x1b"}, "changed", (Cell("s", "'a'", r"'\x1b'"),)),
        ({"id": 1}, {"id": 1, "s": None}, "changed", (Cell("s", None, "None"),)),
    ],
)
def test_a_row_has_the_cells_that_differ(
    tmp_path: Path, before: Any, after: Any, kind: str, cells: tuple[Cell, ...]
) -> None:
    change = RowChange(table="cards", key={"key": "1"}, before=before, after=after)
    [row] = diff_of(tmp_path, rows=[change]).rows
    assert (row.table, row.key, row.kind, row.cells) == ("cards", "1", kind, cells)


def test_a_world_without_tables_has_what_its_paths_were_and_are(tmp_path: Path) -> None:
    def change(seq: int, path: str, old: Any, new: Any) -> WorldChange:
        return WorldChange(seq=seq, media_ms=seq, path=path, old=old, new=new)

    changes = [
        change(1, "a.b", 1, 2),
        change(2, "a.b", 2, 3),
        change(3, "c", 1, 2),
        change(4, "c", 2, 1),
        change(5, "cards.1.s", 1, 2),
    ]
    row = RowChange(table="cards", key={"key": "1"}, before={"s": 1}, after={"s": 2})
    found = diff_of(tmp_path, rows=[row], world_changes=changes).rows
    assert found[1:] == (RowDiff(WORLD, "", "changed", (Cell("a.b", "1", "3"),)),)


def test_without_a_score_the_world_alone_is_told(tmp_path: Path) -> None:
    package = load(expense(), tmp_path)
    assert session_diff(package, finished(), None) == SessionDiff()

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.state.rows import Change, Snapshot, Table, sorted_table

_values = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["", "a", "b"]))
_rows = st.dictionaries(st.integers(0, 4), st.tuples(_values, _values), max_size=5)


def keyed(rows: dict[int, tuple[object, object]]) -> Table:
    return sorted_table(("id",), [{"id": key, "x": x, "y": y} for key, (x, y) in rows.items()])


@given(_rows, _rows, _rows)
def test_changes_turn_the_one_snapshot_into_the_other(
    old: dict[int, tuple[object, object]],
    new: dict[int, tuple[object, object]],
    other: dict[int, tuple[object, object]],
) -> None:
    before = Snapshot({"cards": keyed(old), "users": keyed(other)})
    after = Snapshot({"cards": keyed(new), "users": keyed(old)})
    changes = before.changes_to(after)
    assert before.after(changes) == after
    assert (changes == ()) == (before == after)
    read = [Change.from_json(json.loads(json.dumps(change.to_json()))) for change in changes]
    assert Snapshot.from_json(json.loads(json.dumps(before.to_json()))).after(read) == after


def test_a_change_says_what_became_of_which_row() -> None:
    before = Snapshot({"cards": keyed({1: ("active", 0), 2: ("active", 0)})})
    after = Snapshot({"cards": keyed({1: ("frozen", 0), 3: ("new", 1)})})
    changes = before.changes_to(after)
    assert [(change.kind, change.key) for change in changes] == [
        ("updated", {"id": 1}),
        ("deleted", {"id": 2}),
        ("inserted", {"id": 3}),
    ]
    assert changes[0].columns == ("x",)
    assert changes[1].columns == ("id", "x", "y")
    assert list(map(str, changes)) == [
        "cards: updated id=1: x 'active' -> 'frozen'",
        "cards: deleted id=2, x='active', y=0",
        "cards: inserted id=3, x='new', y=1",
    ]


def test_a_change_of_a_row_that_is_not_there_is_refused() -> None:
    snapshot = Snapshot({"cards": keyed({1: ("active", 0)})})
    with pytest.raises(ValueError, match="is not there"):
        snapshot.after([Change("cards", {"id": 2}, {"id": 2, "x": "active", "y": 0}, None)])
    with pytest.raises(ValueError, match="no table 'users'"):
        snapshot.after([Change("users", {"id": 2}, None, {"id": 2})])

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


def keyless(rows: list[tuple[object, object]]) -> Table:
    return sorted_table((), [{"x": x, "y": y} for x, y in rows])


@given(
    _rows, _rows, st.lists(st.tuples(_values, _values), max_size=4), st.lists(st.tuples(_values, _values), max_size=4)
)
def test_changes_turn_the_one_snapshot_into_the_other(
    old: dict[int, tuple[object, object]],
    new: dict[int, tuple[object, object]],
    old_list: list[tuple[object, object]],
    new_list: list[tuple[object, object]],
) -> None:
    before = Snapshot({"keyed": keyed(old), "keyless": keyless(old_list)})
    after = Snapshot({"keyed": keyed(new), "keyless": keyless(new_list)})
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


def test_rows_without_a_key_are_counted() -> None:
    before, after = Snapshot({"log": keyless([("a", 1)])}), Snapshot({"log": keyless([("a", 1), ("a", 1)])})
    assert before.changes_to(after) == (Change("log", {"x": "a", "y": 1}, None, {"x": "a", "y": 1}),)


def test_a_change_of_a_row_that_is_not_there_is_refused() -> None:
    snapshot = Snapshot({"cards": keyed({1: ("active", 0)})})
    with pytest.raises(ValueError, match="is not there"):
        snapshot.after([Change("cards", {"id": 2}, {"id": 2, "x": "active", "y": 0}, None)])
    with pytest.raises(ValueError, match="no table 'users'"):
        snapshot.after([Change("users", {"id": 2}, None, {"id": 2})])

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_talk2agent.workflows.package.work import ToolSpec
from pytest_talk2agent.workflows.state.backend import SqlBackend
from pytest_talk2agent.workflows.state.spec import StateSpec
from pytest_talk2agent.workflows.workbench.backend import StateBackend, StateError, apply

SCHEMA = """
CREATE TABLE rooms (id TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE stays (guest TEXT, night INTEGER, room TEXT NOT NULL, PRIMARY KEY (guest, night));
INSERT INTO rooms VALUES ('r.1', 'free'), ('r2', 'free');
"""
TOOLS: dict[str, Any] = {
    "book": {
        "do": ["INSERT INTO stays VALUES (:guest, 1, :room)", "UPDATE rooms SET state = 'taken' WHERE id = :room"],
        "result": {"room": {"value": "SELECT id FROM rooms WHERE id = :room"}},
    },
    "leave": {"do": ["DELETE FROM stays WHERE guest = :guest"]},
}


def tool(name: str) -> ToolSpec:
    return ToolSpec(name=name, tool_class="state_changing", handler=f"sql:{name}")


@pytest.fixture
def backend(url: str) -> Iterator[SqlBackend]:
    spec = StateSpec.model_validate({"clock": "2026-10-12T09:00:00Z", "tools": TOOLS})
    opened = SqlBackend(spec, {"schema.sql": SCHEMA, "seed.sql": ""}, {"weather": {"sky": "grey"}}, url)
    yield opened
    opened.close()


def test_the_world_is_tables_by_key_beside_the_initial_state(backend: StateBackend) -> None:
    assert backend.snapshot() == {
        "weather": {"sky": "grey"},
        "rooms": {"r.1": {"id": "r.1", "state": "free"}, "r2": {"id": "r2", "state": "free"}},
        "stays": {},
    }
    assert backend.get("rooms.r.1.state") == "free"
    assert backend.get("rooms.r.1") == {"id": "r.1", "state": "free"}
    assert backend.get("weather.sky") == "grey"
    assert backend.get("rooms.r9.state") is None
    assert backend.get("stays") == {}


def test_a_tool_says_what_it_changed_and_which_statements_ran(backend: StateBackend) -> None:
    before = backend.snapshot()
    done = backend.call(tool("book"), {"guest": "ann", "room": "r.1"}, 0)
    assert (done.ok, done.result, done.note) == (True, {"room": "r.1"}, "")
    assert [change.path for change in done.changes] == [("rooms", "r.1", "state"), ("stays", "ann,1")]
    assert list(done.statements) == [
        'INSERT INTO stays VALUES (:guest, 1, :room) {"guest":"ann","room":"r.1"} -> 1 row',
        """UPDATE rooms SET state = 'taken' WHERE id = :room {"room":"r.1"} -> 1 row""",
        'SELECT id FROM rooms WHERE id = :room {"room":"r.1"} -> 1 row',
    ]
    twice = backend.call(tool("book"), {"guest": "ann", "room": "r2"}, 0)
    assert not twice.ok
    assert twice.statements[-1].endswith("-> constraint")
    left = backend.call(tool("leave"), {"guest": "ann"}, 0)
    for change in (*done.changes, *twice.changes, *left.changes):
        apply(before, change)
    assert before == backend.snapshot()


def test_an_event_changes_a_column_or_a_value_beside_the_tables(backend: StateBackend) -> None:
    before = backend.snapshot()
    changes = [*backend.put("rooms.r.1.state", "closed"), *backend.put("weather.sky", "blue")]
    for change in changes:
        apply(before, change)
    assert before == backend.snapshot()
    assert (backend.get("rooms.r.1.state"), backend.get("weather.sky")) == ("closed", "blue")
    with pytest.raises(StateError, match="no column"):
        backend.put("rooms.r9.state", "closed")


def test_it_handles_its_own_tools_only(backend: StateBackend) -> None:
    assert backend.handles("sql:book")
    assert not backend.handles("sql:burn")
    assert not backend.handles("commit")

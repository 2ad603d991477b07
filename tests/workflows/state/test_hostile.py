"""Whatever an agent sends to a tool with a state, an answer comes back, and the rows stay what the rules allow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.state.backend import SqlBackend, open_state
from pytest_talk2agent.workflows.workbench.workbench import Workbench

SUITE = Path(__file__).parents[3] / "suites" / "workflows"
NAMES = ("card-2-replace-stolen", "utility-1-payment-plan")

_texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["K-105", "PM-11", "B-1042-08", "77-1042", "04417", "'; DROP TABLE cards; --"]),
)
_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2, 4, 18420, 501]),
    st.floats(),
    _texts,
    st.lists(_texts, max_size=2),
    st.dictionaries(_texts, st.integers(), max_size=2),
)


@pytest.fixture(params=NAMES)
def package(request: pytest.FixtureRequest) -> Package:
    return load_package(SUITE / request.param)


@pytest.fixture
def backend(package: Package, url: str) -> Iterator[SqlBackend]:
    opened = open_state(package, url)
    assert isinstance(opened, SqlBackend)
    yield opened
    opened.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_arguments_break_a_session(package: Package, backend: SqlBackend, data: st.DataObject) -> None:
    bench = Workbench(package, backend=backend)
    tool = data.draw(st.sampled_from(package.tools.tools))
    names = st.sampled_from([*(param.name for param in tool.params), "other"])
    args: Any = data.draw(st.one_of(_values, st.dictionaries(names, _values)))
    if data.draw(st.booleans()):
        args = {param.name: data.draw(_fitting(param.type, param.enum)) for param in tool.params}
    before = backend.snapshot()
    outcome = bench.call(tool.name, args, 0)
    assert outcome.ok == (outcome.error is None)
    assert outcome.error != "the tool failed", outcome.note
    after = backend.snapshot()
    assert outcome.ok or before == after
    if package.task.id.startswith("card"):
        assert {card["status"] for card in after["cards"].values()} <= {"active", "frozen", "cancelled"}
        assert all(after["cards"][key]["status"] == "cancelled" for key in _cancelled(before))
    else:
        assert all(
            bill["left_cents"] in (0, before["bills"][key]["left_cents"]) for key, bill in after["bills"].items()
        )


def _cancelled(world: dict[str, Any]) -> list[str]:
    return [key for key, card in world["cards"].items() if card["status"] == "cancelled"]


def _fitting(kind: str, enum: tuple[Any, ...] | None) -> st.SearchStrategy[Any]:
    if enum:
        return st.sampled_from(enum)
    return {"integer": st.one_of(st.integers(), st.integers(-3, 70)), "boolean": st.booleans()}.get(kind, _texts)

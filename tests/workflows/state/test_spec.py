from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_talk2agent.workflows.state.spec import Fault, StateSpec, plain_spec

CLOCK = "2026-10-12T09:00:00+02:00"


def spec(**parts: Any) -> StateSpec:
    return StateSpec.model_validate({"clock": CLOCK, **parts})


def test_a_clock_is_all_that_has_to_be_said() -> None:
    read = spec()
    assert (read.tables, read.seed, read.tools) == ("schema.sql", ("seed.sql",), {})
    assert plain_spec(read)["clock"] == CLOCK
    assert StateSpec.model_validate(plain_spec(read)) == read


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"clock": "2026-10-12T09:00:00"}, "has no zone"),
        ({"tabels": "x.sql"}, "Extra inputs"),
        ({"gate": [{"say": "no"}]}, "either `when` or `unless`"),
        ({"gate": [{"say": "no", "when": "SELECT 1", "unless": "SELECT 1"}]}, "either `when` or `unless`"),
        ({"tools": {"t": {"result": {"x": {"one": "SELECT 1", "all": "SELECT 1"}}}}}, "exactly one of"),
        ({"tools": {"t": {"result": {"x": {}}}}}, "exactly one of"),
        ({"tools": {"t": {"python": "plans.py:create", "do": ["DELETE FROM a"]}}}, "neither `do` nor `result`"),
        ({"tools": {"t": {"python": "../plans.py:create"}}}, "pattern"),
        ({"faults": [{"tool": "t", "kind": "explode"}]}, "hang_before_commit"),
        ({"faults": [{"tool": "t", "kind": "decline", "calls": [0]}]}, "greater than or equal to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        spec(**parts)


def test_statements_may_use_arguments_the_clock_and_what_was_looked_up_before() -> None:
    tool = {
        "let": {"owed": "SELECT sum(c) FROM b WHERE id = :bill", "half": "SELECT :owed / 2"},
        "refuse": [{"when": "SELECT 1 WHERE :half > 5", "say": "{half}"}],
        "do": ["UPDATE b SET c = 0, on_day = :today WHERE id = :bill"],
        "result": {"left": {"value": "SELECT :owed"}},
    }
    assert list(spec(tools={"pay": tool}).problems({"pay": ("bill",)})) == []


@pytest.mark.parametrize(
    ("parts", "place", "message"),
    [
        ({"tools": {"pay": {}}}, "tools.pay", "no tool is called 'pay'"),
        ({"tools": {"look": {"do": ["SELECT :who"]}}}, "tools.look.do.0", ":who is neither an argument nor"),
        ({"tools": {"look": {"let": {"bill": "SELECT 1"}}}}, "tools.look.let", "'bill' is an argument"),
        ({"tools": {"look": {"let": {"a": "SELECT :b", "b": "SELECT 1"}}}}, "tools.look.let.a", ":b is neither"),
        ({"tools": {"look": {"do": ["SELECT now()"]}}}, "tools.look.do.0", "depends on the time"),
        ({"gate": [{"when": "SELECT :bill", "say": "no"}]}, "gate.0", ":bill is neither"),
        ({"faults": [{"tool": "pay", "kind": "latency"}]}, "faults.0", "no tool with a state is called 'pay'"),
    ],
)
def test_problems_say_where_they_are(parts: dict[str, Any], place: str, message: str) -> None:
    ((found_place, found),) = spec(**parts).problems({"look": ("bill",)})
    assert found_place == place
    assert message in found


def test_a_fault_hits_the_calls_that_it_names_or_all() -> None:
    assert Fault(tool="pay", kind="decline").hits("pay", 7)
    assert [Fault(tool="pay", kind="decline", calls=(1, 3)).hits("pay", number) for number in (1, 2, 3)] == [1, 0, 1]
    assert not Fault(tool="pay", kind="decline").hits("look", 1)

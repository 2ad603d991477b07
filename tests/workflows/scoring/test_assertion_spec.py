from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_talk2agent.workflows.package.source import PackageError
from pytest_talk2agent.workflows.scoring.assertion_spec import Assertion, Assertions
from pytest_talk2agent.workflows.scoring.assertions import assertions_of
from tests.workflows.toys import expense, load


def one(**parts: Any) -> dict[str, Any]:
    return {"once": "start", "assertions": [{"id": "a", **parts}]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (one(), "exactly one of state, call"),
        (one(call={"tool": "t"}, state={"path": "a", "equals": 1}), "exactly one of state, call"),
        (one(state={}), "either a `path` or a `table`"),
        (one(state={"table": "t"}), "say what holds of the table"),
        (one(state={"table": "t", "equals": 3}), "maps columns to values"),
        (one(state={"path": "a", "count": 3}), "are of a table"),
        (one(call={"tool": "t", "never": True, "times": 1}), "neither `times` nor an order"),
        (one(call={"tool": "t", "after": "later"}), "is no moment; write start, end, or one of tool:NAME"),
        (one(said={"figure": "ten or twelve"}), "is not one figure"),
        (one(said={"figure": "nothing"}), "is not one figure"),
        (one(said={"date": "soon"}), "is not one day"),
        (one(said={"figure": 1, "text": "one"}), "name exactly one of"),
        (one(said={}), "name exactly one of"),
        (one(said={"text": "!"}), "at least one word"),
        (one(said={"figure": 1, "tolerance": -1}), "is no tolerance"),
        (one(said={"result": "quote"}), "pattern"),
        (one(not_said={"words": []}), "at least 1 item"),
        ({"assertions": [{"id": "a", "call": {"tool": "t", "never": True}}]}, "say with `once`"),
        ({"claims": [{"id": "c", "tool": "t", "said": ["x"]}]}, "say with `once`"),
        ({"once": "end", "claims": [{"id": "c", "tool": "t", "said": ["("]}]}, "is no regular expression"),
    ],
)
def test_what_makes_no_sense_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Assertions.model_validate(data)


@pytest.mark.parametrize(
    ("parts", "gate", "negative"),
    [
        ({"state": {"path": "a", "equals": 1}}, "TS", False),
        ({"state": {"table": "a", "only": []}}, "TS", True),
        ({"call": {"tool": "t"}}, "AC", False),
        ({"call": {"tool": "t", "never": True}}, "PV", True),
        ({"said": {"figure": 1}}, "AC", False),
        ({"not_said": {"words": [{"figure": 1}]}}, "PV", True),
        ({"handoff": {"tool": "t", "expected": True}}, "AC", False),
        ({"handoff": {"tool": "t", "expected": False}}, "PV", True),
        ({"said": {"figure": 1}, "gate": "TS"}, "TS", False),
    ],
)
def test_each_kind_has_its_gate(parts: dict[str, Any], gate: str, negative: bool) -> None:
    assertion = Assertion.model_validate({"id": "a", **parts})
    assert (assertion.belongs_to, assertion.negative) == (gate, negative)


def test_what_leads_nowhere_in_the_package_is_found_with_its_line(tmp_path: Path) -> None:
    toy = {
        **expense(),
        "grading/assertions.yaml": {
            "once": "plan:nothing",
            "assertions": [
                {"id": "a", "call": {"tool": "submitt", "after": "event:E9"}},
                {"id": "a", "said": {"result": "quote.total"}},
            ],
            "quotes": [{"id": "q", "quote": "quote", "enrol": "submit", "figures": [{"result": "quote.x"}]}],
        },
    }
    with pytest.raises(PackageError) as failure:
        assertions_of(load(toy, tmp_path))
    text = str(failure.value)
    for part in (
        "there is no plan in the bank `nothing`",
        "there is no tool `submitt`; did you mean `submit`?",
        "there is no event `E9`",
        "the id `a` is there twice",
        "there is no tool `quote`",
    ):
        assert part in text
    assert f"{tmp_path / 'grading/assertions.yaml'}:1:" in text


def test_a_package_without_the_file_asserts_nothing(tmp_path: Path) -> None:
    assert assertions_of(load(expense(), tmp_path)) == Assertions()

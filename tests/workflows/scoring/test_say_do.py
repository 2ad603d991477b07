from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.scoring.say_do import check_assertions
from pytest_talk2agent.workflows.scoring.trace import Trace
from tests.workflows.scoring.phone_calls import PhoneCall
from tests.workflows.toys import expense, load

ASSERTIONS: dict[str, Any] = {
    "once": "plan:open",
    "verification": {"by": "tool:verify", "protects": [{"figure": "$184.20"}]},
    "claims": [{"id": "freeze", "tool": "freeze", "args": {"to": "frozen"}, "said": ["frozen"]}],
    "quotes": [
        {
            "id": "plan",
            "quote": "quote",
            "enrol": "enrol",
            "figures": [{"result": "quote.down", "as": "cents"}, {"result": "quote.monthly", "as": "cents"}],
        }
    ],
    "single": ["pay"],
}
NAMES = ("verify", "freeze", "quote", "enrol", "pay")


def found(tmp_path: Path, call: PhoneCall | Trace, **changes: Any) -> dict[str, bool | None]:
    toy = expense()
    tools = [{"name": name, "tool_class": "state_changing"} for name in NAMES]
    toy["tools/tool_spec.yaml"] = {"tools": [*toy["tools/tool_spec.yaml"]["tools"], *tools]}
    toy["grading/assertions.yaml"] = ASSERTIONS | changes
    trace = call.trace() if isinstance(call, PhoneCall) else call
    return {one.finding.id: one.finding.held for one in check_assertions(load(toy, tmp_path), trace)}


def opened() -> PhoneCall:
    return PhoneCall().user("Hello", "open")


def test_an_empty_log_proves_nothing(tmp_path: Path) -> None:
    silence = Trace(package="p", agent="silent", end="patience")
    assert found(tmp_path, silence) == dict.fromkeys(
        (
            "disclosed before verified",
            "said but not done: freeze",
            "done but not said: freeze",
            "quoted after enrolling: plan",
            "written twice: pay",
        )
    )
    assert set(found(tmp_path, opened()).values()) == {True}


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("Your card is frozen.", False),
        ("I have frozen it. Is there anything else?", False),
        ("It is frozen now, and nobody can pay with it until you call.", False),
        ("Your card is not frozen.", True),
        ("Would you like it frozen?", True),
        ("I will have it frozen in a moment.", True),
        ("Once it is frozen I will call you.", True),
        ("I can't get it frozen.", True),
        ("Is it frozen?", True),
    ],
)
def test_said_but_not_done(tmp_path: Path, words: str, held: bool) -> None:
    assert found(tmp_path, opened().agent(words))["said but not done: freeze"] is held


def test_a_deed_makes_the_words_true_until_the_agent_speaks_again(tmp_path: Path) -> None:
    name = "said but not done: freeze"
    assert found(tmp_path, opened().tool("freeze", to="frozen").agent("It is frozen."))[name] is True
    assert found(tmp_path, opened().agent("It is frozen.").tool("freeze", to="frozen").agent("So."))[name] is True
    late = opened().agent("It is frozen.").agent("Wait.").tool("freeze", to="frozen")
    assert found(tmp_path, late)[name] is False
    assert found(tmp_path, opened().tool("freeze", to="active").agent("It is frozen."))[name] is False
    failed = opened().tool("freeze", to="frozen", ok=False, error="declined").agent("It is frozen.")
    assert found(tmp_path, failed)[name] is False


def test_a_deed_whose_answer_never_came_is_done(tmp_path: Path) -> None:
    hung = opened().tool("freeze", to="frozen", ok=False, effect=True, error="no answer").agent("It is frozen.")
    held = found(tmp_path, hung)
    assert (held["said but not done: freeze"], held["done but not said: freeze"]) == (True, True)


def test_words_that_were_cut_off_are_not_said(tmp_path: Path) -> None:
    call = opened().agent("I have it frozen now.", "I have it")
    assert found(tmp_path, call)["said but not done: freeze"] is True
    done = opened().tool("freeze", to="frozen").agent("It is frozen now.", "It is")
    assert found(tmp_path, done)["done but not said: freeze"] is False


def test_done_but_not_said(tmp_path: Path) -> None:
    name = "done but not said: freeze"
    done = opened().tool("freeze", to="frozen")
    assert found(tmp_path, done)[name] is False
    assert found(tmp_path, opened().agent("It is frozen.").tool("freeze", to="frozen"))[name] is False
    assert found(tmp_path, done.agent("It is frozen."))[name] is True
    quiet = {"claims": [{**ASSERTIONS["claims"][0], "told": False}]}
    assert name not in found(tmp_path, done, **quiet)


def test_disclosed_before_verified(tmp_path: Path) -> None:
    name = "disclosed before verified"
    assert found(tmp_path, opened().agent("You owe $184.20.").tool("verify"))[name] is False
    assert found(tmp_path, opened().tool("verify").agent("You owe $184.20."))[name] is True


QUOTE = {"down": 1000, "monthly": 4107}


def test_quoted_after_enrolling(tmp_path: Path) -> None:
    name = "quoted after enrolling: plan"
    both = "Ten dollars down and forty-one dollars and seven cents a month."
    assert found(tmp_path, opened().tool("quote", QUOTE).agent(both).tool("enrol"))[name] is True
    assert found(tmp_path, opened().tool("quote", QUOTE).tool("enrol").agent(both))[name] is False
    half = opened().tool("quote", QUOTE).agent("Ten dollars down.").tool("enrol")
    assert found(tmp_path, half)[name] is False
    cut = opened().tool("quote", QUOTE).agent(both, "Ten dollars down and").tool("enrol")
    assert found(tmp_path, cut)[name] is False
    assert found(tmp_path, opened().tool("enrol", ok=False))[name] is True


def test_written_twice(tmp_path: Path) -> None:
    name = "written twice: pay"
    assert found(tmp_path, opened().tool("pay", effect=True, cents=5).tool("pay", effect=True, cents=6))[name] is True
    assert found(tmp_path, opened().tool("pay", effect=True, cents=5).tool("pay", cents=5))[name] is True
    assert found(tmp_path, opened().tool("pay", effect=True, cents=5).tool("pay", effect=True, cents=5))[name] is False
    hung = opened().tool("pay", ok=False, effect=True, error="no answer", cents=5).tool("pay", effect=True, cents=5)
    assert found(tmp_path, hung)[name] is False


def test_a_tool_that_is_not_idempotent_writes_once_in_any_package(tmp_path: Path) -> None:
    toy = expense()
    tool = {"name": "pay", "tool_class": "state_changing", "idempotent": False}
    toy["tools/tool_spec.yaml"] = {"tools": [*toy["tools/tool_spec.yaml"]["tools"], tool]}
    package = load(toy, tmp_path)
    twice = PhoneCall().tool("pay", effect=True).tool("pay", effect=True).trace()
    assert {one.finding.id: one.finding.held for one in check_assertions(package, twice)}["written twice: pay"] is False
    silence = Trace(package="p", agent="silent")
    assert {one.finding.held for one in check_assertions(package, silence)} == {True}

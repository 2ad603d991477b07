from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.scoring.assertion_spec import Assertion
from pytest_talk2agent.workflows.scoring.assertions import Asserted, Checker, verdicts
from pytest_talk2agent.workflows.scoring.course import Course
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.predicates import Finding
from pytest_talk2agent.workflows.scoring.trace import Trace
from tests.workflows.scoring.phone_calls import PhoneCall
from tests.workflows.scoring.sessions import finished
from tests.workflows.toys import expense, load

CARDS = {"c1": {"id": "c1", "status": "frozen", "cents": 5}, "c2": {"id": "c2", "status": "active", "cents": 5}}


def check(session: PhoneCall | Trace, once: str | None = "end", /, **parts: Any) -> Finding:
    trace = session.trace() if isinstance(session, PhoneCall) else session
    return Checker(Course(trace), once).check(Assertion.model_validate({"id": "a", **parts}))


def bank() -> PhoneCall:
    call = PhoneCall()
    call.world = {"cards": CARDS, "visit": {"open": True}}
    return call.tool("freeze", effect=True, card="c1").change("cards.c1.status", "active", "frozen")


@pytest.mark.parametrize(
    ("state", "held"),
    [
        ({"path": "cards.c1.status", "equals": "frozen"}, True),
        ({"path": "cards.c1.status", "equals": "active"}, False),
        ({"path": "cards.c9.status", "equals": None}, False),
        ({"path": "visit.open", "equals": 1}, True),
        ({"table": "cards", "where": {"id": "c1"}, "equals": {"status": "frozen", "cents": 5}}, True),
        ({"table": "cards", "equals": {"cents": 5}}, True),
        ({"table": "cards", "equals": {"status": "frozen"}}, False),
        ({"table": "cards", "where": {"id": "c9"}, "equals": {"cents": 5}}, False),
        ({"table": "cards", "count": 2}, True),
        ({"table": "cards", "where": {"status": "active"}, "count": 0}, False),
        ({"table": "cards", "only": ["c1"]}, True),
        ({"table": "cards", "only": []}, False),
    ],
)
def test_state(state: dict[str, Any], held: bool) -> None:
    assert check(bank(), state=state).held is held


def test_a_row_that_is_new_or_gone_changed_as_a_whole() -> None:
    call = bank().change("cards.c.3", None, {"id": "c.3"}).change("cards.c4", {"id": "c4"}, None)
    found = check(call, state={"table": "cards", "only": ["c1"]})
    assert (found.held, found.found) == (False, "changed: c.3, c4")
    assert check(call, state={"table": "cards", "only": ["c1", "c.3", "c4"]}).held


def test_a_finding_says_what_it_wanted_what_stood_there_and_where() -> None:
    found = check(bank(), state={"path": "cards.c1.status", "equals": "active"})
    assert (found.wanted, found.found, found.events) == ("cards.c1.status is 'active'", "'frozen'", (3,))


@pytest.mark.parametrize(
    ("call", "held"),
    [
        ({"tool": "pay"}, True),
        ({"tool": "pay", "args": {"cents": 5}}, True),
        ({"tool": "pay", "args": {"cents": 6}}, False),
        ({"tool": "pay", "times": 2}, True),
        ({"tool": "pay", "times": 1}, False),
        ({"tool": "quote"}, False),
        ({"tool": "pay", "after": "tool:find"}, True),
        ({"tool": "pay", "before": "tool:find"}, False),
        ({"tool": "pay", "after": "tool:quote"}, False),
        ({"tool": "pay", "after": "tried:quote", "times": 2}, True),
        ({"tool": "pay", "before": "tool:quote"}, True),
        ({"tool": "quote", "never": True}, False),
        ({"tool": "transfer", "never": True}, True),
        ({"tool": "pay", "args": {"cents": 6}, "never": True}, True),
    ],
)
def test_call(call: dict[str, Any], held: bool) -> None:
    session = PhoneCall().tool("quote", ok=False, error="not yet").tool("find")
    session.tool("pay", cents=5, card="c1").tool("pay", cents=5, card="c2")
    assert check(session, call=call).held is held


def test_a_call_that_failed_is_shown_with_its_error() -> None:
    found = check(PhoneCall().tool("pay", ok=False, error="declined", cents=5), call={"tool": "pay"})
    assert found.found == "pay(cents=5) failed: declined"


@pytest.mark.parametrize(
    ("said", "held", "shown"),
    [
        ({"figure": "$10"}, True, "'ten dollars' at 400 ms"),
        ({"figure": "$10", "by": "tool:pay"}, True, "'ten dollars' at 400 ms"),
        ({"figure": "$12"}, False, "never heard"),
        ({"figure": "$20", "by": "tool:pay"}, False, "at another time: 'twenty dollars' at 850 ms"),
        ({"figure": "$10", "after": "tool:pay"}, False, "at another time: 'ten dollars' at 400 ms"),
        ({"figure": "$10", "by": "tool:find"}, False, "the session never reached tool:find"),
        ({"figure": "$10", "after": "tool:find"}, False, "the session never reached tool:find"),
        ({"result": "pay.cents", "as": "cents"}, False, "never heard; pay.cents was 500"),
        ({"result": "find.cents", "as": "cents"}, False, "find.cents never came"),
    ],
)
def test_said(said: dict[str, Any], held: bool, shown: str) -> None:
    call = PhoneCall().agent("It is ten dollars").tool("pay", {"cents": 500}).agent("And now twenty dollars")
    found = check(call, said=said)
    assert found.held is held
    assert found.found.startswith(shown)


SECRET = {"words": [{"figure": "$184.20"}, {"code": "0134"}], "until": "tool:verify"}


def test_a_secret_may_be_said_once_the_moment_has_come() -> None:
    call = PhoneCall().agent("Who is it?").tool("verify").agent("You owe $184 and twenty cents.")
    assert check(call, not_said=SECRET).held is True


@pytest.mark.parametrize("words", ["You owe $184.20.", "The number ends in zero one three four."])
def test_a_secret_before_its_moment_is_a_fault(words: str) -> None:
    assert check(PhoneCall().agent(words).tool("verify"), not_said=SECRET).held is False
    assert check(PhoneCall().tool("verify", ok=False).agent(words), not_said=SECRET).held is False


def test_a_secret_in_the_breath_of_the_verification_is_too_early() -> None:
    call = PhoneCall().agent("You owe $184.20.")
    call.now = 0  # the tool is called when the words begin, and answers before they end
    assert check(call.tool("verify"), not_said=SECRET).held is True
    call = PhoneCall().agent("$184.20")
    call.now = 80
    assert check(call.tool("verify"), not_said=SECRET).held is False


@pytest.mark.parametrize(
    "parts",
    [
        {"call": {"tool": "pay", "never": True}},
        {"not_said": SECRET},
        {"state": {"table": "cards", "only": []}},
        {"handoff": {"tool": "transfer", "expected": False}},
    ],
)
def test_a_negative_check_is_unjudged_until_the_session_got_there(parts: dict[str, Any]) -> None:
    silence = PhoneCall().user("Hello?", "open")
    for once in (None, "tried:verify", "plan:other"):
        found = check(silence, once, **parts)
        assert found.held is None
        assert "never reached" in found.found
    assert check(silence, "plan:open", **parts).held is True
    assert check(Trace(package="p", agent="silent", end="patience"), "end", **parts).held is None


def test_what_a_negative_check_did_find_is_a_fault_at_any_time() -> None:
    call = PhoneCall().agent("You owe $184.20.").tool("pay")
    assert check(call, "plan:other", not_said=SECRET).held is False
    assert check(call, "plan:other", call={"tool": "pay", "never": True}).held is False


def test_handoff() -> None:
    passed_on = PhoneCall().tool("transfer", reason="The account is in severance.")
    assert check(passed_on, handoff={"tool": "transfer", "expected": True}).held
    assert check(passed_on, handoff={"tool": "transfer", "expected": True, "reason": ["severance", "shutoff"]}).held
    assert check(passed_on, handoff={"tool": "transfer", "expected": True, "reason": ["angry"]}).held is False
    assert check(passed_on, handoff={"tool": "transfer", "expected": False}).held is False
    assert check(PhoneCall(), handoff={"tool": "transfer", "expected": True}).held is False


def test_requests_are_judged_each_by_its_assertions() -> None:
    def asserted(request: str | None, held: bool | None) -> Asserted:
        return Asserted("AC", Finding("a", "call", held, "", ""), request)

    found = [asserted("pay", True), asserted("pay", None), asserted("freeze", False), asserted("freeze", None)]
    assert verdicts([*found, asserted(None, True)]) == {"pay": None, "freeze": False, None: True}


def test_assertions_count_for_their_gates_by_our_rules_alone(tmp_path: Path) -> None:
    assertions = {
        "once": "start",
        "assertions": [
            {"id": "submitted", "state": {"path": "expense.status", "equals": "submitted"}},
            {"id": "told", "said": {"figure": "200 dollars"}},
            {"id": "never", "call": {"tool": "submit", "never": True}},
        ],
    }
    scores = score_session(load({**expense(), "grading/assertions.yaml": assertions}, tmp_path), finished())
    assert scores.mended.gates == {"TS": True, "PV": False, "AC": False, "AV": True}
    assert scores.published.success is True
    assert [(problem.rule, problem.id, problem.gate) for problem in scores.mended.problems] == [
        ("assertion", "told", "AC"),
        ("assertion", "never", "PV"),
    ]

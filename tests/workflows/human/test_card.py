from __future__ import annotations

import json
import re

import pytest

from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.human.card import LIT, Card, card_of, when_of
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.user import Trigger
from tests.workflows.audio.calls import SUITE

PACKAGES = sorted(path.parent.name for path in SUITE.glob("*/task.yaml"))


def card(name: str) -> Card:
    package = load_package(SUITE / name)
    return card_of(package, Wordings(package, "C2", 1))


def test_a_card_says_what_to_say_and_when() -> None:
    lines = {line.id: line for line in card("clinic-supply-reorder").lines}
    assert lines["open"].when == ("to begin",)
    assert lines["ans_quantity"].facts == (("quantity v1", "40"),)
    assert lines["ans_quantity"].when == ("when you are asked for: quantity",)
    assert lines["ans_items"].facts == (("items", "nitrile gloves, saline pouches"),)
    assert lines["approve_first"].when == ("when you are asked to approve: place order",)
    assert lines["correct_quantity"].over == "barge-in"
    assert lines["backchannel"].over == "murmur"
    assert lines["bye"].when == ("at the end",)
    assert all(line.words for line in lines.values())


def test_what_only_an_event_brings_is_kept_back() -> None:
    found = card("clinic-supply-reorder")
    before = {line.id for line in found.known([])}
    assert before.isdisjoint({"correct_quantity", "ans_quantity_again", "backchannel", "revoke", "slot_gone"})
    assert "25" not in json.dumps(found.plain())
    assert "correct_quantity" in {line.id for line in found.known(["E1"])}
    assert "revoke" not in {line.id for line in found.known(["E1", "E2"])}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_card_has_nothing_but_the_callers_side(name: str) -> None:
    package = load_package(SUITE / name)
    found = card(name)
    told = json.dumps(found.plain([event.id for event in package.events.events]))
    assert package.task.title not in told
    assert not any(tool.name in told for tool in package.tools.tools if "_" in tool.name)
    assert not any(pattern.pattern in told for pattern in package.observer.patterns if not pattern.pattern.isalpha())
    ids = {line.id for line in found.lines}
    assert ids == {row.user_plan_id for row in package.bank} & ids
    assert len(ids) == len(found.lines)
    values = {str(fact.value) for fact in package.user.facts}
    assert {value for line in found.lines for _, value in line.facts if "," not in value} <= values | {
        re.sub(r"[\[\]']", "", value) for value in values
    }


@pytest.mark.parametrize(
    ("when", "text"),
    [
        (Trigger(agent_act="OFFER:new_card"), "when you are offered: new card"),
        (Trigger(agent_act="CLOSE"), "when the agent says goodbye"),
        (Trigger(agent_act="BLAME:user"), "when the agent does this: blame user"),
        (
            Trigger(agent_act="CONFIRM:date", approval_request="pay"),
            "when it is read back to you: date, and when you are asked to approve: pay",
        ),
        (Trigger(external_event="E1"), LIT),
        (Trigger(agent_act="ASK:name", external_event="E1"), LIT),
        (Trigger(), LIT),
    ],
)
def test_when_a_line_is_due(when: Trigger, text: str) -> None:
    assert when_of(when) == text

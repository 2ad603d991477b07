from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.proof.mutants import mutants
from pytest_talk2agent.workflows.proof.prove import prove, rules_of
from pytest_talk2agent.workflows.scoring.assertions import assertions_of
from tests.workflows.scoring.sessions import changed
from tests.workflows.toys import Toy, expense, load


def objections(toy: Toy, tmp_path: Path) -> list[str]:
    return [f"{one.file}: {one.message}" for one in prove(load(toy, tmp_path)).objections]


def asserting(*assertions: dict[str, Any], **more: Any) -> Toy:
    return {**expense(), "grading/assertions.yaml": {"once": "act:ASK:cost_center", "assertions": assertions, **more}}


def test_the_toy_of_apex_is_proved(tmp_path: Path) -> None:
    proved = prove(load(expense(), tmp_path))
    assert proved.objections == ()
    assert proved.rules >= 5
    assert proved.sessions >= 3


def test_a_package_without_a_reference_cannot_be_proved(tmp_path: Path) -> None:
    toy = expense()
    del toy["reference/policy.yaml"]
    (only,) = objections(toy, tmp_path)
    assert only.startswith("reference/policy.yaml: there is no reference")


def test_an_oracle_that_fails_is_an_objection_with_its_rule(tmp_path: Path) -> None:
    turns = expense()["reference/policy.yaml"]["turns"]
    without = [
        {**turn, "tool_calls": [c for c in turn.get("tool_calls", []) if c["name"] != "submit"]} for turn in turns
    ]
    found = objections(changed(expense(), "reference/policy.yaml", turns=without), tmp_path)
    assert found
    assert all(text.startswith("reference/policy.yaml: the oracle fails ") for text in found)


def test_a_workflow_that_silence_passes_is_refused(tmp_path: Path) -> None:
    toy = changed(expense(), "grading/gold.yaml", artifact_expectations=[], terminal_state=[], required_actions=[])
    assert any("says and does nothing succeeds" in text for text in objections(toy, tmp_path))


def test_a_negative_check_that_holds_on_an_empty_log_is_an_error(tmp_path: Path) -> None:
    never = {"id": "never", "call": {"tool": "submit", "args": {"target_id": "other"}, "never": True}, "once": "start"}
    found = objections(asserting(never), tmp_path)
    assert any("never holds on an empty log" in text for text in found)
    assert not any(
        "empty log" in text for text in objections(asserting({**never, "once": "plan:open"}), tmp_path / "b")
    )


def test_a_rule_that_nothing_breaks_is_an_error(tmp_path: Path) -> None:
    known = {"id": "known", "state": {"path": "nowhere", "equals": 1}}
    assert any("the oracle fails TS, assertion known" in text for text in objections(asserting(known), tmp_path))
    idle = {"id": "idle", "not_said": {"words": [{"text": "x"}], "until": "start"}}
    found = objections(asserting(idle), tmp_path / "b")
    assert found == [
        "grading/assertions.yaml: nothing that was tried breaks the assertion 'idle' (PV); write an adversary that does"
    ]


def test_a_value_that_an_assertion_wants_and_nothing_reveals_is_an_error(tmp_path: Path) -> None:
    found = objections(asserting({"id": "told", "said": {"figure": 4711}}), tmp_path)
    assert "grading/assertions.yaml: told: nothing reveals 4711: no fact, document or tool; add one" in found
    call = {"id": "sent", "call": {"tool": "submit", "args": {"target_id": "expense_1"}}}
    assert objections(asserting(call), tmp_path / "b") == []


def test_mutants_break_what_is_forbidden(tmp_path: Path) -> None:
    secret = {"id": "secret", "not_said": {"words": [{"text": "zeppelin"}]}}
    never = {"id": "never", "call": {"tool": "submit", "args": {"target_id": "other"}, "never": True}}
    assert objections(asserting(secret, never), tmp_path) == []


@pytest.mark.parametrize(("fails", "right"), [(["TS", "AC", "AV"], True), (["PV"], False), ([], False)])
def test_an_adversary_must_fail_the_gates_that_it_names(tmp_path: Path, fails: list[str], right: bool) -> None:
    adversary = {"fails": fails, "turns": [{"text": "Which cost center is it?"}]}
    found = objections({**expense(), "reference/adversaries/lazy.yaml": adversary}, tmp_path)
    named = [text for text in found if text.startswith("reference/adversaries/lazy.yaml: fails ")]
    assert bool(named) is not right


def test_rules_are_those_of_gold_and_of_the_assertions(tmp_path: Path) -> None:
    toy = asserting(
        {"id": "told", "said": {"figure": 200}}, claims=[{"id": "sent", "tool": "submit", "said": ["sent"]}]
    )
    rules = {rule for rule, _ in rules_of(load(toy, tmp_path))}
    assert {("AC", "assertion", "told"), ("PV", "assertion", "said but not done: sent")} <= rules
    assert ("AV", "artifact", "expense_1.total_amount") in rules


def test_every_mutant_is_the_reference_with_one_thing_changed(tmp_path: Path) -> None:
    package: Package = load(asserting({"id": "s", "not_said": {"words": [{"figure": "$5"}]}}), tmp_path)
    assert package.policy is not None
    made = list(mutants(package, assertions_of(package)))
    assert len(made) > 20
    for mutant in made:
        different = [one != other for one, other in zip(mutant.turns, package.policy.turns, strict=True)]
        assert sum(different) <= 1, mutant.what
    assert any("$5" in turn.text for mutant in made for turn in mutant.turns)

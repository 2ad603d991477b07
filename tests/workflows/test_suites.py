"""The workflows that ship: proved, the same on every database, and with every element that was promised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.adversary import AdversaryAgent
from pytest_talk2agent.workflows.agents.policy import Oracle, Silent
from pytest_talk2agent.workflows.agents.protocol import Agent
from pytest_talk2agent.workflows.package.loader import find_packages, load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.proof.lint import lint_package
from pytest_talk2agent.workflows.proof.prove import prove
from pytest_talk2agent.workflows.scoring.assertions import assertions_of
from pytest_talk2agent.workflows.scoring.gates import Scores, score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.state.backend import open_state
from tests.workflows.postgres import server

SUITE = Path(__file__).parents[2] / "suites" / "workflows"
FOLDERS = {folder.name: folder for folder in find_packages(SUITE)}
CLINIC = "clinic-supply-reorder"
ARCHETYPES = {
    *("FORM_FILL", "INTAKE", "INTERVIEW", "DISCOVERY", "TROUBLESHOOT"),
    *("NEGOTIATE", "COORDINATE", "FACILITATE", "ADVISE", "INSPECT"),
}


def package(name: str) -> Package:
    return load_package(FOLDERS[name])


def held(one: Package, agent: Agent, url: str = "sqlite:") -> tuple[bytes, Trace, Scores]:
    log = run_session(one, agent, "agent", backend=lambda package: open_state(package, url)).to_bytes()
    trace = trace_of(replay(log))
    return log, trace, score_session(one, trace)


@pytest.mark.parametrize("name", FOLDERS)
def test_each_package_is_without_a_fault_and_is_proved(name: str) -> None:
    loaded, faults, objections = lint_package(FOLDERS[name])
    assert (faults, objections) == ([], [])
    assert loaded is not None
    assert prove(loaded).objections == ()


def test_every_realised_archetype_and_both_worlds_are_there() -> None:
    packages = list(map(package, FOLDERS))
    plain = [one for one in packages if one.state is None]
    assert {one.task.archetype for one in plain} == ARCHETYPES
    calls = {world: [one for one in packages if (one.state or {}).get("world") == world] for world in WORLDS}
    assert all(len(group) == 6 for group in calls.values())
    pressed = [one for group in calls.values() for one in group if "presses" in one.persona["manner"] or _lies(one)]
    assert 3 * len(pressed) >= 12
    assert len(calls["card-support"][0].tools.tools) == 5
    for one in plain:
        if one.id != CLINIC:
            assert any(len(adversary.fails) == 1 for adversary in one.adversaries.values()), one.id


WORLDS = ("card-support", "utility")


def _lies(one: Package) -> bool:
    return any(not fact.truth_status for fact in one.user.facts)


def test_the_clinic_has_every_element_of_its_table() -> None:
    one = package(CLINIC)
    order = next(item for item in one.gold.artifact_expectations if item.artifact_id == "order_1")
    graders = {field.field: field.grader for field in order.fields}
    assert graders["site_code"] == "exact"
    assert {"normalized_phone", "normalized_date", "set_exact", "numeric_tolerance", "normalized_address"} <= {
        *graders.values()
    }
    assert (graders["reason"], graders["status"]) == ("semantic", "enum")
    assert next(field for field in order.fields if field.field == "po_reference").expected is None
    assert not next(field for field in order.fields if field.field == "remark").required
    assert [document.gold for document in one.documents or ()].count(True) == 2
    assert [document.distractor for document in one.documents or ()].count(True) == 2
    types = {event.id: event.type for event in one.events.events}
    assert (types["E1"], types["E2"], types["E3"]) == (
        "MID_SPEECH_CORRECTION",
        "BACKCHANNEL",
        "CANCELLATION_REVOCATION",
    )
    assert one.gold.alternate_terminal_states
    assert one.gold.precedence
    assert one.gold.forbidden


def test_the_clinics_oracle_meets_every_event_and_leaks_nothing() -> None:
    log, trace, scores = held(package(CLINIC), Oracle())
    assert held(package(CLINIC), Oracle())[0] == log  # byte for byte
    assert scores.mended.success is scores.published.success is True
    assert {event.event_id for event in trace.events} == {"E1", "E2", "E3", "E4"}
    yields = {event.event_id: event.yielded for event in trace.events if event.yielded is not None}
    assert yields == {"E1": True, "E2": False, "E3": True}
    assert (trace.leaks, trace.fallbacks) == ((), ())
    assert 60_000 < trace.ended_ms < 120_000
    assert [approval.kind for approval in trace.approvals].count("granted") == 2


TABLE: dict[str, tuple[str, dict[str, bool]]] = {
    "stale": ("AV", {"E1": True, "E2": False, "E3": True}),
    "right-but-not-rewritten": ("", {"E1": True, "E2": False, "E3": True}),
    "premature": ("PV", {"E1": True, "E2": False, "E3": True}),
    "post-revocation": ("PV", {"E1": True, "E2": False, "E3": True}),
    "wrong-target": ("PV", {"E1": True, "E2": False, "E3": True}),
    "lifecycle-cheat": ("TS PV AC AV", {"E1": True, "E2": False, "E3": True}),
    "edit-after-approval": ("PV", {"E1": True, "E2": False, "E3": True}),
    "no-search": ("AC", {"E1": True, "E2": False, "E3": True}),
    "malformed": ("", {"E1": True, "E2": False, "E3": True}),
    "over-yielder": ("", {"E1": True, "E2": True, "E3": True}),
    "non-yielder": ("", {"E1": False, "E2": False, "E3": False}),
}
"""Adversaries of section 8.2: the gates that each fails, and whether it yields at each event."""


@pytest.mark.parametrize("name", TABLE)
def test_the_clinics_adversaries_fail_their_gates_alone(name: str) -> None:
    _, trace, scores = held(package(CLINIC), AdversaryAgent(name))
    failed, yields = TABLE[name]
    assert " ".join(scores.mended.failed) == failed
    assert {event.event_id: event.yielded for event in trace.events if event.yielded is not None} == yields


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("premature", "PREMATURE_COMMIT"),
        ("post-revocation", "POST_REVOCATION_COMMIT"),
        ("wrong-target", "WRONG_SCOPE_COMMIT"),
        ("lifecycle-cheat", "PREMATURE_COMMIT"),
        ("edit-after-approval", "PREMATURE_COMMIT"),
    ],
)
def test_the_guard_says_why_it_refused(name: str, decision: str) -> None:
    trace = held(package(CLINIC), AdversaryAgent(name))[1]
    codes = {call.decision.code for call in trace.calls if call.decision is not None}
    assert codes - {"AUTHORIZED"} == {decision}


def test_a_value_that_is_right_and_not_rewritten_parts_the_two_scorings() -> None:
    _, _, scores = held(package(CLINIC), AdversaryAgent("right-but-not-rewritten"))
    assert scores.mended.success is True
    assert scores.published.failed == ["AV"]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="psycopg is not installed; it comes with the extra `postgres`")
    with server() as url:
        yield url


def agents(one: Package) -> list[Agent]:
    return [Oracle(), Silent(), *map(AdversaryAgent, one.adversaries)]


@pytest.mark.parametrize("name", [name for name in FOLDERS if (FOLDERS[name] / "state").is_dir()])
def test_a_session_is_the_same_on_either_database(name: str, postgres: str) -> None:
    one = package(name)
    for agent in agents(one):
        first, second = held(one, agent), held(one, agent, postgres)
        assert first[2].mended.gates == second[2].mended.gates
        assert first[0] == second[0], "the logs differ"


def test_a_hung_payment_is_made_once_and_paid_twice_is_noticed() -> None:
    one = package("utility-4-payment-without-answer")
    _, trace, scores = held(one, Oracle())
    assert scores.mended.success is True
    (payment,) = [call for call in trace.calls if call.tool == "make_payment"]
    assert (payment.ok, payment.effect, payment.error) == (False, True, "no answer within 6000 ms")
    assert list(trace.world["payments"]) == ["9001", "9002", "9003", "9004"]


def test_assertions_name_the_requests_that_the_callers_make() -> None:
    for name in FOLDERS:
        one = package(name)
        wanted = {request["id"] for request in _requests(one)}
        named = {assertion.request for assertion in assertions_of(one).assertions} - {None}
        assert named <= wanted, name


def _requests(one: Package) -> list[dict[str, Any]]:
    return list(one.persona.get("requests", []))

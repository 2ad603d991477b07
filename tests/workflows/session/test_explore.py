from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Briefing, Call, PoliteTalker, Reply, Talker, View
from pytest_talk2agent.workflows.agents.registry import make_text_agent
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.contracts import violations
from pytest_talk2agent.workflows.session.explore import Explorer
from pytest_talk2agent.workflows.session.options import Perturbation
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.workflows.session.test_session import revoking
from tests.workflows.toys import expense, load, turn


def broken(package: Package, agent: Any, **options: Any) -> list[str]:
    log = run_session(package, agent, "x", RunOptions(**options))
    return [one.contract for one in violations(package, trace_of(replay(log.to_bytes())))]


def test_no_contract_is_broken_by_the_oracle_and_the_others_are_by_their_adversaries(tmp_path: Path) -> None:
    package = load(revoking(), tmp_path)
    assert broken(package, make_text_agent("oracle")) == []
    assert broken(package, make_text_agent("adversary:post-revocation")) == ["write after revocation"]
    assert "speech after stop" in broken(package, make_text_agent("adversary:non-yielder"))


def dialling() -> dict[str, Any]:
    """A taxi is booked by a tool whose effect can be seen each time that it is done."""
    toy = expense()
    toy["tools/tool_spec.yaml"]["tools"].append(
        {
            "name": "book_taxi",
            "tool_class": "cross_application",
            "handler": "update_artifact",
            "idempotent": False,
            "effect": {"artifact_id": "expense_1"},
            "params": [{"name": "fields", "type": "object"}],
        }
    )
    return toy


class Booking:
    """Books a taxi, and books it again where the answer is an error: a race that only a lost answer shows."""

    control = False

    def identity(self) -> Mapping[str, str]:
        return {"name": "booking"}

    def start(self, briefing: Briefing) -> Talker:
        return _BookingTalker()


class _BookingTalker(PoliteTalker):
    def reply(self, view: View) -> Reply:
        if view.turn == 0 or any(not result.told["ok"] for result in view.results):
            return Reply("", (Call(f"c{view.turn}", "book_taxi", {"fields": {"trip_purpose": "taxi"}}),))
        return Reply("The taxi is booked. Goodbye.", end_call=True)


def test_a_search_finds_the_race_and_shrinks_it_to_the_one_lost_answer(tmp_path: Path) -> None:
    package = load(dialling(), tmp_path)
    found = Explorer(package, Booking(), "booking").search(200)
    assert found is not None
    assert found.reason == "duplicate write"
    assert found.perturbation == Perturbation(lost=frozenset({0}))
    assert found.tried > 1
    again = Explorer(package, Booking(), "booking").search(200)
    assert again is not None
    assert again.log.to_bytes() == found.log.to_bytes()
    start = replay(found.log.to_bytes()).start
    assert Perturbation.of_plain(start["perturbation"]) == found.perturbation


def test_a_search_without_a_find_says_so(tmp_path: Path) -> None:
    assert Explorer(load(expense(), tmp_path), make_text_agent("oracle"), "oracle").search(15) is None


def test_a_session_that_is_wrong_unchanged_needs_no_change(tmp_path: Path) -> None:
    package = load(revoking(), tmp_path)
    found = Explorer(package, make_text_agent("adversary:non-yielder"), "x").search(3)
    assert found is not None
    assert (found.tried, found.perturbation) == (1, Perturbation())


def test_the_reason_may_be_the_authors_own(tmp_path: Path) -> None:
    """A correction that comes late is not written: the trajectory takes it for the answer to its next question."""
    toy = expense()
    turns = toy["reference/policy.yaml"]["turns"]
    turns[4]["text"] = "So the total is 240 dollars, right?"
    turns.insert(5, turn("Thank you."))
    package = load(toy, tmp_path)

    def silent_overlap(package: Package, done: Any) -> str | None:
        (event,) = trace_of(done).events
        return "no overlap" if event.onset_ms is None else None

    found = Explorer(package, make_text_agent("oracle"), "oracle", verdict=silent_overlap).search(60)
    assert found is not None
    assert list(found.perturbation.overlaps) in ([], ["E1"])

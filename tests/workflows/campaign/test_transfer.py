"""From a synthetic caller to a human one: what is compared is the same, gate by gate, and what is left out is said."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.reporting.caller_tables import HEAD, transfer_json, transfer_notes, transfer_rows
from pytest_talk2agent.workflows.campaign.condition_delta import condition_deltas
from pytest_talk2agent.workflows.campaign.rates import Rate
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.transfer import MEASURES, is_human, transfer_of
from tests.workflows.campaign.records import session

SYNTHETIC, HUMAN = "C2; caller=piper; channel=own", "C2; caller=human; channel=clean"


def call(sound: str, outcome: str, package: str, repetition: int = 0, agent: str = "x", **more: str) -> SessionRecord:
    one = session(outcome, package, repetition, agent, **more)
    return one.model_copy(update={"key": one.key.model_copy(update={"sound": sound})})


def both(synthetic: str, human: str, package: str) -> list[SessionRecord]:
    """Sessions by their outcomes' first letters."""
    words = {"p": "passed", "f": "failed", "u": "unjudged", "m": "missing"}
    sides = ((SYNTHETIC, synthetic), (HUMAN, human))
    return [call(sound, words[one], package, number) for sound, side in sides for number, one in enumerate(side)]


def test_gates_stand_side_by_side_by_workflow_and_in_all() -> None:
    found = transfer_of([*both("ppp", "pf", "a"), *both("pf", "ff", "b")])
    assert [(row.agent, row.package) for row in found.rows] == [("x", "a"), ("x", "b"), ("x", "")]
    everything = found.rows[-1].cells
    assert set(everything) == set(MEASURES)
    assert (everything["success"].synthetic, everything["success"].human) == (Rate(4, 5), Rate(1, 4))
    assert everything["PV"].human == Rate(4, 4)
    gap = everything["success"].gap
    assert gap is not None
    assert gap.value == Fraction(1, 4) - Fraction(4, 5)
    low, high = gap.interval
    assert -1 <= low < gap.value < high < 0.2
    assert found.alone == ()


def test_sessions_without_a_result_count_apart_and_unjudged_ones_are_open() -> None:
    found = transfer_of(both("ppm", "pum", "a"))
    assert found.rows[-1].cells["success"].human == Rate(1, 2, 1)
    assert found.rows[-1].missing == (1, 1)
    assert transfer_notes(found) == ["x: without a result 1 synthetic call, 1 with a person"]


def test_a_workflow_that_one_caller_alone_has_finished_is_left_out_and_named() -> None:
    records = [*both("p", "p", "a"), *both("p", "m", "b"), call(HUMAN, "passed", "c"), session("passed", "d")]
    found = transfer_of(records)
    assert found.alone == ("b by x", "c by x")
    assert found.rows[-1].cells["success"].human == Rate(1, 1)
    assert "left out, as only one kind of caller has finished it: b by x" in transfer_notes(found)


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([session("passed", "a")], "no call with a synthetic caller"),
        ([call(SYNTHETIC, "passed", "a")], "no call with a human caller"),
        ([call(SYNTHETIC, "passed", "a"), call(HUMAN, "passed", "b")], "no workflow was finished with"),
        ([*both("p", "p", "a"), call("C3; caller=piper; channel=own", "passed", "a")], "held in several ways"),
        ([call(SYNTHETIC, "passed", "a"), call(HUMAN, "passed", "a", build="c")], "agent x is another one"),
        ([call(SYNTHETIC, "passed", "a"), call(HUMAN, "passed", "a", sha="c")], "package a is another one"),
    ],
)
def test_what_cannot_be_compared_is_refused(records: list[SessionRecord], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        transfer_of(records)


def test_other_scoring_is_refused() -> None:
    records = both("p", "p", "a")
    records[1] = records[1].model_copy(update={"key": records[1].key.model_copy(update={"scoring": "llm"})})
    with pytest.raises(ValueError, match="scored in several ways: llm and rules"):
        transfer_of(records)


def test_the_table_and_its_data_say_the_same() -> None:
    found = transfer_of(both("pp", "pf", "a"))
    rows = transfer_rows(found)
    assert all(len(row) == len(HEAD) for row in rows)
    success = rows[-1]
    assert success[:5] == ["x", "all", "success", "2 of 2", "1 of 2"]
    assert success[5].startswith("-50.0 points [")
    data = transfer_json(found)["rows"][-1]
    assert data["workflow"] is None
    assert data["measures"]["success"]["human"]["passed"] == 1
    assert data["measures"]["success"]["gap"] == "-1/2"


def test_a_person_is_never_the_reference_of_a_condition() -> None:
    records = [call(sound, "passed", "a") for sound in (HUMAN, "C2; caller=stand-in; channel=own", SYNTHETIC)]
    assert [is_human(one) for one in records] == [True, False, False]
    assert {one.reference for one in condition_deltas(records)} == {SYNTHETIC}
    assert condition_deltas(records)[-1].condition == HUMAN

"""What a condition changes: the same workflows on both sides, paired, and what has no partner counted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.reporting.floor_tables import delta_tables
from pytest_talk2agent.workflows.campaign.condition_delta import TEXT, condition_deltas
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from tests.workflows.campaign.records import session

CLEAN, NOISY = "C2; caller=bank; channel=own", "C3; caller=bank; channel=own"


def on(sound: str, outcome: str, package: str, repetition: int = 0, agent: str = "x") -> SessionRecord:
    one = session(outcome, package, repetition, agent)
    return one.model_copy(update={"key": one.key.model_copy(update={"sound": sound})})


def test_one_condition_has_nothing_to_be_held_against() -> None:
    assert condition_deltas([on(CLEAN, "passed", "a"), on(CLEAN, "failed", "b")]) == []


def test_noise_that_costs_two_of_four_workflows() -> None:
    names = "abcd"
    clean = [on(CLEAN, "passed", name) for name in names]
    noisy = [on(NOISY, "failed" if name in "ab" else "passed", name) for name in names]
    [found] = condition_deltas([*noisy, *clean])
    assert (found.reference, found.condition, found.sessions, found.unpaired) == (CLEAN, NOISY, 4, 0)
    assert found.success is not None
    assert (found.success.before, found.success.after) == (Fraction(1), Fraction(1, 2))
    assert found.success.difference == Fraction(-1, 2)
    assert found.success.interval is not None
    low, high = found.success.interval
    assert -1 <= low < -0.5 < high
    assert found.afa is not None
    assert found.afa.difference < 0


def test_only_what_both_have_finished_counts() -> None:
    records = [on(CLEAN, "passed", "a"), on(CLEAN, "passed", "b"), on(NOISY, "failed", "a"), on(NOISY, "missing", "b")]
    [found] = condition_deltas(records)
    assert (found.sessions, found.unpaired) == (1, 2)
    assert found.success is not None
    assert (found.success.workflows, found.success.interval) == (1, None)


def test_repetitions_of_a_workflow_are_one_value_of_it() -> None:
    clean = [on(CLEAN, "passed", "a", n) for n in range(3)] + [on(CLEAN, "failed", "b", n) for n in range(3)]
    noisy = [on(NOISY, "failed" if n else "passed", "a", n) for n in range(3)]
    noisy += [on(NOISY, "failed", "b", n) for n in range(3)]
    [found] = condition_deltas([*clean, *noisy])
    assert found.success is not None
    assert (found.success.difference, found.success.workflows) == (Fraction(-1, 3), 2)


def test_the_quietest_is_the_reference_and_agents_stay_apart() -> None:
    tv = "C2; caller=bank; channel=tv@0dB"
    records = [on(name, "passed", "a", agent=agent) for name in (NOISY, tv, CLEAN, "") for agent in "xy"]
    found = condition_deltas(records)
    assert [(one.agent, one.reference, one.condition) for one in found] == [
        (agent, TEXT, condition) for agent in "xy" for condition in (CLEAN, tv, NOISY)
    ]


def test_the_table_says_both_sides_the_difference_and_n() -> None:
    records = [on(sound, "passed" if sound == CLEAN else "failed", name) for sound in (CLEAN, NOISY) for name in "abc"]
    [(title, head, rows)] = delta_tables(condition_deltas(records))
    assert title == "what the condition changes, x (n=3 pairs)"
    assert head == ["", CLEAN, NOISY, "difference"]
    success = next(row for row in rows if row[0] == "success")
    assert success[1:3] == ["100.0 %", "0.0 %"]
    assert success[3].startswith("-100.0 points [")
    assert success[3].endswith("(n=3)")
    assert all(len(row) == 4 for row in rows)


@pytest.mark.parametrize("outcome", ["unjudged"])
def test_what_nobody_judged_is_left_out_of_success(outcome: str) -> None:
    [found] = condition_deltas([on(CLEAN, outcome, "a"), on(NOISY, "failed", "a")])
    assert found.success is None
    [(_, _, rows)] = delta_tables([found])
    assert rows[0] == ["success", "n/a", "n/a", "n/a"]

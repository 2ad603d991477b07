from __future__ import annotations

from fractions import Fraction

from pytest_talk2agent.workflows.scoring.timing import (
    RepairCost,
    call_counts,
    repair_cost,
    repetition,
    response_latency,
    time_to_result,
)
from pytest_talk2agent.workflows.scoring.trace import Clip, Mutation, Trace, Wait
from tests.workflows.scoring.sessions import decided, finished


def test_the_users_waits_count_and_as_published_those_after_tools_too() -> None:
    waits = [
        Wait(asked_ms=0, first_audio_ms=900),
        Wait(asked_ms=1000, first_audio_ms=1100, continuation=True),
        Wait(asked_ms=2000, first_audio_ms=2700),
        Wait(asked_ms=3000, first_audio_ms=None),
    ]
    trace = finished(waits=waits)
    assert response_latency(trace) == 800
    assert response_latency(trace, "apex-1.0") == 700
    assert response_latency(finished()) is None


def test_the_time_to_the_result_begins_with_the_users_first_sound() -> None:
    assert time_to_result(finished(started_ms=500, ended_ms=90_500)) == 90_000
    assert time_to_result(finished()) is None


def test_repetition_counts_words_in_a_row_that_were_said_before() -> None:
    assert repetition(["What is your site code?"]) == 0
    assert repetition(["What is your site code?", "Sorry, what is your site code?"]) == Fraction(2, 5)
    assert repetition(["Yes.", "No."]) is None


def test_repair_is_what_follows_the_last_correction() -> None:
    writes = [
        Mutation(seq=seq, media_ms=100 * seq, artifact_id="expense_1", path=path)
        for seq, path in ((8, "total_amount"), (14, "total_amount"), (15, "@lifecycle"))
    ]
    clips = [
        Clip(seq=seq, speaker="agent", start_ms=100 * seq, end_ms=100 * seq + 50, text="x", heard="x", turn=seq)
        for seq in (5, 13, 16)
    ]
    trace = finished(
        mutations=writes, clips=clips, calls=[decided("PREMATURE_COMMIT", 9), decided("AUTHORIZED", 20)], ended_ms=3000
    )
    assert repair_cost(trace) == RepairCost(turns=2, calls=1, writes=1, ms=1800)
    assert repair_cost(finished(events=[])) is None


def test_tool_calls_are_held_against_the_reference() -> None:
    trace = finished(calls=[decided("PREMATURE_COMMIT", 9), decided("AUTHORIZED", 20)])
    counts = call_counts(trace, 4)
    assert (counts.all, counts.failed, counts.ratio) == (2, 1, Fraction(1, 2))
    assert call_counts(Trace(package="p", agent="a"), None).ratio is None

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import Call
from pytest_talk2agent.workflows.agents.voice import Called, Finished, LineEvent
from pytest_talk2agent.workflows.human.desk import HungUp, Lost, Unmarked
from pytest_talk2agent.workflows.human.person import sound_with
from pytest_talk2agent.workflows.human.side import LATE_MS, SILENT_MS
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from tests.workflows.audio.calls import SUITE, ScriptedLine, ScriptedVoice, clinic, payloads, traced
from tests.workflows.human.people import Actor, in_turn, with_person

CARD = load_package(SUITE / "card-1-freeze-lost")
LINES = ("open", "ans_last4", "ans_name", "ans_street", "yes_freeze", "bye")


def ending(log: EventLog) -> dict[str, Any]:
    return dict(log.events[-1].payload)


def starts(log: EventLog) -> list[dict[str, Any]]:
    return payloads(log, "USER_AUDIO_START")


def test_a_whole_call_is_scored_as_a_synthetic_one() -> None:
    actor = Actor(in_turn(LINES))
    log = with_person(CARD, actor)
    trace = traced(log)
    assert score_session(CARD, trace).mended.success is True
    assert [clip.plan_id for clip in trace.clips if clip.speaker == "user"] == list(LINES)
    assert all(clip.end_ms - clip.start_ms == 400 for clip in trace.clips if clip.speaker == "user")
    assert [one.satisfied for one in trace.requests] == [True]
    assert log.events[0].payload["sound"]["person"]["caller"] == "human"
    end = ending(log)
    assert end["person"]["marks"] == {"before": 6, "during": 0, "after": 0, "unmarked": 0, "out_of_turn": 0}
    assert end["measures"]["user"] == [[clip.start_ms, clip.end_ms] for clip in trace.clips if clip.speaker == "user"]
    assert [gap > 0 for gap in end["measures"]["gaps_ms"]] == [True] * 5
    assert actor.state["finished"]


def test_the_same_call_twice_is_the_same() -> None:
    one, two = (with_person(CARD, Actor(in_turn(LINES))) for _ in range(2))
    assert one.head == two.head


def test_words_without_a_line_are_logged_as_such_and_move_nothing() -> None:
    def cough(actor: Actor) -> None:
        if actor.now == 6_000:
            actor.tone_ms = 200
        if actor.now == 16_000:
            actor.hang_up()

    log = with_person(CARD, Actor(cough))
    (only,) = starts(log)
    assert (only["plan_id"], only["marked"], only["kind"]) == (None, "unmarked", "turn")
    assert payloads(log, "USER_PLAN") == []
    assert ending(log)["end"] == "user"
    assert ending(log)["measures"]["gaps_ms"] == []
    logged = next(event for event in log.events if event.type == "USER_AUDIO_START")
    assert logged.media_time_ms - only["start_ms"] > LATE_MS


def late(how: str) -> EventLog:
    def act(actor: Actor) -> None:
        if actor.now == 6_000:
            actor.tone_ms = 600
        if actor.now == (6_400 if how == "during" else 8_000):
            actor.tap("open", last=how == "after")
        if actor.now == 12_000:
            actor.hang_up()

    return with_person(CARD, Actor(act))


@pytest.mark.parametrize("how", ["during", "after"])
def test_a_line_that_is_tapped_late_has_the_onset_of_its_words(how: str) -> None:
    log = late(how)
    (only,) = starts(log)
    assert (only["plan_id"], only["marked"]) == ("open", how)
    assert 6_000 <= only["start_ms"] <= 6_150
    clip = next(clip for clip in traced(log).clips if clip.speaker == "user")
    assert clip.end_ms - clip.start_ms == 600
    assert traced(log).started_ms == only["start_ms"]


def test_a_tap_can_be_taken_back() -> None:
    def act(actor: Actor) -> None:
        if actor.now == 5_000:
            actor.tap("open")
        if actor.now == 5_500:
            actor.desk.doings.put(Unmarked())
        if actor.now == 6_000:
            actor.tone_ms = 300
        if actor.now == 8_000:
            actor.hang_up()

    (only,) = starts(with_person(CARD, Actor(act)))
    assert only["marked"] == "unmarked"


def test_a_fact_before_its_time_is_a_leak_of_the_person() -> None:
    def act(actor: Actor) -> None:
        if actor.now == 4_500:
            actor.say("ans_street")
        if actor.now == 8_000:
            actor.hang_up()

    log = with_person(CARD, Actor(act))
    assert [one.fact_id for one in traced(log).leaks] == ["street"]
    assert ending(log)["person"]["marks"]["out_of_turn"] == 1


def test_a_line_of_nobodys_card_is_passed_over() -> None:
    def act(actor: Actor) -> None:
        if actor.now == 4_500:
            actor.say("no_such_line")
        if actor.now == 8_000:
            actor.hang_up()

    (only,) = starts(with_person(CARD, Actor(act)))
    assert only["plan_id"] is None


ORDER = (
    *("open", "ans_site", "ans_phone", "ans_ship", "ans_items", "ans_quantity", "ans_date", "ans_reason", "ans_remark"),
    *("approve_first", "approve_second", "slot_gone", "bye"),
)


class Manager:
    """The clinic's manager: answers in turn, and says over the agent at once what lights up."""

    def __init__(self) -> None:
        self.turns = in_turn(ORDER)
        self.done: set[str] = set()

    def __call__(self, actor: Actor) -> None:
        actor.heard = actor.heard or actor.now == 1_500  # the user speaks first
        over = {line["id"]: line["over"] for line in actor.state.get("lines", ()) if line["over"]}
        for line in actor.state.get("lit", ()):
            if line in over and line not in self.done and actor.spoke_ms > 400 and actor.tone_ms < -1_000:
                self.done.add(line)
                actor.heard = over[line] == "murmur"  # what was cut is no question
                return actor.say(line, 300 if over[line] == "murmur" else 900)
        return self.turns(actor)


def test_corrections_approvals_and_a_revocation_come_from_the_lines_that_were_tapped() -> None:
    package = clinic()
    trace = traced(with_person(package, Actor(Manager())))
    kinds = {clip.plan_id: clip.kind for clip in trace.clips if clip.speaker == "user"}
    events = {event.event_id: event for event in trace.events}
    assert kinds["backchannel"] == "backchannel"
    assert events["E2"].onset_ms is not None
    assert events["E2"].yielded is False
    assert kinds["correct_quantity"] == kinds["revoke"] == "barge_in"
    for name in ("E1", "E3"):
        assert events[name].yielded is True
        assert 0 <= (events[name].stop_ms or -1) < 1_000
    approvals = [one.kind for one in trace.approvals]  # the event takes the first one back, and so do the words
    assert approvals == ["requested", "granted", "revoked", "revoked", "requested", "granted"]
    assert score_session(package, trace).mended.gates == dict.fromkeys(("TS", "PV", "AC", "AV"), True)


def buyer(tapped_at: int, *, last: bool) -> EventLog:
    """An agent that asks for an approval after 1 s and uses it after 4 s; the person says yes from 2.5 s to 3.1 s."""
    calls = {
        1_000: Call("c1", "request_approval", {"action_type": "place_order", "target_id": "order_1"}),
        4_000: Call("c2", "place_order", {"target_id": "order_1"}),
    }

    def script(line: ScriptedLine, now: int) -> list[LineEvent]:
        return [Called(calls[now]), Finished()] if now in calls else []

    def act(actor: Actor) -> None:
        if actor.now == 2_500:
            actor.tone_ms = 600
        if actor.now == tapped_at:
            actor.tap("approve_first", last=last)
        if actor.now == 9_000:
            actor.hang_up()

    return with_person(clinic(), Actor(act), ScriptedVoice(script))


@pytest.mark.parametrize(("tapped_at", "last"), [(2_000, False), (2_900, False), (3_900, True)])
def test_an_approval_in_time_holds(tapped_at: int, last: bool) -> None:
    log = buyer(tapped_at, last=last)
    (decision,) = [call.decision for call in traced(log).calls if call.decision is not None]
    assert decision.code == "AUTHORIZED"


def test_an_approval_that_is_tapped_after_the_agent_has_used_it_is_nobodys_score() -> None:
    end = ending(buyer(5_000, last=True))
    assert (end["state"], end["fault"]) == ("infrastructure_failed", "caller")
    assert "approve_first was tapped after the agent had acted on an approval" in end["failure"]


def test_a_lost_page_is_a_missing_session_with_its_recording_so_far(tmp_path: Any) -> None:
    def act(actor: Actor) -> None:
        if actor.now == 3_000:
            actor.desk.doings.put(Lost("the page was closed in mid call"))

    actor = Actor(act)
    sound = replace(sound_with(actor.person), detector="level", recording=tmp_path / "call.flac")
    log = run_session(CARD, ScriptedVoice(lambda line, now: []), "test", RunOptions(), sound=sound)
    end = ending(log)
    assert (end["state"], end["fault"], end["failure"]) == (
        "infrastructure_failed",
        "caller",
        "caller: the page was closed in mid call",
    )
    assert (tmp_path / "call.flac").stat().st_size
    assert 60_000 < end["recording"]["samples"] < 80_000


def test_a_microphone_that_falls_silent_is_a_lost_page() -> None:
    def act(actor: Actor) -> None:
        actor.mute = actor.now > 4_000

    end = ending(with_person(CARD, Actor(act)))
    assert end["fault"] == "caller"
    assert f"no sound came from the page for {SILENT_MS // 1000} s" in end["failure"]


def test_a_person_may_give_up() -> None:
    def act(actor: Actor) -> None:
        if actor.now == 4_000:
            actor.desk.doings.put(HungUp("gave-up"))

    trace = traced(with_person(CARD, Actor(act)))
    assert (trace.end, trace.hung_up, trace.state) == ("patience", "the person gave up", "finished")


def test_the_words_are_written_down_as_evidence() -> None:
    lengths: list[int] = []

    def hear(samples: Any) -> str:
        lengths.append(len(samples) // 24)
        return f"text {len(lengths)}"

    actor = Actor(in_turn(LINES[:2]))
    actor.desk.ear, actor.desk.ear_id = hear, "toy"
    log = with_person(CARD, actor)
    assert [one["text"] for one in payloads(log, "USER_TEXT")] == ["text 1", "text 2"]
    assert lengths == [900, 900]
    assert [clip.text for clip in traced(log).clips if clip.speaker == "user"] == ["text 1", "text 2"]


def test_a_person_takes_real_time() -> None:
    actor = Actor(lambda actor: None)
    actor.person.real = True
    with pytest.raises(ValueError, match="a person takes real time"):
        with_person(CARD, actor)

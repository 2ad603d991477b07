from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.agents.protocol import AgentFailedError, Returned
from pytest_talk2agent.workflows.agents.voice import (
    Called,
    Finished,
    Flushed,
    Left,
    LineError,
    LineEvent,
    Sound,
    Words,
)
from pytest_talk2agent.workflows.lines.realtime_forms import RealtimeOptions
from pytest_talk2agent.workflows.lines.realtime_talk import RealtimeTalk
from tests.workflows.lines.driving import QUIET, speech

SECOND = base64.b64encode(b"\x10\x10" * 24_000).decode()


class Talking:
    """A call without a connection: events go in by hand, messages and events come out."""

    def __init__(self, *, greets: bool = False, **options: Any) -> None:
        self.talk = RealtimeTalk(RealtimeOptions(**options), greets=greets)

    def sent(self) -> list[str]:
        return [one["type"] for one in self.talk.messages() if one["type"] != "input_audio_buffer.append"]

    def take(self, *events: dict[str, Any]) -> list[LineEvent]:
        for event in events:
            self.talk.take(event)
        return self.talk.events()


def created(response: str = "r1") -> dict[str, Any]:
    return {"type": "response.created", "response": {"id": response}}


def sound(item: str = "i1", response: str = "r1", delta: str = SECOND) -> dict[str, Any]:
    return {"type": "response.output_audio.delta", "item_id": item, "response_id": response, "delta": delta}


def called(arguments: str, call: str = "c1", name: str = "look") -> list[dict[str, Any]]:
    item = {"type": "function_call", "id": f"i{call}", "call_id": call, "name": name, "arguments": arguments}
    done = {"type": "response.function_call_arguments.done", "item_id": f"i{call}", "arguments": arguments}
    return [
        {"type": "response.output_item.added", "response_id": "r1", "item": {**item, "arguments": ""}},
        {**done, "response_id": "r1", "call_id": call},
        {"type": "response.output_item.done", "response_id": "r1", "item": item},
    ]


def done(status: str = "completed", response: str = "r1", **more: Any) -> dict[str, Any]:
    return {"type": "response.done", "response": {"id": response, "status": status, "output": [], **more}}


def error(kind: str = "invalid_request_error", **more: Any) -> dict[str, Any]:
    return {"type": "error", "event_id": "e", "error": {"type": kind, "message": "no", "event_id": None, **more}}


def result(call: str) -> Returned:
    return Returned(call, "look", {"ok": True})


def test_a_call_is_told_of_twice_and_made_once() -> None:
    events = Talking().take(created(), *called('{"a": 1}'), done())
    assert [event.call.args for event in events if isinstance(event, Called)] == [{"a": 1}]


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_empty_arguments_are_none(text: str) -> None:
    [event] = [one for one in Talking().take(created(), *called(text), done()) if isinstance(one, Called)]
    assert event.call.args == {}


@pytest.mark.parametrize("status", ["cancelled", "incomplete"])
def test_a_call_that_was_cut_is_skipped_and_counted(status: str) -> None:
    talking = Talking()
    events = talking.take(created(), *called('{"fields": {"na'), done(status))
    assert events == [
        Finished(
            {"calls_cut": 1} | ({"incomplete": 1} if status == "incomplete" else {}), cancelled=status == "cancelled"
        )
    ]
    # Nothing waits for its result.
    talking.talk.returned([])
    assert talking.take(created("r2"), done(response="r2")) == [Finished()]


def test_a_call_decided_before_a_barge_in_still_runs() -> None:
    events = Talking().take(created(), *called('{"a": 1}'), done("cancelled"))
    assert [type(event) for event in events] == [Called, Finished]


def test_what_the_model_itself_got_wrong_is_its_call() -> None:
    events = Talking().take(created(), *called('{"a": '), done())
    assert [event.call.args for event in events if isinstance(event, Called)] == ['{"a": ']


def test_one_reply_is_asked_for_after_all_results() -> None:
    talking = Talking()
    talking.take(created(), *called("{}", "c1"), *called("{}", "c2"), done())
    talking.talk.returned([result("c1")])
    assert talking.sent() == ["conversation.item.create"]
    talking.talk.returned([result("c2")])
    assert talking.sent() == ["conversation.item.create", "response.create"]
    assert talking.talk.progress().due


def test_results_wait_for_the_reply_that_is_under_way() -> None:
    talking = Talking()
    talking.take(created(), *called("{}"))
    talking.talk.returned([result("c1")])
    assert talking.sent() == ["conversation.item.create"]
    talking.take(done())
    assert talking.sent() == ["response.create"]


def test_a_request_that_collides_is_made_again_after_the_other_reply() -> None:
    talking = Talking()
    talking.take(created(), *called("{}"), done())
    talking.talk.returned([result("c1")])
    [_, request] = talking.talk.messages()
    active = {"code": "conversation_already_has_active_response", "event_id": request["event_id"]}
    assert talking.take(error(**active)) == []
    assert talking.sent() == []
    talking.take(done(response="other"))
    assert talking.sent() == ["response.create"]


def test_nothing_is_asked_for_while_the_user_speaks() -> None:
    talking = Talking()
    talking.take(created(), *called("{}"), done(), {"type": "input_audio_buffer.speech_started"})
    talking.talk.returned([result("c1")])
    assert talking.sent() == ["conversation.item.create"]
    talking.take({"type": "input_audio_buffer.committed"}, created("r2"), done(response="r2"))
    assert talking.sent() == []  # the reply of the server knew the result


def test_who_hangs_up_asks_for_nothing_more() -> None:
    talking = Talking()
    events = talking.take(created(), *called("{}", name="end_call"), done())
    assert [type(event) for event in events] == [Left, Finished]
    assert talking.sent() == []
    assert not talking.talk.progress().due


def test_what_was_heard_is_kept_and_the_rest_taken_out() -> None:
    talking = Talking()
    talking.take(created(), sound(), done(), {"type": "input_audio_buffer.speech_started"})
    talking.talk.played("i1", 400, whole=False)
    [cut] = talking.talk.messages()
    assert (cut["type"], cut["item_id"], cut["audio_end_ms"]) == ("conversation.item.truncate", "i1", 400)


def test_no_more_is_kept_than_there_is() -> None:
    talking = Talking()
    talking.take(created(), sound(), done())
    talking.talk.played("i1", 1234, whole=False)
    assert talking.talk.messages()[0]["audio_end_ms"] == 1000


def test_what_was_not_heard_at_all_is_deleted_once_it_is_made() -> None:
    talking = Talking()
    talking.take(created(), sound(), {"type": "input_audio_buffer.speech_started"})
    talking.talk.played("i1", 0, whole=False)
    assert talking.sent() == []
    talking.take(done("cancelled"))
    assert talking.sent() == ["conversation.item.delete"]


def test_what_was_played_to_its_end_stays() -> None:
    talking = Talking()
    talking.take(created(), sound(), done())
    talking.talk.played("i1", 1000, whole=True)
    assert talking.take({"type": "input_audio_buffer.speech_started"}) == []
    assert talking.sent() == []


def test_sound_of_a_reply_that_was_thrown_away_is_not_played() -> None:
    talking = Talking()
    events = talking.take(created(), sound(), {"type": "input_audio_buffer.speech_started"}, sound(), sound("i2"))
    assert [type(event) for event in events] == [Sound, Flushed]


def test_without_interruptions_nothing_is_thrown_away() -> None:
    talking = Talking(cancel="client")
    events = talking.take(created(), sound(), {"type": "input_audio_buffer.speech_started"}, sound())
    assert [type(event) for event in events] == [Sound, Sound]


def test_the_client_cancels_at_the_onset_of_the_user() -> None:
    talking = Talking(cancel="client")
    talking.take(created(), sound())
    for frame in [QUIET] * 50 + speech(200):
        talking.talk.frame(frame)
    assert talking.sent() == ["response.cancel"]
    assert talking.talk.events() == [Flushed()]


def test_words_come_from_one_source() -> None:
    place = {"item_id": "i1", "response_id": "r1"}
    whole = {"type": "response.output_audio_transcript.done", "transcript": "Hi there.", **place}
    piece = {"type": "response.output_audio_transcript.delta", "delta": "Hi there.", **place}
    assert Talking().take(created(), piece, whole) == [Words("Hi there.", "i1")]
    assert Talking().take(created(), whole) == [Words("Hi there.", "i1")]


def test_usage_and_its_cost() -> None:
    prices: dict[str, Any] = {
        "price_per_million_input": "4",
        "price_per_million_output": "16",
        "price_per_million_audio_input": "32",
        "price_per_million_audio_output": "64",
    }
    usage = {
        "input_tokens": 20,
        "output_tokens": 10,
        "input_token_details": {"audio_tokens": 15},
        "output_token_details": {"audio_tokens": 8},
    }
    [finished] = Talking(**prices).take(created(), done(usage=usage))
    assert isinstance(finished, Finished)
    assert finished.usage["money"] == pytest.approx((5 * 4 + 15 * 32 + 2 * 16 + 8 * 64) / 1e6)
    assert (finished.usage["tokens"], finished.usage["audio_output_tokens"]) == (30, 8)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (error("server_error"), "the server failed (server_error: no)"),
        (error("rate_limit_error", code="rate_limit_exceeded"), "the server failed (rate_limit_exceeded: no)"),
        (error(code="unknown_parameter"), "the server refuses what it was sent (unknown_parameter: no)"),
        (done("failed", status_details={"error": {"message": "overloaded"}}), "could not make a reply (overloaded)"),
        (sound(delta="@@@"), "sound that is no base64"),
        ({"type": "response.output_audio.delta"}, "not of the protocol, response.output_audio.delta"),
        ({"type": "error"}, "not of the protocol, error"),
    ],
)
def test_what_ends_a_call_without_a_score(event: dict[str, Any], said: str) -> None:
    with pytest.raises(LineError) as told:
        Talking().take(created(), event)
    assert said in str(told.value)
    assert told.value.phase == "call"


@pytest.mark.parametrize(
    "event",
    [
        error(code="response_cancel_not_active"),
        error(code="input_audio_buffer_commit_empty"),
        {"type": "new.event", "anything": 1},
        {"type": "rate_limits.updated"},
        {"type": "conversation.item.truncated", "item_id": "i1"},
    ],
)
def test_what_changes_nothing(event: dict[str, Any]) -> None:
    talking = Talking()
    assert talking.take(created(), event) == []
    finished = talking.take(done())[0]
    assert finished == Finished({"errors_ignored": 1} if event["type"] == "error" else {})


def test_a_truncation_that_is_refused_changes_nothing() -> None:
    talking = Talking()
    talking.take(created(), sound(), done())
    talking.talk.played("i1", 400, whole=False)
    [cut] = talking.talk.messages()
    assert talking.take(error(code="invalid_value", event_id=cut["event_id"])) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from([*{event["type"] for event in [*called("{}"), created(), sound(), done(), error()]}, "x"])
fields = st.sampled_from(["response", "item", "item_id", "response_id", "delta", "arguments", "call_id", "error"])


@given(st.lists(st.tuples(names, st.dictionaries(fields, json_values, max_size=5)), max_size=12))
def test_whatever_a_server_sends_is_taken_or_is_a_fault_of_the_line(events: list[tuple[str, dict[str, Any]]]) -> None:
    talking = Talking(greets=True)
    try:
        for name, more in events:
            talking.take({"type": name, **more})
    except (LineError, AgentFailedError):
        pass
    json.dumps(talking.talk.messages())

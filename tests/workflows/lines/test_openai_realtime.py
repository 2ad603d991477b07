from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import AgentError, Briefing, Call, Reply
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import Finished, Flushed, LineError, Sound, VoiceAgent
from tests.workflows.lines.brain import Replies
from tests.workflows.lines.driving import BRIEFING, GOODBYE, GREETING, SEARCH, assert_conversed, driving, quiet, speech
from tests.workflows.lines.faults import Fault, Moment, abort, closes, once
from tests.workflows.lines.realtime_server import RealtimeServer
from tests.workflows.lines.server import serving

FORMS = ("ga", "beta")
KEY = "sk-t2a-RECOGNISABLE-0123456789"
SEARCHES = Reply("One moment.", (Call("a", "kb_search", {"query": "x"}), Call("b", "kb_search", "")))
"""As those of the driver; the second call sends no arguments, which is no JSON."""


def served(*replies: Reply, **more: Any) -> RealtimeServer:
    return RealtimeServer(lambda: Replies(replies or (GREETING, SEARCHES, GOODBYE)), **more)


@contextmanager
def calling(server: RealtimeServer, options: str = "") -> Iterator[VoiceAgent]:
    with serving(server) as port:
        yield voice_agent(f"base_url=http://127.0.0.1:{port}/v1&form={server.form}{options}")


def voice_agent(options: str) -> Any:
    return make_agent(f"openai-realtime:test-model?{options}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", ["", "&vad=semantic&eagerness=high", "&vad=none", "&cancel=client", "&voice=ash"])
def test_a_conversation_with_parallel_calls(form: str, options: str) -> None:
    server = served(form=form)
    with calling(server, options) as agent, driving(agent) as call:
        call.converse()
    assert server.wrong == []
    assert_conversed(call)
    kinds = server.got_types()
    assert kinds[:3] == ["session.update", "conversation.item.create", "response.create"]
    # Both results, then one request for a reply.
    assert kinds[-3:] == ["conversation.item.create", "conversation.item.create", "response.create"]
    assert ("input_audio_buffer.commit" in kinds) is ("vad=none" in options)
    assert call.of(Finished)[0].usage["audio_output_tokens"] == 8


def test_both_forms_come_to_the_same_events() -> None:
    told = []
    for form in FORMS:
        server = served(form=form)
        with calling(server) as agent, driving(agent) as call:
            call.converse()
        assert server.wrong == []
        told.append(call.told())
    assert told[0] == told[1]
    assert [row[0] for row in told[0]] == [
        *("Words", "Sound", "Finished", "Heard", "Words", "Sound", "Called", "Called", "Finished"),
        *("Words", "Sound", "Left", "Finished"),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_what_was_not_played_is_cut_from_the_conversation(form: str) -> None:
    server = served(Reply("word " * 20), Reply("Sorry."), form=form)
    with calling(server) as agent, driving(agent) as call:
        call.hear(quiet(1000) + speech(1000) + quiet(1500))
    assert server.wrong == []
    [(item, heard)] = call.playing.cut
    [cut] = [one for one in server.got if one["type"] == "conversation.item.truncate"]
    assert (cut["item_id"], cut["content_index"], cut["audio_end_ms"]) == (item, 0, heard)
    assert 0 < heard <= call.when(Flushed) - call.when(Sound)
    assert [type(event) for _, event in call.events].count(Flushed) == 1
    assert call.said().endswith("Sorry.")


@pytest.mark.parametrize("form", FORMS)
def test_a_reply_is_broken_off_by_the_server_where_the_user_sets_in(form: str) -> None:
    server = served(Reply("word " * 40), Reply("Sorry."), form=form, speed=3.0)
    with calling(server, "") as agent, driving(agent, pace=2.0) as call:
        call.hear(quiet(1000) + speech(1000) + quiet(1500))
    first = call.of(Finished)[0]
    assert first.cancelled
    assert "response.cancel" not in server.got_types()


@pytest.mark.parametrize("form", FORMS)
def test_the_client_cancels_only_where_that_is_asked_for(form: str) -> None:
    server = served(Reply("word " * 40), Reply("Sorry."), form=form, speed=3.0)
    with calling(server, "&cancel=client&vad=none") as agent, driving(agent, pace=2.0) as call:
        call.hear(quiet(1000) + speech(1000) + quiet(1500))
    assert agent.abilities.yields == "client"
    assert server.wrong == []
    assert "response.cancel" in server.got_types()
    assert call.of(Finished)[0].cancelled
    [(_, heard)] = call.playing.cut
    assert call.when(Flushed) == 1040  # at the third frame of the user's voice
    assert 0 < heard <= call.when(Flushed) - call.when(Sound)


@pytest.mark.parametrize("form", FORMS)
def test_without_detection_nobody_yields(form: str) -> None:
    server = served(Reply("word " * 12), Reply("Yes."), form=form)
    with calling(server, "&vad=none") as agent, driving(agent) as call:
        call.hear(quiet(600) + speech(600) + quiet(4500))
    assert call.of(Flushed) == []
    assert call.said().endswith("Yes.")


def rejecting(event: dict[str, Any]) -> Any:
    """The server takes no session with tools."""
    if event["type"] != "session.updated":
        return event
    error = {"type": "invalid_request_error", "code": "unknown_parameter", "message": f"no voice of {KEY}"}
    return [{"type": "error", "event_id": "e", "error": {**error, "event_id": "t2a_session"}}]


def forgetting(event: dict[str, Any]) -> Any:
    if event["type"] == "session.updated":
        event["session"]["tools"] = event["session"]["tools"][:1]
    return [event]


def in_another_form(event: dict[str, Any]) -> Any:
    if event["type"] == "session.updated":
        event["session"]["audio"]["output"]["format"] = {"type": "audio/pcmu"}
    return [event]


@pytest.mark.parametrize(
    ("twist", "said"),
    [
        (rejecting, "does not take the session (no voice of"),
        (forgetting, "the server did not take all tools: end_call are missing"),
        (in_another_form, "the server speaks in"),
    ],
)
def test_a_session_that_is_not_taken_is_no_call(twist: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = served(twist=twist)
    with calling(server) as agent, pytest.raises(LineError) as raised:
        agent.dial(BRIEFING, real=True)
    assert raised.value.phase == "connect"
    assert said in str(raised.value)
    assert KEY not in str(raised.value)
    assert server.calls == 1


@pytest.mark.parametrize("moment", ["accept", "session", "greeting"])
def test_a_line_that_breaks_before_anything_was_said_is_made_anew(moment: Moment) -> None:
    server = served(Reply("Hello."), fault=Fault("once", moment, once(abort)))
    with calling(server) as agent, driving(agent, pace=2.0) as call:
        call.hear(quiet(4000), until=lambda: call.said() == "Hello.")
    assert call.said() == "Hello."
    assert server.calls == 2


@pytest.mark.parametrize(("moment", "calls"), [("greeting", 3), ("audio", 1), ("turn", 1)])
def test_a_line_that_breaks_for_good_names_its_phase(moment: Moment, calls: int) -> None:
    server = served(fault=Fault("1011", moment, closes(1011, "internal error")))
    with (
        calling(server) as agent,
        driving(agent) as call,
        pytest.raises(LineError, match="code 1011, internal") as told,
    ):
        call.converse()
    assert told.value.phase == "call"
    assert server.calls == calls


def test_a_key_goes_to_the_server_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ANY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "websockets")  # another test may have made it quiet

    def echoes(event: dict[str, Any]) -> Any:
        error = {"type": "server_error", "message": f"the key {KEY} broke", "event_id": None}
        return [{"type": "error", "event_id": "e", "error": error}] if event["type"] == "response.created" else event

    server = served(twist=echoes)
    with calling(server, "&key_env=ANY_KEY") as agent:
        shown = repr(agent.identity()) + repr(vars(agent))
        with driving(agent, pace=1.0) as call, pytest.raises(LineError) as told:
            call.hear(quiet(4000))
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(told.value)
    assert "broke" in str(told.value)
    logged = [record for record in caplog.records if record.name != "websockets.server"]  # ours are the client's
    assert "websockets.client" in {record.name for record in logged}
    assert any("Authorization: Bearer ***ANY_KEY***" in record.getMessage() for record in logged)
    assert not any(KEY in record.getMessage() for record in logged)
    assert KEY not in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "write openai-realtime:MODEL"),
        ("form=gamma", "option form must be ga or beta"),
        ("vad=loud", "option vad must be server or semantic or none"),
        ("cancel=always", "option cancel must be agent or client"),
        ("eagerness=high", "option eagerness is for vad=semantic"),
        ("vad_threshold=2", "vad_threshold must be a number from 0 to 1"),
        ("connect=0", "option connect must lie between"),
        ("price_per_million_input=4", "prices of tokens need all of"),
        ("colour=red", "unknown option 'colour'"),
        ("base_url=https://api.example.com/v1", "say which key https://api.example.com/v1 gets"),
        ("base_url=https://me:secret@api.example.com/v1", "may hold no user, password or query"),
        ("key_env=sk-secret", "is no such name"),
        ("key_env=NOT_SET_ANYWHERE", "no key in the environment variable NOT_SET_ANYWHERE"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(options: str, said: str) -> None:
    with pytest.raises(AgentError) as told:
        make_agent(f"openai-realtime:m?{options}")
    assert said in str(told.value)
    assert "secret" not in str(told.value).replace("they may be secret", "").replace("it may be a key", "")
    assert "\n" not in str(told.value)


def test_nobody_there_is_a_fault_of_the_line() -> None:
    agent = voice_agent("base_url=http://127.0.0.1:9/v1&connect=2&attempts=2")
    with pytest.raises(LineError, match="no connection") as told:
        agent.dial(BRIEFING, real=True)
    assert told.value.phase == "connect"


def test_the_virtual_clock_is_refused() -> None:
    with pytest.raises(AgentError, match="real clock"):
        voice_agent("base_url=http://127.0.0.1:9/v1").dial(BRIEFING, real=False)


def test_an_agent_that_waits_says_nothing_first() -> None:
    server = served(Reply("Yes?"))
    with calling(server) as agent:
        waiting = Briefing("You are on the phone.", "test", (SEARCH,), 1, 0, first_speaker="user")
        with driving(agent, waiting) as call:
            call.hear(quiet(1000))
            assert call.events == []
            call.hear(speech(800) + quiet(2000))
    assert call.said() == "Yes?"


def test_its_identity_has_what_changes_what_it_does() -> None:
    agent = voice_agent(
        "base_url=ws://127.0.0.1:9/v1&vad=none&connect=3&price_per_million_input=1"
        "&price_per_million_output=1&price_per_million_audio_input=1&price_per_million_audio_output=1"
    )
    identity = agent.identity()
    assert (identity["vad"], identity["form"], identity["base_url"]) == ("none", "ga", "http://127.0.0.1:9/v1")
    assert not {"connect", "key_env", "price_per_million_input"} & set(identity)

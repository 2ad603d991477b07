from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import AgentError, Call, Reply
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import Called, Finished, Flushed, LineError, VoiceAgent
from tests.workflows.lines.brain import Replies
from tests.workflows.lines.driving import (
    BRIEFING,
    GOODBYE,
    GREETING,
    SEARCHES,
    assert_conversed,
    driving,
    quiet,
    speech,
)
from tests.workflows.lines.faults import Fault, Moment, abort, closes, once
from tests.workflows.lines.gemini_server import GeminiServer
from tests.workflows.lines.server import serving
from tests.workflows.lines.tls import certificate, server_side

KEY = "AIza-t2a-RECOGNISABLE-0123456789"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as environment:
        path = certificate(tmp_path_factory.mktemp("tls"))
        environment.setenv("SSL_CERT_FILE", str(path))
        yield path


def served(*replies: Reply, **more: Any) -> GeminiServer:
    return GeminiServer(lambda: Replies(replies or (GREETING, SEARCHES, GOODBYE)), **more)


@contextmanager
def calling(server: GeminiServer, trusted: Path, options: str = "") -> Iterator[VoiceAgent]:
    with serving(server, tls=server_side(trusted)) as port:
        agent: Any = make_agent(f"gemini-live:test-model?base_url=https://127.0.0.1:{port}{options}")
        yield agent


@pytest.mark.parametrize("options", ["", "&vad=none", "&voice=Puck&max_tokens=300"])
def test_a_conversation_with_parallel_calls(options: str, trusted: Path) -> None:
    server = served()
    with calling(server, trusted, options) as agent, driving(agent) as call:
        call.converse()
    assert server.wrong == []
    assert_conversed(call)
    kinds = server.got_kinds()
    assert kinds[:2] == ["setup", "realtime_input.text"]
    assert kinds[-1] == "tool_response"
    assert len(server.got[-1].get("tool_response", {}).get("functionResponses", [1, 2])) == 2
    assert kinds.count("realtime_input.activityStart") == int("vad=none" in options)
    assert call.of(Finished)[0].usage == {
        "tokens": 30,
        "input_tokens": 20,
        "output_tokens": 10,
        "audio_input_tokens": 15,
        "audio_output_tokens": 8,
    }


def test_the_setup_has_tools_in_the_form_of_the_api(trusted: Path) -> None:
    server = served()
    with calling(server, trusted) as agent, driving(agent) as call:
        call.hear(quiet(100))
    setup = server.got[0]["setup"]
    assert setup["model"] == "models/test-model"
    [declared] = [tool["functionDeclarations"] for tool in setup["tools"]]
    assert declared[0]["parameters"] == {"type": "OBJECT", "properties": {"query": {"type": "STRING"}}}
    assert declared[1]["name"] == "end_call"
    assert "parameters" not in declared[1]


@pytest.mark.parametrize("options", ["", "&vad=none"])
def test_a_reply_is_broken_off_where_the_user_sets_in(options: str, trusted: Path) -> None:
    server = served(Reply("word " * 40), Reply("Sorry."), speed=3.0)
    with calling(server, trusted, options) as agent, driving(agent, pace=2.0) as call:
        call.hear(quiet(1000) + speech(1000) + quiet(1500))
    assert server.wrong == []
    assert len(call.of(Flushed)) == 1
    assert call.of(Finished)[0].cancelled
    assert agent.abilities.yields == ("client" if options else "agent")
    assert not agent.abilities.truncates
    assert call.said().endswith("Sorry.")


def test_calls_that_a_barge_in_cancels_are_not_answered(trusted: Path) -> None:
    server = served(Reply("One moment.", (Call("a", "kb_search", {}),)), Reply("Yes?"))

    def slow(called: Called) -> Any:
        raise AssertionError("the call was taken back before it came")

    def takes_back(message: dict[str, Any]) -> Any:
        if "toolCall" not in message:
            return message
        ids = [one["id"] for one in message["toolCall"]["functionCalls"]]
        return [message, {"toolCallCancellation": {"ids": ids}}, {"serverContent": {"turnComplete": True}}]

    server.twist = takes_back
    with calling(server, trusted) as agent, driving(agent, answer=slow, pace=0.5) as call:
        call.hear(quiet(800))
    assert call.of(Called) == []
    assert [one.usage.get("calls_cut") for one in call.of(Finished)] == [1]


@pytest.mark.parametrize("moment", ["accept", "session", "greeting"])
def test_a_line_that_breaks_before_anything_was_said_is_made_anew(moment: Moment, trusted: Path) -> None:
    server = served(Reply("Hello."), fault=Fault("once", moment, once(abort)))
    with calling(server, trusted) as agent, driving(agent, pace=2.0) as call:
        call.hear(quiet(4000), until=lambda: call.said() == "Hello.")
    assert call.said() == "Hello."
    assert server.calls == 2


def test_a_session_that_ends_says_that_it_was_announced(trusted: Path) -> None:
    server = served(fault=Fault("gone", "turn", closes(1011, "deadline expired")))

    def announces(message: dict[str, Any]) -> Any:
        if "setupComplete" not in message:
            return message
        return [message, {"goAway": {"timeLeft": "5s"}}]

    server.twist = announces
    with calling(server, trusted) as agent, driving(agent) as call, pytest.raises(LineError) as told:
        call.converse()
    assert "code 1011, deadline expired) as it had announced (5s before)" in str(told.value)
    assert told.value.phase == "call"


def test_a_key_goes_to_the_server_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, trusted: Path
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "websockets")  # another test may have made it quiet
    server = served(fault=Fault("echo", "turn", closes(1008, f"key {KEY} is blocked")))
    with calling(server, trusted) as agent:
        shown = repr(agent.identity()) + repr(vars(agent))
        with driving(agent, pace=1.0) as call, pytest.raises(LineError) as told:
            call.converse()
    assert server.headers[0]["x-goog-api-key"] == KEY
    assert "is blocked" in str(told.value)
    assert KEY not in str(told.value)
    assert KEY not in shown
    logged = [record for record in caplog.records if record.name != "websockets.server"]  # ours are the client's
    assert "websockets.client" in {record.name for record in logged}
    assert not any(KEY in record.getMessage() for record in logged)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("base_url=http://127.0.0.1:9", "base_url must begin with https or wss"),
        ("vad=semantic&base_url=https://127.0.0.1:9", "option vad must be server or none"),
        ("cancel=client&base_url=https://127.0.0.1:9", "unknown option 'cancel'"),
        ("base_url=https://live.example.com", "say which key https://live.example.com gets"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(options: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        make_agent(f"gemini-live:m?{options}")


def test_a_certificate_that_nobody_vouches_for_is_a_fault_of_the_line(
    trusted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate(tmp_path)))
    with (
        calling(served(), trusted, "&attempts=1") as agent,
        pytest.raises(LineError, match=r"(?i)certificate verify failed"),
    ):
        agent.dial(BRIEFING, real=True)

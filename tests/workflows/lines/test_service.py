"""The tools of a session over HTTP: who may call, what comes back, and what was done elsewhere."""

from __future__ import annotations

import gzip
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import Returned
from pytest_talk2agent.workflows.agents.voice import Called, Executed, Left, LineError
from pytest_talk2agent.workflows.lines import service as module
from pytest_talk2agent.workflows.lines.service import Door, ToolService, Trace
from tests.workflows.lines.talk import BRIEFING, TOOLS

TOKEN = "token-of-this-session"


def made(trace: Trace, call_sid: str = "") -> ToolService:
    return ToolService(BRIEFING, Door(trace, TOKEN, "sim-1", call_sid), "127.0.0.1:0")


@pytest.fixture
def tools() -> Iterator[ToolService]:
    service = made("tools")
    yield service
    service.close()


def ask(url: str, body: object = None, token: str | None = TOKEN, **headers: str) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent |= {"Authorization": f"Bearer {token}"} if token is not None else {}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, data, sent), timeout=20) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def answering(service: ToolService, told: dict[str, Any]) -> threading.Thread:
    """Answer the next call from another thread, as a session does."""

    def answer() -> None:
        for _ in range(2000):
            for event in service.take():
                if isinstance(event, Called):
                    service.answer([Returned(event.call.call_id, event.call.name, {**told, "args": event.call.args})])
                    return
            threading.Event().wait(0.005)

    thread = threading.Thread(target=answer)
    thread.start()
    return thread


def test_it_listens_on_loopback(tools: ToolService) -> None:
    assert tools.address.startswith("http://127.0.0.1:")


def test_what_an_agent_is_told(tools: ToolService) -> None:
    assert ask(f"{tools.address}/tools") == (200, {"tools": list(TOOLS)})
    status, session = ask(f"{tools.address}/session")
    assert status == 200
    assert session["instructions"] == BRIEFING.instructions
    assert session["now"] == BRIEFING.now
    assert session["tools"] == list(TOOLS)


@pytest.mark.parametrize("args", [{"query": "pens"}, {}, [1], "text"])
def test_a_call_and_its_result(tools: ToolService, args: object) -> None:
    thread = answering(tools, {"ok": True, "result": 4})
    assert ask(f"{tools.address}/tools/kb_search", args) == (200, {"ok": True, "result": 4, "args": args})
    thread.join()


def test_arguments_that_are_no_json_reach_the_session(tools: ToolService) -> None:
    thread = answering(tools, {"ok": False})
    assert ask(f"{tools.address}/tools/kb_search", b'{"query": ') == (200, {"ok": False, "args": '{"query": '})
    thread.join()


@pytest.mark.parametrize("token", [None, "", "another"])
@pytest.mark.parametrize("path", ["/tools", "/session", "/tools/kb_search"])
def test_no_token_no_tools(tools: ToolService, token: str | None, path: str) -> None:
    status, said = ask(f"{tools.address}{path}", {} if path.count("/") == 2 else None, token)
    assert status == 401
    assert TOKEN not in json.dumps(said)
    assert tools.take() == []


def test_the_end_of_the_call_answers_who_waits(tools: ToolService) -> None:
    found: list[tuple[int, Any]] = []
    waiting = threading.Thread(target=lambda: found.append(ask(f"{tools.address}/tools/kb_search", {})))
    waiting.start()
    while not tools._open:
        threading.Event().wait(0.005)
    tools.close()
    waiting.join()
    assert found[0][0] == 503


def test_a_session_that_never_answers(tools: ToolService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOOL_SECONDS", 0.05)
    assert ask(f"{tools.address}/tools/kb_search", {})[0] == 503


def test_a_body_without_bounds(tools: ToolService) -> None:
    status, said = ask(f"{tools.address}/tools/kb_search", b"x", Content_Length=str(1 << 40))
    assert (status, said["ok"]) == (413, False)


@pytest.mark.parametrize("packed", [False, True])
def test_events_and_spans(packed: bool) -> None:
    for trace, path in (("events", "/simulations/sim-1/events"), ("otel", "/v1/traces")):
        service = made(trace)  # type: ignore[arg-type]
        try:
            values = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "freeze"}
            attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
            span = {"startTimeUnixNano": str(service.began_ns + 1), "spanId": "ab", "attributes": attributes}
            event = {"event_type": "agent_tool_call", "data": {"name": "freeze", "arguments": {}, "result": 1}}
            body: Any = event if trace == "events" else {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
            headers = {"Content_Type": "application/json"} | ({"Content_Encoding": "gzip"} if packed else {})
            data = json.dumps(body).encode()
            data = gzip.compress(data) if packed else data
            assert ask(f"{service.address}{path}", data, None, **headers)[0] == 200
            (found,) = service.take()
            assert isinstance(found, Executed)
            assert found.call.name == "freeze"
            assert ask(f"{service.address}{path}", b"[", None, **headers)[0] == 400
            assert ask(f"{service.address}/tools/freeze", {})[0] == 404
        finally:
            service.close()


def test_events_of_another_session_are_not_taken() -> None:
    service = made("events")
    try:
        assert ask(f"{service.address}/simulations/sim-2/events", {"event_type": "agent_tool_call"})[0] == 404
    finally:
        service.close()


def test_hanging_up_as_with_twilio() -> None:
    service = made("tools", "CA1")
    try:
        url = f"{service.address}/2010-04-01/Accounts/AC0/Calls/CA1.json"
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        assert ask(url, b"Status=busy", None, **form)[0] == 400
        assert ask(url, b"Status=completed", None, **form) == (200, {"sid": "CA1", "status": "completed"})
        assert service.take() == [Left("hung up")]
        assert ask(url.replace("CA1", "CA2"), b"Status=completed", None, **form)[0] == 404
    finally:
        service.close()


def test_an_address_that_is_taken(tools: ToolService) -> None:
    listen = tools.address.removeprefix("http://")
    with pytest.raises(LineError, match=rf"^connect: tools cannot be served at {listen}: "):
        ToolService(BRIEFING, Door("tools", TOKEN, "sim-1"), listen)

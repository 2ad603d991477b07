"""Tool calls that an agent tells of: events, and spans as the SDK of OpenTelemetry exports them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.agents.protocol import Call
from pytest_talk2agent.workflows.agents.voice import Executed
from pytest_talk2agent.workflows.lines.posted import PostedError, as_value, calls_in, event_in

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=12,
)


def span(name: str, args: object, result: object = None, *, began: int = 10, error: str = "") -> dict[str, Any]:
    values = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": f"id-{name}"}
    values |= {"gen_ai.tool.call.arguments": json.dumps(args)}
    values |= {} if result is None else {"gen_ai.tool.call.result": json.dumps(result)}
    values |= {"error.type": error} if error else {}
    return {
        "name": f"execute_tool {name}",
        "startTimeUnixNano": str(began),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in values.items()],
    }


def otlp(*spans: object) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def test_an_event_is_a_call() -> None:
    body = {
        "service": "agent",
        "event_type": "agent_tool_call",
        "data": {"name": "freeze", "arguments": {"card": 4}, "result": {"ok": True}},
    }
    assert event_in(body, 3) == Executed(Call("posted_3", "freeze", {"card": 4}), {"ok": True})


def test_arguments_may_be_json_in_a_text() -> None:
    data = {"name": "freeze", "arguments": '{"card": 4}'}
    found = event_in({"event_type": "agent_tool_call", "data": data}, 1)
    assert found is not None
    assert found.call.args == {"card": 4}
    assert as_value('{"card": ') == '{"card": '


def test_another_event_is_none() -> None:
    assert event_in({"event_type": "agent_started", "data": {}}, 1) is None


@pytest.mark.parametrize("body", [None, [], {}, {"event_type": 3}, {"event_type": "agent_tool_call", "data": {}}])
def test_what_is_no_event(body: object) -> None:
    with pytest.raises(PostedError):
        event_in(body, 1)


def test_spans_of_tools_by_their_beginning() -> None:
    other = {"name": "chat", "startTimeUnixNano": "11", "attributes": []}
    found = calls_in(otlp(span("b", {"x": 1}, [2], began=30), other, span("a", {}, began=20), span("old", {})), 15)
    assert found == [Executed(Call("id-a", "a", {}), None), Executed(Call("id-b", "b", {"x": 1}), [2])]


def test_a_span_that_failed_has_its_error() -> None:
    (found,) = calls_in(otlp(span("a", {}, error="timeout")), 0)
    assert found.result == {"error": "timeout"}


def test_arguments_may_be_structured() -> None:
    pairs = [
        {"key": "n", "value": {"intValue": "7"}},
        {"key": "of", "value": {"arrayValue": {"values": [{"boolValue": True}, {"doubleValue": 0.5}]}}},
    ]
    one = span("a", {})
    one["attributes"] = [each for each in one["attributes"] if each["key"] != "gen_ai.tool.call.arguments"]
    one["attributes"].append({"key": "gen_ai.tool.call.arguments", "value": {"kvlistValue": {"values": pairs}}})
    (found,) = calls_in(otlp(one), 0)
    assert found.call.args == {"n": 7, "of": [True, 0.5]}


@pytest.mark.parametrize(
    "body",
    [None, {}, {"resourceSpans": 1}, otlp(3), {"resourceSpans": [{"scopeSpans": {}}]}, otlp({"attributes": [{}]})],
)
def test_what_is_no_otlp(body: object) -> None:
    with pytest.raises(PostedError):
        calls_in(body, 0)


@given(ANY)
def test_anything_is_taken_or_refused(value: object) -> None:
    for body in (value, {"event_type": "agent_tool_call", "data": value}, {"resourceSpans": value}, otlp(value)):
        for read in (event_in, calls_in):
            try:
                read(body, 0)
            except PostedError:
                continue

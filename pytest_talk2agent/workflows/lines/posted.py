"""What an agent tells of the tools that it called itself: posted events, and spans of OpenTelemetry.

Events are those of VAmoS Bench (vamos.md 4): ``{"service": "agent", "event_type": "agent_tool_call", "data": {"name",
"arguments", "result"}}``. Spans are OTLP in JSON; a tool call is one whose ``gen_ai.operation.name`` is "execute_tool"
(OpenTelemetry, semantic conventions of generative AI).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Call
from pytest_talk2agent.workflows.agents.voice import Executed

EVENT = "agent_tool_call"
OPERATION = "execute_tool"


class PostedError(ValueError):
    """What was posted is not what it should be. One clear line, for whoever posted it."""


def event_in(body: object, number: int) -> Executed | None:
    """The tool call of a posted event, None for an event of another type.

    ``number`` names the call, as events have no ids.

    Raises:
        PostedError: for what is no event.
    """
    if not isinstance(body, Mapping) or not isinstance(body.get("event_type"), str):
        raise PostedError('an event is an object with a text in "event_type"')
    if body["event_type"] != EVENT:
        return None
    data = body.get("data")
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise PostedError(f'an event of the type {EVENT} has an object in "data", with the tool\'s name in "name"')
    return Executed(Call(f"posted_{number}", data["name"], as_value(data.get("arguments", {}))), data.get("result"))


def calls_in(body: object, since_ns: int) -> list[Executed]:
    """The tool calls in an OTLP request, by their beginning; those that began before ``since_ns`` are of another call.

    A span that failed and says no result has its error as the result.

    Raises:
        PostedError: for what is no OTLP in JSON.
    """
    found: list[tuple[int, str, Executed]] = []
    for span in _spans(body):
        values = {}
        for one in _list(span, "attributes"):
            if not isinstance(one, Mapping) or not isinstance(one.get("key"), str):
                raise PostedError('an attribute of a span has a text in "key"')
            values[one["key"]] = _value(one.get("value"))
        if values.get("gen_ai.operation.name") != OPERATION:
            continue
        name = values.get("gen_ai.tool.name")
        began = span.get("startTimeUnixNano", 0)
        if not isinstance(name, str) or not str(began).isdecimal():
            raise PostedError(f"a span of the operation {OPERATION} has gen_ai.tool.name and startTimeUnixNano")
        if int(began) < since_ns:
            continue
        call_id = str(values.get("gen_ai.tool.call.id") or span.get("spanId") or "")
        args = as_value(values.get("gen_ai.tool.call.arguments", {}))
        result = as_value(values.get("gen_ai.tool.call.result"))
        if result is None and "error.type" in values:
            result = {"error": str(values["error.type"])}
        found.append((int(began), call_id, Executed(Call(call_id, name, args), result)))
    return [executed for _, _, executed in sorted(found, key=lambda one: one[:2])]


def as_value(given: object) -> Any:
    """A value that may have been sent as JSON text; what is no JSON stays a text."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _spans(body: object) -> Iterator[Mapping[str, Any]]:
    if not isinstance(body, Mapping) or "resourceSpans" not in body:
        raise PostedError('OTLP in JSON is an object with a list in "resourceSpans"')
    for resource in _list(body, "resourceSpans"):
        for scope in _list(resource, "scopeSpans"):
            for span in _list(scope, "spans"):
                if not isinstance(span, Mapping):
                    raise PostedError("a span is an object")
                yield span


def _list(value: object, key: str) -> list[Any]:
    found = value.get(key, []) if isinstance(value, Mapping) else None
    if not isinstance(found, list):
        raise PostedError(f'there is no list in "{key}"')
    return found


def _value(any_value: object, depth: int = 0) -> Any:
    """The value of an attribute: OTLP's AnyValue in JSON, where whole numbers are texts."""
    if not isinstance(any_value, Mapping) or depth > 32:
        return None
    for kind, value in any_value.items():
        if kind == "intValue":
            return int(value) if str(value).lstrip("-").isdecimal() else None
        if kind == "arrayValue":
            return [_value(one, depth + 1) for one in _list(value, "values")]
        if kind == "kvlistValue":
            pairs = [one for one in _list(value, "values") if isinstance(one, Mapping)]
            return {str(one.get("key")): _value(one.get("value"), depth + 1) for one in pairs}
        return value
    return None

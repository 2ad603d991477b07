"""A chat completion that came as server-sent events, put together as if it had come whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.tasks.files import parse_json

MEDIA_TYPE = "text/event-stream"
_DONE = "[DONE]"


def is_stream(headers: Mapping[str, str]) -> bool:
    """Whether a body is a stream of events; names of headers are in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == MEDIA_TYPE


def whole(text: str) -> dict[str, Any]:
    """The completion that the chunks of a stream make: one choice with its message, and the usage where there is one.

    An error that a chunk tells of becomes the body, as servers that do not stream send it. Raises ProviderError
    ("malformed") for what is no chunk, and ("cut-off") for a stream that ends before its end.
    """
    body: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finish: str | None = None
    ended = False
    for data in _data(text):
        if data == _DONE:
            ended = True
            break
        chunk = _chunk(data)
        if chunk.get("error"):
            return dict(chunk)
        body |= {name: chunk[name] for name in ("id", "model", "usage") if chunk.get(name) is not None}
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, Mapping):
            raise ProviderError("malformed", "a chunk of the stream has no choice", charged=True)
        delta = choice.get("delta") or {}
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str):
                message[name] = (message.get(name) or "") + delta[name]
        for part in delta.get("tool_calls") or ():
            _add(calls, part)
        finish = choice.get("finish_reason") or finish
    if not ended and finish is None:
        raise ProviderError("cut-off", "the stream ended before the answer did", charged=True)
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**body, "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def _data(text: str) -> Iterator[str]:
    """The data of each event; comments and other fields say nothing here."""
    lines: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        chunk = parse_json(data)
    except (ValueError, RecursionError, json.JSONDecodeError):
        chunk = None
    if not isinstance(chunk, Mapping):
        raise ProviderError("malformed", "a chunk of the stream is no JSON object", charged=True)
    return chunk


def _add(calls: dict[int, dict[str, Any]], part: Any) -> None:
    """A part of a tool call: the first has its id and name, all have a piece of the arguments."""
    if not isinstance(part, Mapping) or not isinstance(part.get("index", 0), int):
        raise ProviderError("malformed", "a chunk of the stream has a tool call that is none", charged=True)
    index = part.get("index", 0)
    call = calls.setdefault(index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    if isinstance(part.get("id"), str) and part["id"]:
        call["id"] = part["id"]
    function = part.get("function")
    for name in ("name", "arguments"):
        if isinstance(function, Mapping) and isinstance(function.get(name), str):
            call["function"][name] += function[name]

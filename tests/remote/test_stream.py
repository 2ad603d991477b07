from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.stream import is_stream, whole


def chunks(*deltas: dict[str, Any], finish: str | None = "stop", done: bool = True, **last: Any) -> str:
    rows: list[dict[str, Any]] = [{"model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if finish is not None:
        rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if last:
        rows.append({"choices": [], **last})
    text = "".join(f"data: {json.dumps(row)}\n\n" for row in rows)
    return f": hello\n\n{text}{'data: [DONE]' if done else ''}"


def part(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": more.pop("name")} if "name" in more else {})}
    return {"tool_calls": [{"index": index, "function": function, **more}]}


def test_words_and_parallel_calls_are_put_together() -> None:
    text = chunks(
        {"role": "assistant", "content": "Let me "},
        {"content": "look."},
        part(0, "", id="a", name="search"),
        part(1, '{"b"', id="b", name="look"),
        part(0, '{"q": "x'),
        part(1, ": 2}"),
        part(0, '"}'),
        finish="tool_calls",
        usage={"prompt_tokens": 7},
    )
    body = whole(text.replace("\n", "\r\n"))
    message = body["choices"][0]["message"]
    assert message["content"] == "Let me look."
    assert [(call["id"], call["function"]) for call in message["tool_calls"]] == [
        ("a", {"name": "search", "arguments": '{"q": "x"}'}),
        ("b", {"name": "look", "arguments": '{"b": 2}'}),
    ]
    assert (body["choices"][0]["finish_reason"], body["usage"], body["model"]) == (
        "tool_calls",
        {"prompt_tokens": 7},
        "m",
    )


def test_an_error_in_the_stream_is_the_body() -> None:
    assert whole('data: {"error": {"message": "no"}}\n\n') == {"error": {"message": "no"}}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (chunks({"content": "a"}, finish=None, done=False), "cut-off"),
        ("", "cut-off"),
        ("data: {\n\n", "malformed"),
        ("data: []\n\n", "malformed"),
        ('data: {"choices": ["x"]}\n\n', "malformed"),
        ('data: {"choices": [{"delta": {"tool_calls": ["x"]}}]}\n\n', "malformed"),
    ],
)
def test_what_is_no_whole_stream_is_a_fault(text: str, kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        whole(text)
    assert (caught.value.kind, caught.value.charged) == (kind, True)


def test_a_stream_is_known_by_its_media_type() -> None:
    assert is_stream({"content-type": "text/event-stream; charset=utf-8"})
    assert not is_stream({"content-type": "application/json"})

"""A chat server that works as a clerk: it follows a package's reference, but writes down what it heard.

A value that the customer said is written as the package has it only where the words that arrived say it; else what
arrived is written. So the work is as good as the hearing, and no better.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.agents.spoken import written
from pytest_talk2agent.speech.numerals import ordinal_at
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.speech.words import listed
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package

_SMALL = frozenset(listed("a an the of to in on at for and or is it my i we with after by under"))
_LIKE = 0.75


def understood(value: object, heard: str) -> bool:
    """Whether some words say a value."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return all(understood(one, heard) for one in value)
    text = str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = date.fromisoformat(text)
        stream = tokenise(heard)
        ordinals = [ordinal_at(stream, index) for index in range(len(stream))]
        return any(found is not None and found[0] == day.day for found in ordinals) or _has_number(day.day, heard)
    if re.fullmatch(r"\d\d:\d\d", text):
        hour, minute = int(text[:2]), text[3:]
        return any(f"{h}{minute}" in _digits(heard) for h in (hour, hour % 12)) or "half past" in heard.casefold()
    digits = _digits(text)
    if digits:
        letters = "".join(re.findall("[a-z]+", re.sub(r"[a-z]{3,}", "", text.casefold())))
        words = [word for word in re.findall(r"[a-z]{3,}", text.casefold()) if word not in _SMALL]
        return digits in _digits(heard) and letters in _squeezed(heard) and _said(words, heard)
    return _said([word for word in re.findall(r"\w+", text.casefold()) if word not in _SMALL], heard)


def _digits(text: str) -> str:
    return "".join(re.findall(r"\d", written(text)))


def _squeezed(text: str) -> str:
    return "".join(re.findall(r"\w", written(text).casefold()))


def _has_number(number: int, heard: str) -> bool:
    return re.search(rf"(?<!\d){number}(?!\d)", written(heard)) is not None


def _says_all(wording: str, heard: str) -> bool:
    return _said([word for word in re.findall(r"\w+", wording.casefold()) if word not in _SMALL], heard)


def _said(words: Sequence[str], heard: str) -> bool:
    """Whether at least two thirds of some words are there, or words like them."""
    there = re.findall(r"\w+", heard.casefold())
    found = sum(any(SequenceMatcher(None, word, other).ratio() >= _LIKE for other in there) for word in words)
    return 3 * found >= 2 * len(words)


@dataclass
class Conversation:
    """One call: how far the reference has been followed."""

    package: Package
    next: int = 0
    waits: bool = True
    last: str = ""
    again: bool = False
    """Whether words that were not begun before the user set in are said again; their calls were made."""

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
        """Words and calls, after what arrived."""
        assert self.package.policy is not None
        turns = self.package.policy.turns
        if messages[-1]["role"] == "tool" and self.waits and self.next:
            return "", []
        said = [str(one["content"]) for one in messages if one["role"] == "user"]
        if said and "still here" in said[-1].casefold():
            return self.last, []
        spoken = "".join(_squeezed(one.get("content") or "") for one in messages if one["role"] == "assistant")
        if self.again and self.last and _squeezed(self.last)[:12] not in spoken:
            return self.last, []
        if self.next >= len(turns):
            return "", [{"name": "end_call", "args": {}}]
        turn = turns[self.next]
        self.next += 1
        self.waits, self.last = bool(turn.text.strip()), turn.text
        calls = [{"name": call.name, "args": self._as_heard(call.args, said)} for call in turn.tool_calls]
        if turn.end_call:
            calls.append({"name": "end_call", "args": {}})
        return turn.text, calls

    def _as_heard(self, value: Any, said: Sequence[str]) -> Any:
        if isinstance(value, Mapping):
            return {name: self._as_heard(one, said) for name, one in value.items()}
        facts = [fact.value for fact in self.package.user.facts]
        if value not in facts and not (isinstance(value, list) and all(one in facts for one in value)):
            return value
        whole = " ".join(said)
        if understood(value, whole) or any(_says_all(wording, whole) for wording in self._wordings(value)):
            return value
        if isinstance(value, int):
            numbers = re.findall(r"\d+", written(said[-1])) if said else []
            return int(numbers[-1]) if numbers else 0
        return [said[-1]] if isinstance(value, list) else said[-1] if said else ""

    def _wordings(self, value: object) -> Iterator[str]:
        """The ways to say a value that has no figures."""
        facts = {fact.id for fact in self.package.user.facts if fact.value == value}
        for line in self.package.bank:
            for variant in line.variants:
                if facts & set(variant.expressed_fact_ids) and not _digits(variant.text):
                    yield variant.text


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert isinstance(self.server, Clerk)
        text, calls = self.server.answer(asked["messages"])
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"c{number}.{len(asked['messages'])}",
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
                }
                for number, call in enumerate(calls)
            ]
        if asked.get("stream"):
            return self._stream(message, calling=bool(calls))
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, message: dict[str, Any], *, calling: bool) -> None:
        """The same as server-sent events, with the usage at the end."""
        words = (message["content"] or "").split(" ")
        deltas: list[dict[str, Any]] = [{"role": "assistant"}]
        deltas += [{"content": f"{' ' if number else ''}{word}"} for number, word in enumerate(words) if word]
        deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(message.get("tool_calls", []))]
        rows: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calling else "stop"}]})
        rows.append({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
        shape = {"id": "clerk", "object": "chat.completion.chunk", "created": 0, "model": "clerk"}
        lines = [f"data: {json.dumps({**shape, **row})}\n\n" for row in rows]
        body = "".join([*lines, "data: [DONE]\n\n"]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Clerk(ThreadingHTTPServer):
    """The server; ``heard`` is what arrived, by package."""

    daemon_threads = True

    def __init__(self, folders: Sequence[Path], *, again: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._again = again
        packages = [load_package(folder) for folder in folders]
        self._packages = {package.task.title: package for package in packages}
        self._calls: dict[str, Conversation] = {}
        self._lock = threading.Lock()
        self.heard: dict[str, list[str]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
        told = str(messages[0]["content"])
        (title,) = (title for title in self._packages if f"The task: {title}" in told.splitlines())
        with self._lock:
            if len(messages) <= 2:
                self._calls[title] = Conversation(self._packages[title], again=self._again)
            said = [str(one["content"]) for one in messages if one["role"] == "user"]
            self.heard[self._packages[title].id] = said
            return self._calls[title].answer(messages)


@contextmanager
def clerk(*folders: Path, again: bool = False) -> Iterator[Clerk]:
    """A clerk for some packages, for the time of a ``with`` block."""
    with Clerk(folders, again=again) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

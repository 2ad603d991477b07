"""A server of the chat protocol on this machine that says what a test scripts, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
Answer = Callable[[Body], tuple[int, Body]]
"""A request's body to a status and the body of the answer."""


@dataclass
class Scripted:
    """The running server. The last answer holds for all that follow."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    asked: list[Body] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        scripted: Scripted = self.server.scripted  # type: ignore[attr-defined]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with scripted.lock:
            scripted.asked.append(request)
            scripted.keys.append(self.headers["Authorization"])
            answer = scripted.answers.pop(0) if len(scripted.answers) > 1 else scripted.answers[0]
        status, body = answer(request)
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


@contextmanager
def scripted_server(*answers: Answer) -> Iterator[Scripted]:
    """The server for the time of a ``with`` block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        scripted = Scripted(f"http://127.0.0.1:{server.server_port}/v1", list(answers))
        server.scripted = scripted  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield scripted
        finally:
            server.shutdown()
            thread.join()


def says(content: object, *, finish: str = "stop", **message: object) -> Answer:
    """A chat completion with this content, as JSON where it is no text."""
    text = content if content is None or isinstance(content, str) else json.dumps(content)
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    body = {"model": "tidy-2", "choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 30}}
    return lambda request: (200, body)


def fails(status: int, message: str = "it does not work", **more: object) -> Answer:
    """An error as providers word it."""
    return lambda request: (status, {"error": {"message": message, **more}})


def data_in(request: Body) -> dict[str, Any]:
    """The data that a request holds."""
    data: dict[str, Any] = json.loads(request["messages"][-1]["content"])
    return data


def finding(label: str, evidence: str | None = None, reason: str = "so it reads") -> dict[str, Any]:
    """One finding as a model words it."""
    return {"evidence": evidence, "reason": reason, "label": label}


def reads_values(request: Body) -> tuple[int, Body]:
    """A model that can only look for the value letter by letter: retained where it stands there, else omitted."""
    data = data_in(request)
    found = {
        name: finding("retained", one["say"][0]) if one["say"][0] in data["transcript"] else finding("omitted")
        for name, one in data["intentions"].items()
    }
    return says(found)(request)

"""The tools of a session over HTTP, for an agent that runs somewhere else; what it did by itself is taken here too.

    GET  /session                    what an agent is told: title, instructions, tools, now, seed, repetition
    GET  /tools                      {"tools": [{"name", "description", "parameters": JSON Schema}]}
    POST /tools/NAME                 JSON arguments in; {"ok": true, "result": ...} or {"ok": false, "error": "..."}
    POST /simulations/ID/events      a tool call that the agent made elsewhere (`posted`)
    POST /v1/traces                  the same as OTLP in JSON
    POST .../Calls/SID.json          Status=completed, as of Twilio's REST interface: hang up

The first three want ``Authorization: Bearer TOKEN``; the token is new in each session. The events' ID and the call's
SID are such a secret themselves, where nobody chose them. It listens on loopback unless an address says otherwise.
"""

from __future__ import annotations

import contextlib
import gzip
import hmac
import io
import json
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_talk2agent.workflows.agents.protocol import Briefing, Call, Returned
from pytest_talk2agent.workflows.agents.voice import Called, Left, LineError, LineEvent
from pytest_talk2agent.workflows.lines.posted import PostedError, as_value, calls_in, event_in

Trace = Literal["tools", "events", "otel", "none"]
TOOL_SECONDS = 60.0
"""How long a call waits for the session, which answers it when the tool's latency on the media timeline is over."""
IDLE_SECONDS = 30.0
LONGEST_BODY = 4 << 20


@dataclass(frozen=True)
class Door:
    """How an agent gets in. ``call_id`` is the ID of posted events; ``call_sid`` that of the call, where it has one."""

    trace: Trace
    token: str
    call_id: str
    call_sid: str = ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle of its request is no news."""


class ToolService:
    """The service of one session.

    Args:
        listen: ``HOST:PORT``; port 0 takes a free one.

    Raises:
        LineError: where the address cannot be had.
    """

    def __init__(self, briefing: Briefing, door: Door, listen: str) -> None:
        self.briefing, self.door = briefing, door
        self.began_ns = time.time_ns()
        self._lock = threading.Condition()
        self._events: deque[LineEvent] = deque()
        self._open: dict[str, Mapping[str, Any] | None] = {}
        self._calls = 0
        self._over = False
        host, _, port = listen.rpartition(":")
        handler = type("Handler", (_Handler,), {"service": self})
        try:
            self._server = _Server((host, int(port)), handler)
        except OSError as error:
            why = error.strerror or str(error)
            raise LineError(
                "connect", f"tools cannot be served at {listen}: {why}; one call at a time has it"
            ) from None
        bound = self._server.server_address
        self.address = f"http://{host}:{bound[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="t2a-tools", daemon=True)
        self._thread.start()

    def take(self) -> list[LineEvent]:
        """What came in since, oldest first."""
        with self._lock:
            taken = list(self._events)
            self._events.clear()
        return taken

    def put(self, events: Sequence[LineEvent]) -> None:
        """Take in what was posted."""
        with self._lock:
            self._events.extend(events)

    def number(self) -> int:
        """The number of the next call, from 1."""
        with self._lock:
            self._calls += 1
            return self._calls

    def call(self, name: str, args: Any) -> Mapping[str, Any] | None:
        """What the session makes of a call; None where the call is over or nothing came of it in time."""
        call = Call(f"http_{self.number()}", name, args)
        with self._lock:
            self._open[call.call_id] = None
            self._events.append(Called(call))
            self._lock.wait_for(lambda: self._over or self._open[call.call_id] is not None, TOOL_SECONDS)
            return self._open.pop(call.call_id)

    def answer(self, results: Sequence[Returned]) -> None:
        """Give the results of calls to whoever waits for them."""
        with self._lock:
            for one in results:
                if one.call_id in self._open:
                    self._open[one.call_id] = one.told
            self._lock.notify_all()

    def close(self) -> None:
        """Stop serving; who still waits is told that the call is over."""
        with self._lock:
            if self._over:
                return
            self._over = True
            self._lock.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    service: ToolService
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is written: a line holds the path, and that a secret."""

    def do_GET(self) -> None:
        """What the agent is told."""
        path = urlsplit(self.path).path
        if path not in ("/session", "/tools"):
            return self._say(HTTPStatus.NOT_FOUND, "there are GET /session and GET /tools")
        if not self._known():
            return None
        told = self.service.briefing
        tools = [dict(tool) for tool in told.tools]
        if path == "/tools":
            return self._send(HTTPStatus.OK, {"tools": tools})
        return self._send(
            HTTPStatus.OK,
            {
                "title": told.title,
                "instructions": told.instructions,
                "tools": tools,
                "now": told.now,
                "seed": told.seed,
                "repetition": told.repetition,
            },
        )

    def do_POST(self) -> None:
        """A tool call, or what is told of one."""
        body = self._body()
        if body is None:
            return None
        door = self.service.door
        parts = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
        if parts[0] == "tools" and len(parts) == 2 and door.trace == "tools":
            return self._call(parts[1], body) if self._known() else None
        if parts == ["simulations", door.call_id, "events"] and door.trace == "events":
            return self._event(body)
        if parts == ["v1", "traces"] and door.trace == "otel":
            return self._spans(body)
        if door.call_sid and parts[-2:] == ["Calls", f"{door.call_sid}.json"]:
            return self._hang_up(body)
        return self._say(HTTPStatus.NOT_FOUND, f"nothing is taken here with trace={door.trace}")

    def _call(self, name: str, body: bytes) -> None:
        args = as_value(body.decode("utf-8", "replace")) if body.strip() else {}
        told = self.service.call(name, args)
        if told is None:
            return self._say(HTTPStatus.SERVICE_UNAVAILABLE, "the call is over, or nothing came of it in time")
        return self._send(HTTPStatus.OK, dict(told))

    def _event(self, body: bytes) -> None:
        try:
            executed = event_in(as_value(body.decode("utf-8", "replace")), self.service.number())
        except PostedError as error:
            return self._say(HTTPStatus.BAD_REQUEST, str(error))
        self.service.put([executed] if executed is not None else [])
        return self._send(HTTPStatus.OK, {"ok": True})

    def _spans(self, body: bytes) -> None:
        kind = self.headers.get_content_type()
        if kind != "application/json":
            return self._say(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{kind}: post OTLP in JSON (protocol http/json)")
        try:
            executed = calls_in(as_value(body.decode("utf-8", "replace")), self.service.began_ns)
        except PostedError as error:
            return self._say(HTTPStatus.BAD_REQUEST, str(error))
        self.service.put(executed)
        return self._send(HTTPStatus.OK, {"partialSuccess": {}})

    def _hang_up(self, body: bytes) -> None:
        status = parse_qs(body.decode("utf-8", "replace")).get("Status", [""])[0]
        if status != "completed":
            return self._say(HTTPStatus.BAD_REQUEST, "Status=completed is all that is understood")
        self.service.put([Left("hung up")])
        return self._send(HTTPStatus.OK, {"sid": self.service.door.call_sid, "status": "completed"})

    def _known(self) -> bool:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer" and hmac.compare_digest(token.strip().encode(), self.service.door.token.encode()):
            return True
        self._say(HTTPStatus.UNAUTHORIZED, "Authorization: Bearer TOKEN, with the token of this session")
        return False

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST_BODY:
            self.close_connection = True
            self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"say Content-Length, {LONGEST_BODY} at most")
            return None
        body = self.rfile.read(int(length))
        if self.headers.get("Content-Encoding") != "gzip":
            return body
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
                return packed.read(LONGEST_BODY)
        except (OSError, EOFError):
            self._say(HTTPStatus.BAD_REQUEST, "the body is no gzip")
            return None

    def _say(self, status: HTTPStatus, error: str) -> None:
        self._send(status, {"ok": False, "error": error})

    def _send(self, status: HTTPStatus, value: Mapping[str, Any]) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

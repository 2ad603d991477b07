"""The page of a call over HTTP: its files, and one web socket with sound both ways and what is said beside it.

The token of the link comes in the first message: a browser gives a web socket no header of ours. Needs the extras
`record` and `calls`.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from pytest_talk2agent.recording.page.guard import App, Guard
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.human.reception import PageError, Reception

_OWN = "pytest_talk2agent.workflows.human"
_SHARED = "pytest_talk2agent.recording.page"
_ASSETS = {
    "/": (_OWN, "index.html", "text/html; charset=utf-8"),
    "/call.css": (_OWN, "call.css", "text/css; charset=utf-8"),
    "/call.js": (_OWN, "call.js", "text/javascript; charset=utf-8"),
    "/player.js": (_OWN, "player.js", "text/javascript; charset=utf-8"),
    "/style.css": (_SHARED, "style.css", "text/css; charset=utf-8"),
    "/recorder.js": (_SHARED, "recorder.js", "text/javascript; charset=utf-8"),
    "/capture.js": (_SHARED, "capture.js", "text/javascript; charset=utf-8"),
    "/icon.svg": (_SHARED, "icon.svg", "image/svg+xml"),
}
HELLO_SECONDS = 10.0
"""How long a page may take to say who it is."""
MOST_WAITING = 500
"""Messages that may wait for a page: ten seconds of sound. One that takes none is lost."""
UNKNOWN, TAKEN, WRONG = 4401, 4409, 4400
"""Close codes: a token that is none, a call that another page has, a message that is none."""

Out = bytes | Mapping[str, Any]


def make_page(reception: Reception, token: str, addresses: Iterable[str]) -> App:
    """The whole app, guarded; ``addresses`` are the origins under which the page may be open."""

    async def line(socket: WebSocket) -> None:
        await _Page(reception, token, socket).serve()

    routes = [Route(path, _asset(*found)) for path, found in _ASSETS.items()]
    return Guard(Starlette(routes=[*routes, WebSocketRoute("/line", line)]), addresses, sockets=True)


def _asset(package: str, name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = files(package).joinpath("assets").joinpath(name).read_bytes()

    async def answer(request: Request) -> Response:
        return Response(content, media_type=kind)

    return answer


class _Page:
    """One socket, from its first message to its last."""

    def __init__(self, reception: Reception, token: str, socket: WebSocket) -> None:
        self._reception, self._token, self._socket = reception, token, socket
        self._loop = asyncio.get_running_loop()
        self._out: asyncio.Queue[Out] = asyncio.Queue()
        self._stream: Any = None

    async def serve(self) -> None:
        await self._socket.accept()
        if not await self._is_ours():
            return await self._close(UNKNOWN)
        if not self._reception.enter(self._send):
            return await self._close(TAKEN)
        writer = asyncio.create_task(self._write())
        code = 1000
        try:
            code = await self._read()
        except PageError as error:
            self._reception.spoil(f"the page: {error}")
            code = WRONG
        finally:
            self._reception.leave(code)
            writer.cancel()
            with suppress(asyncio.CancelledError):
                await writer
            await self._close(code)

    async def _is_ours(self) -> bool:
        try:
            text = await asyncio.wait_for(self._socket.receive_text(), HELLO_SECONDS)
            hello = json.loads(text)
            given = str(hello["token"])
        except (asyncio.TimeoutError, WebSocketDisconnect, ValueError, KeyError, TypeError):
            return False
        return hmac.compare_digest(given.encode(), self._token.encode())

    async def _read(self) -> int:
        """Take what comes; the close code of the socket."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return int(message.get("code") or 1005)
            if message.get("bytes") is not None:
                self._reception.hear(message["bytes"])
            else:
                self._reception.take(message.get("text") or "")

    async def _write(self) -> None:
        while True:
            what = await self._out.get()
            try:
                if isinstance(what, bytes):
                    await self._socket.send_bytes(self._resampled(what))
                else:
                    await self._socket.send_text(json.dumps(what, ensure_ascii=False))
                    if what["type"] == "over":
                        self._reception.told.set()
            except (RuntimeError, WebSocketDisconnect):
                return  # the reader learns how it was closed

    def _send(self, what: bytes | Mapping[str, Any]) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._queue, what)

    def _queue(self, what: bytes | Mapping[str, Any]) -> None:
        if self._out.qsize() < MOST_WAITING:
            self._out.put_nowait(what)
        else:
            self._reception.spoil("the page takes no sound any more")

    def _resampled(self, pcm: bytes) -> bytes:
        """Sound of the agent at the rate of the page."""
        rate = self._reception.rate
        if rate == SAMPLE_RATE:
            return pcm
        import numpy as np
        import soxr

        if self._stream is None:
            self._stream = soxr.ResampleStream(SAMPLE_RATE, rate, 1, dtype="float32")
        samples = np.frombuffer(pcm, "<i2").astype(np.float32)
        made: bytes = self._stream.resample_chunk(samples).round().clip(-32_768, 32_767).astype("<i2").tobytes()
        return made

    async def _close(self, code: int) -> None:
        if self._socket.application_state is WebSocketState.CONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._socket.close(code if code in (UNKNOWN, TAKEN, WRONG) else 1000)

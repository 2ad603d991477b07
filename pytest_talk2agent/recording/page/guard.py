"""What every request must be, before any route sees it: for this host, from this page, of a bearable size.

A page of another site can make a browser send requests here, also under a name of its own that it lets point to this
machine (DNS rebinding). The first has another ``Origin``, the second another ``Host``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 1 << 20
"""Bytes of a request's body: a piece of a take."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src blob:;"
        " worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_SAFE = ("GET", "HEAD")


class TooLargeError(ValueError):
    """A body that goes on past the limit."""


class Guard:
    """An ASGI app around another one that lets through what may be answered, and adds `HEADERS` to each answer.

    ``addresses`` are the origins, such as ``http://127.0.0.1:8765``, under which speakers have the page. ``sockets``
    says that the app has web sockets: one is let through where a request that changes something would be.
    """

    def __init__(self, app: App, addresses: Iterable[str], *, sockets: bool = False) -> None:
        self._app, self._sockets = app, sockets
        self._origins = frozenset(address.rstrip("/").lower() for address in addresses)
        self._hosts = frozenset(urlsplit(origin).netloc for origin in self._origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket" and self._sockets:
            if self._refusal(scope)[0]:
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the server says 403
            else:
                await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # the server closes a web socket that nobody accepts
        status, text = self._refusal(scope)
        if status:
            await _answer(send, status, text)
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if any(len(headers.get(name, [])) > 1 for name in ("host", "origin", "authorization", "content-length")):
            return 400, "a header twice"
        one = {name: values[0] for name, values in headers.items()}
        if one.get("host", "").lower() not in self._hosts:
            return 421, "not the address of this page; open the link as it was given"
        if one.get("origin", "").lower() not in ("", *self._origins):
            return 403, "another site's page may not speak for a speaker"
        if scope.get("method") not in _SAFE:
            # Browsers send one with all that changes anything.
            if not one.get("origin"):
                return 403, "no origin; record in the page"
            if one.get("sec-fetch-site", "same-origin") != "same-origin":
                return 403, "another site's page may not speak for a speaker"
        length = one.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            return 400, "no content length"
        if int(length[:20]) > LARGEST:
            return 413, f"more than {LARGEST} bytes at once"
        return 0, ""


def _bounded(receive: Receive) -> Receive:
    """The body as it comes, up to the limit: what it says of its length need not be true."""
    total = 0

    async def bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > LARGEST:
            raise TooLargeError(f"more than {LARGEST} bytes at once")
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def headed(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return headed


async def _answer(send: Send, status: int, text: str) -> None:
    body = text.encode()
    headers = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body)), **HEADERS}
    if status == 413:
        headers["connection"] = "close"
    start = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})

"""Servers that never get as far as a call: what they answer instead of the handshake of a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

LONGEST = 30.0
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def says(raw: bytes) -> Answer:
    """Read the request, answer with these bytes, and close."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), LONGEST)
        writer.write(raw)
        await writer.drain()

    return answer


def status(code: int, *headers: str, body: str = '{"error": {"message": "no"}}') -> Answer:
    """An answer of HTTP with a status."""
    lines = [f"HTTP/1.1 {code} No", *headers, f"Content-Length: {len(body)}", "Connection: close", "", body]
    return says("\r\n".join(lines).encode())


async def hangs(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer nothing."""
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(reader.read(-1), LONGEST)


async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Close at once."""


async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A byte of the answer now and then."""
    for sign in b"HTTP/1.1 101 Switching Protocols\r\n" * 100:
        writer.write(bytes([sign]))
        await writer.drain()
        await asyncio.sleep(0.3)


HANDSHAKES: dict[str, Answer] = {
    "http-200": status(200),
    "http-302": status(302, "Location: http://127.0.0.1:9/elsewhere"),
    "http-401": status(401),
    "http-403": status(403),
    "http-404": status(404),
    "http-429": status(429),
    "http-500": status(500),
    "http-503": status(503),
    "no-http": says(b"220 mail.example.com ESMTP\r\n"),
    "long-headers": says(b"HTTP/1.1 101 Switching Protocols\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n"),
    "hangs": hangs,
    "hangs-up": hangs_up,
    "drips": drips,
}


@contextmanager
def answering(answer: Answer, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server that answers so; gives the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="t2a-test-server", daemon=True)
    thread.start()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await answer(reader, writer)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)

    async def stop(server: asyncio.Server) -> None:
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()

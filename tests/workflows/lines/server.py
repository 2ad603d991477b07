"""A websocket server on loopback, in a thread of its own, bounded by the test that starts it."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

# At the top, as pytester forgets what is imported while it runs.
import websockets.asyncio.client
import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

Handler = Callable[[ServerConnection], Awaitable[None]]
Health = Callable[[], tuple[int, str]]
"""Status and body of GET /health."""


def healthy() -> tuple[int, str]:
    return 200, '{"status":"ok"}'


@contextmanager
def serving(
    handler: Handler, health: Health | None = healthy, *, pings: bool = True, tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """Serve websockets with a handler; gives the port. ``pings`` off: the server itself finds nobody gone."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="t2a-test-server", daemon=True)
    thread.start()

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        if request.path != "/health":
            return None
        if health is None:
            return connection.respond(HTTPStatus.NOT_FOUND, "not here\n")
        status, body = health()
        return connection.respond(HTTPStatus(status), body)

    async def start() -> websockets.asyncio.server.Server:
        every = 20 if pings else None
        server = await serve(
            handler, "127.0.0.1", 0, process_request=answer, ping_interval=every, close_timeout=0.5, ssl=tls
        )
        assert isinstance(server, websockets.asyncio.server.Server)
        return server

    async def stop(server: websockets.asyncio.server.Server) -> None:
        connections = list(server.connections)  # those whose handler is over are no longer among them
        handlers = asyncio.all_tasks() - {asyncio.current_task()}
        for task in handlers:
            task.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)
        for connection in connections:
            connection.transport.abort()
        server.close()
        await asyncio.wait_for(server.wait_closed(), 5)
        await asyncio.sleep(0.05)  # one more turn of the loop, in which transports close their sockets

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield next(iter(server.sockets)).getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()

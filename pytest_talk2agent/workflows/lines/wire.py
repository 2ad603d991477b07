"""A websocket that never makes its session wait: messages are queued, and what came is there to be taken.

All wires of a process share one thread with an event loop, so that eight calls at once are no twenty-four threads.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import os
import threading
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pytest_talk2agent.workflows.agents.voice import LineError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection
    from websockets.exceptions import ConnectionClosed

PING_SECONDS = 5.0
PONG_SECONDS = 15.0
"""A peer that answers no ping for so long is gone, though its socket is open."""
CLOSE_SECONDS = 2.0
MOST_WAITING = 4 << 20
"""Bytes that wait to be sent: more than a minute of frames."""
MOST_UNREAD = 64 << 20
"""Bytes that came and were not taken."""
LONGEST_MESSAGE = 16 << 20
_LOCAL = {"localhost", "127.0.0.1", "::1"}

T = TypeVar("T")


class _Loop:
    """The event loop of a process, in a thread of its own; a fork gets another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop, self._process = asyncio.new_event_loop(), os.getpid()
                thread = threading.Thread(target=self._loop.run_forever, name="t2a-wires", daemon=True)
                thread.start()
                atexit.register(self._end, self._loop, thread)
            return self._loop

    @staticmethod
    def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)
        if not thread.is_alive():
            loop.close()


_LOOP = _Loop()


def in_loop(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What a coroutine comes to in the loop of wires; raises TimeoutError where that takes longer."""
    future = asyncio.run_coroutine_threadsafe(work, _LOOP.get())
    try:
        return future.result(seconds)
    except (TimeoutError, asyncio.TimeoutError, concurrent.futures.TimeoutError):  # one class from Python 3.11 on
        future.cancel()
        raise TimeoutError(f"not within {seconds:g} s") from None


@dataclass(frozen=True)
class Ended:
    """How a connection ended. ``code`` is that of the peer's close frame (RFC 6455, 7.4), None where it sent none."""

    code: int | None
    text: str


class Wire:
    """One connection.

    Args:
        url: ``ws`` or ``wss``.
        headers: what is sent beside the handshake; may hold keys, which are shown nowhere.
        seconds: how long the handshake may take.

    Raises:
        LineError: where there is no connection, in phase "connect".
    """

    def __init__(self, url: str, *, headers: Mapping[str, str], seconds: float) -> None:
        self._got: deque[str | bytes] = deque()
        self._unread = 0
        self._waiting: deque[str | bytes] = deque()
        self._queued = self._written = 0
        self._ended: Ended | None = None
        self._closing = False
        where = urlsplit(url)
        self._where = f"{where.hostname}:{where.port or (443 if where.scheme == 'wss' else 80)}"
        try:
            self._connection, self._more = in_loop(self._open(url, headers, seconds), seconds + CLOSE_SECONDS)
        except TimeoutError:
            raise LineError("connect", f"{self._where} took no call within {seconds:g} s") from None

    async def _open(
        self, url: str, headers: Mapping[str, str], seconds: float
    ) -> tuple[ClientConnection, asyncio.Event]:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI

        try:
            connection = await connect(
                url,
                additional_headers=dict(headers),
                open_timeout=seconds,
                ping_interval=PING_SECONDS,
                ping_timeout=PONG_SECONDS,
                close_timeout=CLOSE_SECONDS,
                max_size=LONGEST_MESSAGE,
                compression=None,
                proxy=None if urlsplit(url).hostname in _LOCAL else True,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            raise LineError("connect", f"{self._where} answered the handshake with HTTP {status}") from None
        except InvalidHandshake as error:
            raise LineError("connect", f"{self._where} speaks no websocket: {_line(error)}") from None
        except InvalidURI:
            raise LineError("connect", f"{self._where} sends on to what is no websocket") from None
        except TimeoutError:
            raise
        except (OSError, EOFError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or _line(error) or type(error).__name__
            raise LineError("connect", f"nobody answers at {self._where}: {reason}") from None
        more = asyncio.Event()
        self._tasks = [asyncio.create_task(self._read(connection)), asyncio.create_task(self._write(connection, more))]
        return connection, more

    async def _read(self, connection: ClientConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                message = await connection.recv()
                self._got.append(message)
                self._unread += len(message)
                if self._unread > MOST_UNREAD:
                    self._ended = Ended(None, f"sent {MOST_UNREAD >> 20} MiB that could not be taken as fast")
                    return
        except ConnectionClosed as closed:
            self._ended = _ending(closed)

    async def _write(self, connection: ClientConnection, more: asyncio.Event) -> None:
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):  # the reader says how it ended
            while True:
                await more.wait()
                more.clear()
                while self._waiting:
                    message = self._waiting.popleft()
                    await connection.send(message)
                    self._written += len(message)

    def send(self, message: str | bytes) -> None:
        """Queue a message; what ended takes none."""
        if self._ended is not None or self._closing:
            return
        self._waiting.append(message)
        self._queued += len(message)
        if self._queued - self._written > MOST_WAITING:
            self._ended = Ended(None, "takes no sound any more")
            return
        _LOOP.get().call_soon_threadsafe(self._more.set)

    def take(self) -> list[str | bytes]:
        """The messages that came since, oldest first."""
        taken = []
        while self._got:
            taken.append(self._got.popleft())
            self._unread -= len(taken[-1])
        return taken

    @property
    def ended(self) -> Ended | None:
        """How it ended, once everything that came before is taken; None while it goes on."""
        return None if self._got else self._ended

    def close(self, code: int = 1000) -> None:
        """Say goodbye, for `CLOSE_SECONDS` at most."""
        if not self._closing:
            self._closing = True
            with contextlib.suppress(TimeoutError):
                in_loop(self._shut(code), 2 * CLOSE_SECONDS)

    async def _sent(self) -> None:
        while self._waiting and self._ended is None:
            await asyncio.sleep(0.005)

    async def _shut(self, code: int) -> None:
        reader, writer = self._tasks
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._sent(), CLOSE_SECONDS)
        writer.cancel()
        with contextlib.suppress(Exception):
            await self._connection.close(code)
        reader.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)


def _ending(closed: ConnectionClosed) -> Ended:
    if closed.rcvd is not None:
        reason = f": {_line(closed.rcvd.reason)}" if closed.rcvd.reason else ""
        return Ended(closed.rcvd.code, f"closed the connection with {closed.rcvd.code}{reason}")
    if closed.sent is not None:
        return Ended(None, f"broke the protocol of websockets or answers no more: {_line(closed.sent.reason)}")
    return Ended(None, "broke the connection off")


def _line(value: object) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in str(value)).split())[:200]

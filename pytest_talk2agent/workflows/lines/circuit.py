"""A connection in a thread of its own: what is sent and what comes are queues, so that a session never waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_talk2agent.workflows.agents.voice import LineError
from pytest_talk2agent.workflows.lines.address import Address
from pytest_talk2agent.workflows.lines.limits import LineOptions

LARGEST_EVENT = 4 << 20
"""Bytes of one event: a minute and more of sound in one piece."""
MOST_WAITING = 64
"""Events that were not looked at yet; more stay with the server."""
MOST_UNSENT = 1_000
"""Messages that the server has not taken, 20 s of sound; more, and it is as good as gone."""
CLOSING = 2.0
PING_SECONDS = 3.0
PONG_SECONDS = 4.0
"""A server that answers no ping for so long is gone, though its socket is open."""
_GLANCE = 0.005
_LAST_WORDS = 0.5
"""How long a server that takes nothing any more may still say why."""
_FIRST_WAIT = 0.2


class LostError(Exception):
    """A connection failed. One line; ``passing`` says whether another may do better."""

    def __init__(self, text: str, *, passing: bool) -> None:
        super().__init__(text)
        self.passing = passing


class Connection(Protocol):
    """One connection by a vendor's SDK, used in one event loop. All but `close` may raise whatever the SDK raises."""

    async def open(self) -> None:
        """Connect, and have the server take the session; raises LostError where it does not."""
        ...

    async def receive(self) -> Any:
        """The next event."""
        ...

    async def send(self, message: Any) -> None:
        """Send a message."""
        ...

    async def close(self) -> None:
        """Close the connection, within `CLOSING`."""
        ...

    def fault(self, error: BaseException) -> LostError:
        """What an exception of the SDK means."""
        ...


@dataclass(frozen=True)
class Opened:
    """A connection stands, by its number; nothing of the one before goes on."""

    number: int


class Circuit:
    """A connection, made anew within its limits as long as `keep` was not called.

    ``who`` is for messages. What arrives is `Opened`, events, and at most one LineError, the last.
    """

    def __init__(self, who: str, make: Callable[[], Connection], options: LineOptions, address: Address) -> None:
        self._who, self._make, self._options, self._address = who, make, options, address
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._more: asyncio.Event | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._first: list[Any] = []
        self._kept = self._stopped = False
        self._number = 0
        self._thread = threading.Thread(target=self._run, name="t2a-line", daemon=True)

    def start(self) -> None:
        """Connect; raises LineError where that fails or takes too long."""
        self._thread.start()
        if not self._ready.wait(self._options.connect + 2 * CLOSING):
            self.close()
            raise self._late()
        first = self._arrived.get()
        if isinstance(first, LineError):
            self.close()
            raise first
        self._first = [first]

    def arrived(self) -> list[Any]:
        """What has come, oldest first."""
        found, self._first = self._first, []
        with contextlib.suppress(queue.Empty):
            for _ in range(MOST_WAITING):
                found.append(self._arrived.get_nowait())
        return found

    def post(self, messages: Sequence[Any], number: int) -> None:
        """Send messages over the connection of that number; raises LineError where the server takes none any more."""
        for message in messages:
            self._outgoing.put((number, message))
        if self._outgoing.qsize() > MOST_UNSENT:
            raise LineError("call", f"{self._who}: the server takes nothing any more: 20 s of sound wait to be sent")
        if messages:
            self._wake(self._more)

    def keep(self) -> None:
        """From here on a lost connection is the end: what was said would be lost with it."""
        self._kept = True

    def close(self) -> None:
        """End the connection and its thread; may be called twice."""
        self._stopped = True
        self._wake(self._stop)
        if self._thread.is_alive():
            self._thread.join(2 * CLOSING)

    def _wake(self, event: asyncio.Event | None) -> None:
        if self._loop is not None and event is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(event.set)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:  # whatever an SDK does at its end, the session hears of it
            self._fail("call", f"{type(error).__name__}: {error}")
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop, self._more, self._stop = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        began = time.monotonic()
        while not self._stopped:
            self._number += 1
            left = self._options.connect - (time.monotonic() - began)
            connection, fault = await self._opened(left)
            phase = "connect"
            if connection is not None:
                self._arrived.put(Opened(self._number))
                self._ready.set()
                fault, phase = await self._pumped(connection), "call"
                began = time.monotonic()
            if fault is None or self._stopped:
                return
            again = fault.passing and not self._kept and self._number < self._options.attempts
            wait = _FIRST_WAIT * 2 ** (self._number - 1)
            if not again or time.monotonic() - began + wait >= self._options.connect:
                tried = f" (connection {self._number})" if self._number > 1 else ""
                self._fail(phase, f"{fault}{tried}")
                return
            await self._until(self._stop, wait)

    async def _opened(self, seconds: float) -> tuple[Connection | None, LostError | None]:
        """A connection that stands, or why there is none."""
        connection = self._make()
        opening = asyncio.ensure_future(connection.open())
        stopping = asyncio.ensure_future(self._until(self._stop, seconds))
        await asyncio.wait({opening, stopping}, return_when=asyncio.FIRST_COMPLETED)
        in_time = opening.done()
        failed = await _ended(opening)
        await _ended(stopping)
        if in_time and failed is None:
            return connection, None
        await connection.close()
        if self._stopped:
            return None, None
        return None, connection.fault(failed) if in_time and failed is not None else LostError(
            str(self._late()), passing=False
        )

    async def _pumped(self, connection: Connection) -> LostError | None:
        """Send and receive until the connection ends; why it did, None where it was closed from here."""
        assert self._stop is not None
        tasks = [
            asyncio.ensure_future(work)
            for work in (self._reading(connection), self._writing(connection), self._stop.wait())
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not self._stopped and not tasks[0].done():
            await asyncio.wait({tasks[0]}, timeout=_LAST_WORDS)
        errors = [await _ended(task) for task in tasks]
        await connection.close()
        if self._stopped:
            return None
        found = next((error for error in errors if error is not None), None)
        return LostError("the server ended the call", passing=True) if found is None else connection.fault(found)

    async def _reading(self, connection: Connection) -> None:
        while True:
            event = await connection.receive()
            while self._arrived.qsize() >= MOST_WAITING:
                await asyncio.sleep(_GLANCE)
            self._arrived.put(event)

    async def _writing(self, connection: Connection) -> None:
        assert self._more is not None
        number = self._number
        while True:
            await self._more.wait()
            self._more.clear()
            with contextlib.suppress(queue.Empty):
                while True:
                    meant, message = self._outgoing.get_nowait()
                    if meant == number:
                        await connection.send(message)

    async def _until(self, event: asyncio.Event | None, seconds: float) -> None:
        assert event is not None
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(event.wait(), max(0.0, seconds))

    def _late(self) -> LineError:
        return LineError(
            "connect", f"{self._who}: no session within {self._options.connect:g} s; raise connect=SECONDS"
        )

    def _fail(self, phase: str, text: str) -> None:
        said = self._address.clean(text).removeprefix("connect: ").removeprefix(f"{self._who}: ")
        self._arrived.put(LineError("connect" if phase == "connect" else "call", f"{self._who}: {said}"))
        self._ready.set()


async def _ended(task: asyncio.Future[Any]) -> Exception | None:
    """Cancel a task where it still runs; what it raised."""
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return None
    except Exception as error:
        return error
    return None

"""What loopback servers of vendors have in common: their calls, faults, and the pace at which they speak."""

from __future__ import annotations

import asyncio
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from pytest_talk2agent.workflows.agents.protocol import Returned
from tests.workflows.lines.brain import RATE, Brain, Ears, MakeTalker, spoken, voice
from tests.workflows.lines.faults import Fault, Moment, OverError

CHUNK_MS = 100


@dataclass
class VendorServer(ABC):
    """What it is like, and what it saw of all calls.

    ``speed`` is how many times faster than real time it speaks. ``twist`` takes a message that is about to be
    sent and gives it back, or a list of what is sent instead, unchecked.
    """

    talker: MakeTalker
    fault: Fault | None = None
    twist: Any = None
    speed: float = 8.0
    yields: bool = True
    onset_ms: int = 100
    calls: int = 0
    got: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @abstractmethod
    def call(self, connection: ServerConnection) -> VendorCall: ...

    async def __call__(self, connection: ServerConnection) -> None:
        self.calls += 1
        assert connection.request is not None
        self.headers.append(dict(connection.request.headers))
        call = self.call(connection)
        try:
            await call.run()
        except (ConnectionClosed, OverError):
            pass
        finally:
            await call.end()


class VendorCall(ABC):
    """One call. ``rate`` is that of the sound which it hears."""

    def __init__(self, server: VendorServer, connection: ServerConnection, rate: int) -> None:
        self._vendor, self._connection = server, connection
        self._brain = Brain(server.talker())
        self._ears = Ears(rate, server.onset_ms)
        self._ids = itertools.count(1)
        self._task: asyncio.Task[None] | None = None
        self._results: list[Returned] = []
        self._replies = 0
        self._error: BaseException | None = None
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        await self._moment("accept")
        await self._accepted()
        reading = asyncio.ensure_future(self._read())
        await asyncio.wait({reading, self._failed}, return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done() and not reading.done():
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            raise self._error or OverError
        await reading

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @abstractmethod
    async def _accepted(self) -> None:
        """Say what the protocol says at first."""

    @abstractmethod
    def _check(self, message: dict[str, Any]) -> None: ...

    @abstractmethod
    async def _take(self, message: dict[str, Any]) -> None: ...

    @abstractmethod
    async def _answer(self, spoke: bool) -> None: ...

    async def _read(self) -> None:
        async for raw in self._connection:
            message = json.loads(raw)
            self._check(message)
            self._vendor.got.append(message)
            await self._take(message)

    def _begin(self, *, spoke: bool) -> None:
        self._task = asyncio.ensure_future(self._answer(spoke))
        self._task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None and not self._failed.done():
            self._error = error
            self._failed.set_result(None)

    async def _next_results(self) -> list[Returned]:
        """What a reply answers to; its beginning is a moment for a fault."""
        results, self._results = self._results, []
        self._replies += 1
        if self._replies <= 2:
            await self._moment("greeting" if self._replies == 1 else "turn")
        return results

    async def _pieces(self, text: str) -> AsyncIterator[tuple[str, bytes]]:
        """Sound and the words that are in it, piece by piece, as they are spoken."""
        sound, words = voice(spoken(text)), text.split()
        size = CHUNK_MS * RATE // 1000 * 2
        chunks = [sound[start : start + size] for start in range(0, len(sound), size)]
        told = 0
        for number, chunk in enumerate(chunks):
            upto = -(-len(words) * (number + 1) // len(chunks))
            said = " ".join(words[told:upto])
            told = upto
            yield f"{said} " if said and upto < len(words) else said, chunk
            if number == 1:
                await self._moment("audio")
            await asyncio.sleep(CHUNK_MS / 1000 / self._vendor.speed)

    async def _moment(self, moment: Moment) -> None:
        fault = self._vendor.fault
        if fault is not None and fault.moment == moment:
            await fault.act(self._connection)

    async def _twisted(self, message: dict[str, Any]) -> bool:
        """Whether a message was twisted, and sent so."""
        if self._vendor.twist is None or (twisted := self._vendor.twist(message)) is message:
            return False
        for one in twisted:
            await self._connection.send(one if isinstance(one, str | bytes) else json.dumps(one))
        return True

"""A deployed agent for tests: it greets, hears by energy, yields, calls tools of the service, and fails on demand.

It has the same wits behind both protocols. Its voice is a tone, 250 ms a word; whoever wants words brings clips.
"""

from __future__ import annotations

import asyncio
import base64
import json
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import soxr
from numpy.typing import NDArray
from websockets.asyncio.server import ServerConnection

from pytest_talk2agent.workflows.lines.telephone import from_mulaw, to_mulaw
from tests.workflows.lines.server import Handler

RATE = 24_000
LOUD = 100.0
"""From this mean amplitude (RMS) on, 20 ms are somebody's voice."""
VOICED_MS, SILENT_MS = 60, 500

Samples = NDArray[np.int16]
Voice = Callable[[str], Samples]


def tone(text: str) -> Samples:
    """Words at 24 kHz, 250 ms each, as one tone."""
    moments = np.arange(RATE // 4 * max(1, len(text.split())))
    return np.asarray(6000 * np.sin(2 * np.pi * 300 * moments / RATE), np.int16)


Moment = Literal["accept", "greeting", "audio", "turn", "call"]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and when: at the handshake's end, before or in a greeting, at the second turn, or its tools."""

    name: str
    moment: Moment
    act: Callable[[Clerk], Awaitable[None]]


@dataclass(frozen=True)
class Turn:
    """What the clerk does once the user was heard: tools first, then words."""

    say: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


@dataclass(frozen=True)
class Wits:
    """How a clerk behaves.

    ``pace`` is how much faster than it is heard sound is sent; ``pieces`` are the lengths of its messages in bytes, in
    turn. ``deaf`` to barge-in it talks on. ``fault`` happens once.
    """

    greeting: str = "hello how can I help"
    turns: tuple[Turn, ...] = ()
    hangs_up: bool = True
    deaf: bool = False
    pace: float = 2.0
    pieces: tuple[int, ...] = (960,)
    voice: Voice = tone
    fault: Fault | None = None


@dataclass
class Known:
    """What a clerk saw in its last call."""

    told: dict[str, str] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    heard_ms: list[int] = field(default_factory=list)
    cut: int = 0
    events: list[Any] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    sound: list[bytes] = field(default_factory=list)


class Clerk(ABC):
    """A call of the agent."""

    def __init__(self, connection: ServerConnection, wits: Wits, known: Known) -> None:
        self.connection, self.wits, self.known = connection, wits, known
        self._turn = 0
        self._voiced = self._silent = 0
        self._speaking = False
        self._busy: asyncio.Task[None] | None = None
        self._plays_until = 0.0
        self.reads = False
        """Whether somebody reads what is sent to it."""
        self._faulty = wits.fault is not None

    async def pass_by(self, moment: Moment) -> None:
        """Fail here, where that is due."""
        fault = self.wits.fault
        if self._faulty and fault is not None and fault.moment == moment:
            self._faulty = False
            await fault.act(self)

    @abstractmethod
    async def give(self, pcm: bytes) -> None:
        """Send sound at 24 kHz."""

    @abstractmethod
    async def heard(self, message: str | bytes) -> bytes:
        """The PCM of a message, at 24 kHz; empty for another one."""

    async def take_back(self) -> None:
        """Throw away what was sent and not played, where the protocol can."""
        return

    async def run(self) -> None:
        """Serve the call to its end."""
        await self.pass_by("accept")
        await self.begin()
        self._busy = asyncio.create_task(self._greet())
        self.reads = True
        try:
            async for message in self.connection:
                pcm = await self.heard(message)
                if pcm:
                    self.known.frames.append(len(pcm))
                    self.known.sound.append(pcm)
                    await self._listen(np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2"))
        finally:
            self._busy.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._busy

    async def _greet(self) -> None:
        await self.pass_by("greeting")
        await self._say(self.wits.greeting)

    async def begin(self) -> None:
        """Read what is told first."""
        headers = self.connection.request.headers if self.connection.request else {}
        names = ("session", "service", "token")
        self.known.told = {name: headers[f"X-Talk2Agent-{name}"] for name in names if f"X-Talk2Agent-{name}" in headers}

    async def _listen(self, samples: Samples) -> None:
        ms = len(samples) * 1000 // RATE
        loud = float(np.sqrt(np.mean(samples.astype(np.float64) ** 2))) > LOUD
        if loud:
            self._voiced, self._silent = self._voiced + ms, 0
            if self._voiced >= VOICED_MS and self._talks() and not self.wits.deaf:
                await self._yield()
        elif self._voiced:
            self._silent += ms
            if self._silent >= SILENT_MS:
                if self._voiced >= VOICED_MS:
                    self.known.heard_ms.append(self._voiced)
                    self._react()
                self._voiced = self._silent = 0

    def _talks(self) -> bool:
        return self._speaking or asyncio.get_running_loop().time() < self._plays_until

    async def _yield(self) -> None:
        self.known.cut += 1
        if self._busy is not None and self._speaking:
            self._busy.cancel()
        self._speaking, self._plays_until = False, 0.0
        await self.take_back()

    def _react(self) -> None:
        if self._turn < len(self.wits.turns) and not self._talks():
            turn = self.wits.turns[self._turn]
            self._turn += 1
            self._busy = asyncio.create_task(self._do(turn))

    async def _do(self, turn: Turn) -> None:
        await self.pass_by("turn")
        if turn.calls:
            await self.pass_by("call")
        for name, args in turn.calls:
            self.known.results.append(await asyncio.to_thread(self._call, name, args))
        if turn.say:
            await self._say(turn.say)
        if self._turn == len(self.wits.turns) and self.wits.hangs_up:
            await self.hang_up()

    async def hang_up(self) -> None:
        """End the call."""
        await self.connection.close(1000)

    def _call(self, name: str, args: Mapping[str, Any]) -> Any:
        told = self.known.told
        headers = {"Authorization": f"Bearer {told['token']}", "Content-Type": "application/json"}
        data = json.dumps(args).encode()
        request = urllib.request.Request(f"{told['service']}/tools/{name}", data, headers)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return json.loads(error.read())

    async def _say(self, text: str) -> None:
        pcm = self.wits.voice(text).astype("<i2").tobytes()
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._speaking = True
        self._plays_until = began + len(pcm) / 2 / RATE
        sent = number = 0
        while sent < len(pcm):
            length = self.wits.pieces[number % len(self.wits.pieces)]
            await self.give(pcm[sent : sent + length])
            sent, number = sent + length, number + 1
            if number == 5:
                await self.pass_by("audio")
            await asyncio.sleep(max(0.0, began + sent / 2 / RATE / self.wits.pace - loop.time()))
        self._speaking = False


class SocketClerk(Clerk):
    """Behind `voice-ws`."""

    async def give(self, pcm: bytes) -> None:
        await self.connection.send(pcm)

    async def heard(self, message: str | bytes) -> bytes:
        if isinstance(message, str):
            await self.connection.close(1011, "text where bytes belong")
            return b""
        return message


class JsonClerk(Clerk):
    """Behind `voice-ws` with JSON framing."""

    async def give(self, pcm: bytes) -> None:
        await self.connection.send(json.dumps({"type": "audio", "audio": base64.b64encode(pcm).decode()}))

    async def heard(self, message: str | bytes) -> bytes:
        said = json.loads(message)
        self.known.events.append(said["type"])
        return base64.b64decode(said["audio"]) if said["type"] == "audio" else b""

    async def hang_up(self) -> None:
        await self.connection.send(json.dumps({"type": "end"}))


class StreamClerk(Clerk):
    """Behind `media-stream`. Each thing that it says is followed by a mark."""

    stream = ""

    async def begin(self) -> None:
        for _ in range(2):
            said = json.loads(await self.connection.recv())
            self.known.events.append(said)
        start = self.known.events[-1]["start"]
        self.stream = start["streamSid"]
        self.known.told = {name.removeprefix("talk2agent_"): text for name, text in start["customParameters"].items()}
        self._up = soxr.ResampleStream(8000, RATE, 1, dtype="int16")
        self._down = soxr.ResampleStream(RATE, 8000, 1, dtype="int16")

    async def give(self, pcm: bytes) -> None:
        codes = to_mulaw(self._down.resample_chunk(np.frombuffer(pcm, "<i2")))
        await self._send("media", {"payload": base64.b64encode(codes).decode()})

    async def _send(self, event: str, value: Mapping[str, Any] | None = None) -> None:
        message = {"event": event, "streamSid": self.stream, **({event: value} if value is not None else {})}
        await self.connection.send(json.dumps(message))

    async def _say(self, text: str) -> None:
        await super()._say(text)
        await self._send("mark", {"name": text})

    async def take_back(self) -> None:
        await self._send("clear")

    async def heard(self, message: str | bytes) -> bytes:
        said = json.loads(message)
        if said["event"] != "media":
            self.known.events.append(said)
            return b""
        codes = from_mulaw(base64.b64decode(said["media"]["payload"]))
        return bytes(self._up.resample_chunk(np.frombuffer(codes, "<i2")).tobytes())


def clerk(kind: type[Clerk], wits: Wits, known: Known) -> Handler:
    """The handler of a clerk, for one call after another."""

    async def handle(connection: ServerConnection) -> None:
        await kind(connection, wits, known).run()

    return handle

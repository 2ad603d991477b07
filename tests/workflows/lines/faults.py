"""Faults that a loopback server makes on demand, each at one moment of a call; the same for every protocol.

A moment is when a hook of a server is passed: "accept" (connected), "session" (asked for one), "greeting" (the first
reply is due), "audio" (in the midst of it), "call" (with a tool call), "turn" (the second reply is due).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from websockets.asyncio.server import ServerConnection

Moment = Literal["accept", "session", "greeting", "audio", "call", "turn"]
MOMENTS: tuple[Moment, ...] = ("accept", "session", "greeting", "audio", "call", "turn")
LONGEST = 60.0
"""Seconds that a fault may hold a server."""

Act = Callable[[ServerConnection], Awaitable[None]]


class OverError(Exception):
    """The server has nothing more to say in this call."""


@dataclass(frozen=True)
class Fault:
    """A fault: its name, its moment, what happens, and whether it ends the call (else the call can be gone on with)."""

    name: str
    moment: Moment
    act: Act
    ends: bool = True


async def abort(connection: ServerConnection) -> None:
    """Cut the line."""
    connection.transport.abort()
    raise OverError


def once(act: Act) -> Act:
    """Only the first time; after that all is well."""
    done: list[bool] = []

    async def first(connection: ServerConnection) -> None:
        if not done:
            done.append(True)
            await act(connection)

    return first


async def half_open(connection: ServerConnection) -> None:
    """Neither read nor answer any more, with the socket open."""
    connection.transport.pause_reading()
    await asyncio.sleep(LONGEST)


async def silent(connection: ServerConnection) -> None:
    """Take everything and answer nothing."""
    async for _ in connection:
        pass
    raise OverError


def closes(code: int, reason: str = "") -> Act:
    """Close with a code."""

    async def act(connection: ServerConnection) -> None:
        await connection.close(code, reason)
        raise OverError

    return act


def sends(*payloads: str | bytes) -> Act:
    """Send what is no event, and go on."""

    async def act(connection: ServerConnection) -> None:
        for payload in payloads:
            await connection.send(payload)

    return act


async def floods(connection: ServerConnection) -> None:
    """Send events of an unknown type, many of them."""
    for _ in range(3_000):
        await connection.send('{"type": "t2a.unheard_of", "event_id": "e"}')


LINES = {
    "cut": abort,
    "half-open": half_open,
    "silent": silent,
    "close-1000": closes(1000),
    "close-1011": closes(1011, "internal error"),
    "close-1008": closes(1008, "not allowed"),
    "close-1013": closes(1013, "try again later"),
}
"""What happens to a line, at any moment."""

PAYLOADS: dict[str, Act] = {
    "garbage-text": sends("\x00\x01 nothing of yours {"),
    "garbage-bytes": sends(bytes(range(256)) * 4),
    "empty-text": sends(""),
    "json-list": sends("[1, 2, 3]"),
    "json-number": sends("17"),
    "deep-json": sends("[" * 100_000 + "]" * 100_000),
    "huge-event": sends('{"type": "t2a.huge", "data": "' + "A" * (50 << 20) + '"}'),
    "bad-utf8": sends(b'{"type": "\xff\xfe"}'),
}
"""What is sent that is no event."""


def line_faults() -> list[Fault]:
    """Each thing that happens to a line at each moment, and what is sent in the midst of a reply."""
    found = [Fault(f"{name}@{moment}", moment, act) for moment in MOMENTS for name, act in LINES.items()]
    found += [Fault(f"{name}@audio", "audio", act) for name, act in PAYLOADS.items()]
    return found

"""What a deployed agent can do wrong, at every moment of a call, behind each of its protocols."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, get_args

from tests.workflows.lines.clerk import Clerk, Fault, JsonClerk, Moment, SocketClerk, StreamClerk

LONGEST = 60.0
"""Seconds that a fault may last; the test ends it sooner."""

Act = Callable[[Clerk], Awaitable[None]]


async def cut(clerk: Clerk) -> None:
    clerk.connection.transport.abort()
    await asyncio.sleep(LONGEST)


async def half_open(clerk: Clerk) -> None:
    """The socket stays, and nobody reads or writes it."""
    clerk.connection.transport.pause_reading()
    clerk.wits = type(clerk.wits)(greeting="")
    await asyncio.sleep(LONGEST)


async def mute(clerk: Clerk) -> None:
    """Say nothing more, and read what comes where nobody else does."""
    if clerk.reads:
        await asyncio.sleep(LONGEST)
    async for _ in clerk.connection:
        continue


def closes(code: int, reason: str = "") -> Act:
    async def act(clerk: Clerk) -> None:
        await clerk.connection.close(code, reason)
        await asyncio.sleep(LONGEST)

    return act


def sends(*messages: str | bytes) -> Act:
    async def act(clerk: Clerk) -> None:
        for message in messages:
            await clerk.connection.send(message)

    return act


async def endless(clerk: Clerk) -> None:
    """A minute of sound at once, for ever."""
    while True:
        await clerk.give(bytes(60 * 48_000))


async def slow(clerk: Clerk) -> None:
    """Sound that comes at a quarter of the pace at which it is heard."""
    clerk.wits = type(clerk.wits)(greeting=clerk.wits.greeting, pace=0.25)


def event(name: str, value: Any = None, **more: Any) -> Act:
    """A message of Twilio's to the stream of the call."""

    async def act(clerk: Clerk) -> None:
        assert isinstance(clerk, StreamClerk)
        said = {"event": name, "streamSid": clerk.stream, **({name: value} if value is not None else {})} | more
        await clerk.connection.send(json.dumps(said))

    return act


async def many_marks(clerk: Clerk) -> None:
    assert isinstance(clerk, StreamClerk)
    for number in range(5_000):
        await event("mark", {"name": str(number)})(clerk)


async def many_clears(clerk: Clerk) -> None:
    for _ in range(5_000):
        await event("clear")(clerk)


LINE: dict[str, Act] = {
    "cut": cut,
    "half-open": half_open,
    "mute": mute,
    "1000": closes(1000),
    "1001": closes(1001, "going away"),
    "1008": closes(1008, "not allowed"),
    "1011": closes(1011, "the model fell over"),
    "1013": closes(1013, "try again later"),
    "4400": closes(4400, "no such session"),
}
"""At any moment."""
ENDS = {"1000"}
"""Not a fault: the agent ends the call."""
LASTS = {"mute", "slow", "empty", "one-byte", "unknown-event", "no-payload", "marks", "clears"}
"""The call goes on."""

SOUND: dict[str, Act] = {"endless": endless, "slow": slow}
SENT: dict[type[Clerk], dict[str, Act]] = {
    SocketClerk: {
        "text": sends("hello"),
        "json-for-bytes": sends('{"type": "end"}'),
        "empty-text": sends(""),
        "empty": sends(b""),
        "one-byte": sends(b"\x01"),
        "huge": sends(bytes(17 << 20)),
    },
    JsonClerk: {
        "bytes": sends(b"\x01\x02"),
        "no-json": sends("\x00 nothing {"),
        "list": sends("[1, 2]"),
        "deep": sends("[" * 100_000),
        "unknown": sends('{"type": "weather"}'),
        "no-base64": sends('{"type": "audio", "audio": "%%%"}'),
        "audio-is-a-number": sends('{"type": "audio", "audio": 7}'),
    },
    StreamClerk: {
        "bytes": sends(b"\x01\x02"),
        "no-json": sends("\x00 nothing {"),
        "list": sends("[1, 2]"),
        "deep": sends("[" * 100_000),
        "no-event": sends("{}"),
        "no-base64": event("media", {"payload": "%%%"}),
        "media-is-a-text": event("media", "sound"),
        "payload-is-a-number": event("media", {"payload": 7}),
        "another-stream": event("media", {"payload": "//8="}, streamSid="MZ0"),
        "mark-without-a-name": event("mark", {}),
        "unknown-event": event("weather", {"rain": True}),
        "no-payload": event("media", {"payload": ""}),
        "marks": many_marks,
        "clears": many_clears,
        "huge": sends("A" * (17 << 20)),
    },
}
"""In the midst of the greeting, by protocol."""


def faults_of(kind: type[Clerk]) -> list[Fault]:
    """Every fault of an agent behind a protocol."""
    found = [Fault(f"{name}@{moment}", moment, act) for moment in get_args(Moment) for name, act in LINE.items()]
    return found + [Fault(f"{name}@audio", "audio", act) for name, act in {**SOUND, **SENT[kind]}.items()]

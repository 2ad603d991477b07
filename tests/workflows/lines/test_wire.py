"""A connection that is dialled, spoken over and lost in every way."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from websockets.asyncio.server import ServerConnection

from pytest_talk2agent.workflows.agents.voice import LineError
from pytest_talk2agent.workflows.lines import wire
from pytest_talk2agent.workflows.lines.wire import Ended, Wire
from tests.workflows.lines.server import serving

WAIT = 20.0


def until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not there():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


@contextmanager
def dialled(port: int) -> Iterator[Wire]:
    line = Wire(f"ws://127.0.0.1:{port}/voice", headers={"X-Key": "secret"}, seconds=5)
    try:
        yield line
    finally:
        line.close()


async def echo(connection: ServerConnection) -> None:
    async for message in connection:
        await connection.send(message)


def test_messages_come_back_in_order() -> None:
    with serving(echo) as port, dialled(port) as line:
        sent: list[str | bytes] = ["a", b"\x01\x02\x03", "", b"", *(str(number) for number in range(50))]
        for message in sent:
            line.send(message)
        until(lambda: len(line._got) >= len(sent))
        assert line.take() == sent
        assert line.ended is None


@pytest.mark.parametrize("code", [1000, 1001, 1011, 4000])
def test_a_close_frame_is_told_after_what_came_before(code: int) -> None:
    async def leave(connection: ServerConnection) -> None:
        await connection.send("last words")
        await connection.close(code, "no\nmore")

    with serving(leave) as port, dialled(port) as line:
        until(lambda: line._ended is not None)
        assert line.ended is None
        assert line.take() == ["last words"]
        assert line.ended == Ended(code, f"closed the connection with {code}: no more")
        line.send("into nothing")


def test_a_connection_that_breaks_off() -> None:
    async def drop(connection: ServerConnection) -> None:
        connection.transport.abort()
        await asyncio.sleep(0)

    with serving(drop) as port, dialled(port) as line:
        until(lambda: line.ended is not None)
        assert line.ended == Ended(None, "broke the connection off")


def test_a_peer_that_answers_no_ping_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "PING_SECONDS", 0.05)
    monkeypatch.setattr(wire, "PONG_SECONDS", 0.1)

    async def freeze(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await asyncio.sleep(WAIT)

    with serving(freeze, pings=False) as port, dialled(port) as line:
        until(lambda: line.ended is not None)
        assert line.ended is not None
        assert line.ended.code is None
        assert "answers no more" in line.ended.text


def test_a_peer_that_takes_nothing_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_WAITING", 10 << 20)

    async def stall(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await asyncio.sleep(WAIT)

    with serving(stall, pings=False) as port, dialled(port) as line:
        for _ in range(100):
            line.send(bytes(1 << 20))
        assert line.ended == Ended(None, "takes no sound any more")


def test_more_than_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_UNREAD", 1 << 20)

    async def flood(connection: ServerConnection) -> None:
        while True:
            await connection.send(bytes(1 << 16))

    with serving(flood) as port, dialled(port) as line:
        until(lambda: line._ended is not None)
        line.take()
        assert line.ended == Ended(None, "sent 1 MiB that could not be taken as fast")


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(LineError, match=rf"^connect: nobody answers at 127.0.0.1:{port}: ") as error, dialled(port):
        pass
    assert error.value.phase == "connect"
    assert "secret" not in str(error.value)


def test_a_server_that_answers_no_handshake() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        port = deaf.getsockname()[1]
        with pytest.raises(LineError, match=rf"^connect: 127.0.0.1:{port} took no call within 0.2 s$"):
            Wire(f"ws://127.0.0.1:{port}/", headers={}, seconds=0.2)


def test_a_server_that_refuses() -> None:
    with serving(echo, None) as port, pytest.raises(LineError, match=r"answered the handshake with HTTP 404$"):
        Wire(f"ws://127.0.0.1:{port}/health", headers={}, seconds=5)

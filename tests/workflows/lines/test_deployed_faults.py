"""Whatever a deployed agent does wrong is the state of its session: a phase and a reason, in bounded time."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from pytest_talk2agent.workflows.agents.voice import LineError
from pytest_talk2agent.workflows.lines import wire
from pytest_talk2agent.workflows.lines.deployed import DeployedAgent
from pytest_talk2agent.workflows.lines.media_stream import MediaStream
from pytest_talk2agent.workflows.lines.voice_ws import VoiceSocket
from tests.workflows.lines.clerk import (
    Clerk,
    Fault,
    JsonClerk,
    Known,
    SocketClerk,
    StreamClerk,
    Turn,
    Wits,
    clerk,
    tone,
)
from tests.workflows.lines.deployed_faults import ENDS, LASTS, faults_of
from tests.workflows.lines.server import serving
from tests.workflows.lines.talk import BRIEFING, talk

AGENTS: dict[type[Clerk], tuple[Callable[[str], DeployedAgent], str]] = {
    SocketClerk: (VoiceSocket, ""),
    JsonClerk: (VoiceSocket, "#framing=json"),
    StreamClerk: (MediaStream, ""),
}
TURNS = (Turn("", (("kb_search", {}),)), Turn("done"))
CASES = [
    pytest.param(kind, fault, id=f"{kind.__name__}-{fault.name}")
    for kind in (SocketClerk, StreamClerk)
    for fault in faults_of(kind)
] + [
    pytest.param(JsonClerk, fault, id=f"JsonClerk-{fault.name}")
    for fault in faults_of(JsonClerk)
    if fault.moment == "audio"
]


def come_of(kind: type[Clerk], fault: Fault) -> str:
    """What a call comes to: "left", "lasts", or the phase in which the line failed."""
    agent, options = AGENTS[kind]
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    wits = Wits("hello", TURNS, fault=fault)
    with serving(clerk(kind, wits, Known()), pings=False) as port:
        line = agent(f"ws://127.0.0.1:{port}/voice{options}").dial(BRIEFING, real=True)
        try:
            found = talk(line, [tone("yes"), tone("no")], ms=3_500)
        except LineError as error:
            return error.phase if "\n" not in str(error) else repr(str(error))
        finally:
            line.close()
    return "left" if found.left else "lasts"


@pytest.mark.parametrize(("kind", "fault"), CASES)
def test_a_fault_is_the_state_of_its_session(kind: type[Clerk], fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("PING_SECONDS", 0.2), ("PONG_SECONDS", 0.5), ("CLOSE_SECONDS", 0.3)):
        monkeypatch.setattr(wire, name, seconds)
    came = come_of(kind, fault)
    name = fault.name.partition("@")[0]
    if name in ENDS:
        assert came == "left"
    elif name in LASTS:
        assert came in ("lasts", "left")
    else:
        assert came == ("first audio" if fault.moment in ("accept", "greeting") else "call")


@contextmanager
def answering(data: bytes | None) -> Iterator[int]:
    """A server that says the same to everybody and hangs up; None: it takes the call and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def answer() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                if data is None:
                    held.append(connection)
                    continue
                with connection:
                    connection.recv(4096)
                    connection.sendall(data)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for connection in held:
                connection.close()


@pytest.mark.parametrize("options", ["#health=/health&wait=0.3&connect=0.3", "#health=none&connect=0.3"])
@pytest.mark.parametrize("agent", [VoiceSocket, MediaStream])
@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"\x16\x03\x01\x02\x00",
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /health\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["hangs", "nothing", "ssh", "tls", "403", "500", "short", "no-key", "round-and-round"],
)
def test_what_is_no_agent(data: bytes | None, agent: Callable[[str], DeployedAgent], options: str) -> None:
    threads = threading.active_count()
    with answering(data) as port, pytest.raises(LineError) as error:
        agent(f"ws://127.0.0.1:{port}/voice{options}").dial(BRIEFING, real=True)
    assert error.value.phase == "connect"
    assert "\n" not in str(error.value)
    assert str(port) in str(error.value)
    assert threading.active_count() <= threads + 1  # the loop of wires


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(LineError, match=r"^connect: "):
        VoiceSocket("ws://no-such-host.invalid:1/#health=none&connect=5").dial(BRIEFING, real=True)

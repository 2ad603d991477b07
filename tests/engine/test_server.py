"""The model server over real sockets: who may ask, who gets what, and what a misbehaving client can do."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.job_client import ServerAddress, connect, identity_of, start_remote
from pytest_talk2agent.engine.progress import Reporter
from pytest_talk2agent.engine.server import STRANGERS, Losses, Server
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob, ask

KEY = "secret"
LOSSES = Losses({}, {"fake:lost": "given up"})


@pytest.fixture
def address(store: Store) -> Iterator[ServerAddress]:
    """A server in a thread of this process."""
    listener = socket.create_server(("127.0.0.1", 0))
    reading, writing = os.pipe()
    reporter = Reporter(writing)

    def serve() -> None:
        with contextlib.suppress(OSError):
            Server(KEY, store, Setup(interfaces=fake.INTERFACES), reporter, LOSSES).serve(listener)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield ServerAddress(listener.getsockname()[1], KEY, str(store.root / "log"))
    listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=10)
    listener.close()
    os.close(reading)  # the server's thread may still write: nobody reads that


def talk(address: ServerAddress, *requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """Say the key and something else, and close the sending side; all that is answered until the server hangs up."""
    with connect(address) as connection:
        connection.settimeout(10)
        for request in requests:
            connection.sendall(request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n")
        with contextlib.suppress(OSError):  # the server may have hung up already
            connection.shutdown(socket.SHUT_WR)
        return list(wire.messages(connection))


def request(*jobs: Job) -> dict[str, Any]:
    return {"jobs": [one.to_json() for one in jobs]}


def alive(address: ServerAddress, one: Job) -> bool:
    """Whether the server still does its work."""
    return ask([one], address).get(one).text.startswith("heard")


def test_a_client_gets_its_transcripts(address: ServerAddress, job: MakeJob) -> None:
    jobs = [job("a"), job("b")]
    mailbox = ask(jobs, address)
    found = [mailbox.get(one) for one in jobs]
    assert [transcript.text for transcript in found] == ["heard a", "heard b"]
    assert found[0].identity == {"name": "fake", "model": "good"}


def test_a_failure_travels_as_its_line(address: ServerAddress, job: MakeJob) -> None:
    mailbox = ask([job("refused")], address)
    with pytest.raises(TranscriptionError, match=r"^refused$"):
        mailbox.get(job("refused"))


@pytest.mark.parametrize(
    "first",
    [b"wrong\n", b"\n", b"Secret\n", b"secret \n", b"GET / HTTP/1.1\r\n\r\n", b'{"jobs": []}\n', b"s" * 100_000],
)
def test_a_wrong_key_gets_nothing(address: ServerAddress, job: MakeJob, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", address.port), timeout=10) as connection, contextlib.suppress(OSError):
        connection.sendall(first)
        connection.sendall(json.dumps(request(job("a"))).encode() + b"\n")
        connection.shutdown(socket.SHUT_WR)
        assert list(wire.messages(connection)) == []
    assert fake.ASKED == []
    assert alive(address, job("b"))


def test_a_stranger_is_not_waited_for(address: ServerAddress, job: MakeJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_talk2agent.engine.server.KEY_SECONDS", 0.05)
    with socket.create_connection(("127.0.0.1", address.port), timeout=10) as silent:
        assert silent.recv(1) == b"", "the server has hung up"
    assert alive(address, job("a"))


def test_strangers_do_not_fill_the_server(address: ServerAddress, job: MakeJob) -> None:
    with contextlib.ExitStack() as crowd:
        for _ in range(STRANGERS):
            crowd.enter_context(socket.create_connection(("127.0.0.1", address.port), timeout=10))
        one_more = crowd.enter_context(socket.create_connection(("127.0.0.1", address.port), timeout=10))
        with contextlib.suppress(ConnectionError):
            assert one_more.recv(1) == b"", "refused at once"
    assert alive(address, job("a"))


def test_what_died_with_another_server_is_answered_with_the_reason(address: ServerAddress, job: MakeJob) -> None:
    mailbox = ask([job("a", spec="fake:lost"), job("b", spec="fake:lost"), job("c")], address)
    with pytest.raises(TranscriptionError, match=r"^given up$"):
        mailbox.get(job("b", spec="fake:lost"))
    assert mailbox.get(job("c")).text == "heard c"
    assert [name for batch in fake.ASKED for name in batch] == ["c"]
    with pytest.raises(InterfaceError, match=r"^given up$"):
        identity_of("fake:lost", address)


def test_a_failure_is_tried_once_more_where_that_is_asked(address: ServerAddress, job: MakeJob) -> None:
    mailbox = ask([job("refused")], address)
    with pytest.raises(TranscriptionError):
        mailbox.get(job("refused"))
    assert mailbox.forget_failure(job("refused"))
    start_remote([job("refused")], address, mailbox, again=True)
    with pytest.raises(TranscriptionError, match="refused"):
        mailbox.get(job("refused"))
    assert len(fake.ASKED) == 2
    assert ask([job("a")], address).get(job("a")).text == "heard a"
    assert alive(address, job("a"))
    assert len(fake.ASKED) == 3, "what was heard is not heard again"


def test_a_condition_says_what_it_is(address: ServerAddress) -> None:
    assert identity_of("fake:small", address) == {"name": "fake", "model": "small"}
    with pytest.raises(InterfaceError, match="unknown interface 'nobody'"):
        identity_of("nobody", address)


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b"\xff\xff\n",
        b"{",
        b"",
        b"[" * 100_000 + b"\n",
        b'{"jobs": 7}\n',
        b'{"jobs": ["a"]}\n',
        b'{"jobs": [{}]}\n',
    ],
)
def test_garbage_is_hung_up_on_and_the_server_goes_on(address: ServerAddress, job: MakeJob, garbage: bytes) -> None:
    assert talk(address, garbage) == []
    assert alive(address, job("a"))


def test_two_clients_share_one_job(address: ServerAddress, job: MakeJob) -> None:
    shared = job("shared")
    boxes = [ask([shared, job(own)], address) for own in ("a", "b")]
    assert [box.get(shared).text for box in boxes] == ["heard shared", "heard shared"]
    assert boxes[0].get(job("a")).text == "heard a"
    assert boxes[1].get(job("b")).text == "heard b"
    assert sorted(name for batch in fake.ASKED for name in batch) == ["a", "b", "shared"]


def test_a_late_client_is_told_what_is_known(address: ServerAddress, job: MakeJob) -> None:
    jobs = [job("a"), job("refused")]
    first = ask(jobs, address)
    assert first.get(jobs[0]).text == "heard a"
    with pytest.raises(TranscriptionError):
        first.get(jobs[1])
    late = ask(jobs, address)
    assert late.get(jobs[0]).text == "heard a"
    with pytest.raises(TranscriptionError, match="refused"):
        late.get(jobs[1])
    assert len(fake.ASKED) == 2, "a failure is not tried again within a run"


def test_a_client_is_told_only_what_it_asked_for(address: ServerAddress, job: MakeJob) -> None:
    with connect(address) as connection:
        connection.settimeout(10)
        wire.send(connection, request(job("mine")))
        answers = wire.messages(connection)
        assert next(answers)["job"] == job("mine").key
        assert alive(address, job("other"))
        wire.send(connection, {"identify": "fake"})
        assert "identity" in next(answers)


def test_a_client_that_leaves_does_not_stop_the_others(address: ServerAddress, job: MakeJob) -> None:
    with connect(address) as connection:
        wire.send(connection, request(*(job(name) for name in "abcdef")))
    mailbox = ask([job("f")], address)
    assert mailbox.get(job("f")).text == "heard f"


def test_a_line_separator_does_not_cut_a_message(address: ServerAddress, job: MakeJob) -> None:
    odd = job("one\u2028two")
    assert ask([odd], address).get(odd).text == "heard one\u2028two"


def test_a_path_that_utf_8_cannot_hold_travels(address: ServerAddress, job: MakeJob) -> None:
    odd = Job.from_json({**job("a").to_json(), "path": "/no/odd\udcff.wav"})
    with pytest.raises(TranscriptionError, match=r"^/no/odd\udcff.wav: no such recording"):
        ask([odd], address).get(odd)


def test_a_job_survives_the_wire(job: MakeJob) -> None:
    one = job("a", sha256="0" * 64)
    assert Job.from_json(json.loads(json.dumps(one.to_json()))) == one
    without = Job.from_json({**one.to_json(), "path": None})
    assert without.utterance.path is None
    assert without.key != one.key


def test_a_cut_message_is_no_message() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b'{"job": "a"}\n{"job": "b"}')
        ours.close()
        assert list(wire.messages(theirs)) == [{"job": "a"}]

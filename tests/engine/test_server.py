"""The model server over real sockets: who may ask, who gets what, and what a misbehaving client can do."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.client import ServerAddress, connect, start_remote
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.server import Server
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.interfaces.utterance import TranscriptionError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob

KEY = "secret"


@pytest.fixture
def address(store: Store) -> Iterator[ServerAddress]:
    """A server in a thread of this process."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            Server(KEY, store, Setup(interfaces=fake.INTERFACES)).serve(listener)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield ServerAddress(listener.getsockname()[1], KEY, str(store.root / "log"))
    listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=10)
    listener.close()


def ask(address: ServerAddress, *requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """Say something to the server and close the sending side; everything that it answers until it hangs up."""
    with connect(address) as connection:
        connection.settimeout(10)
        for request in requests:
            connection.sendall(request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n")
        with contextlib.suppress(OSError):  # the server may have hung up already
            connection.shutdown(socket.SHUT_WR)
        return list(wire.messages(connection))


def request(*jobs: Job, key: str = KEY) -> dict[str, Any]:
    return {"key": key, "jobs": [one.to_json() for one in jobs]}


def alive(address: ServerAddress, one: Job) -> bool:
    """Whether the server still does its work."""
    return start_remote([one], address).get(one).text.startswith("heard")


def test_a_client_gets_its_transcripts(address: ServerAddress, job: MakeJob) -> None:
    jobs = [job("a"), job("b")]
    mailbox = start_remote(jobs, address)
    found = [mailbox.get(one) for one in jobs]
    assert [transcript.text for transcript in found] == ["heard a", "heard b"]
    assert found[0].identity == {"name": "fake", "model": "good"}


def test_a_failure_travels_as_its_line(address: ServerAddress, job: MakeJob) -> None:
    mailbox = start_remote([job("refused")], address)
    with pytest.raises(TranscriptionError, match=r"^refused$"):
        mailbox.get(job("refused"))


@pytest.mark.parametrize("key", ["wrong", "", "sécret", "secret ", None, 7])
def test_a_wrong_key_gets_nothing(address: ServerAddress, job: MakeJob, key: Any) -> None:
    assert ask(address, request(job("a"), key=key)) == []
    assert ask(address, {"key": key, "jobs": None}) == []
    assert fake.ASKED == []


def test_no_key_gets_nothing(address: ServerAddress, job: MakeJob) -> None:
    assert ask(address, {"jobs": [job("a").to_json()]}) == []
    assert fake.ASKED == []


def test_a_wrong_key_after_a_right_one_ends_the_conversation(address: ServerAddress) -> None:
    with connect(address) as connection:
        connection.settimeout(10)
        answers = wire.messages(connection)
        wire.send(connection, {"key": KEY, "jobs": None})
        assert "progress" in next(answers)
        wire.send(connection, {"key": "wrong", "jobs": None})
        assert list(answers) == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"[]\n",
        b"\xff\xff\n",
        b"{",
        b"",
        b'{"key": "secret"}\n',
        b'{"key": "secret", "jobs": 7}\n',
        b'{"key": "secret", "jobs": ["a"]}\n',
        b'{"key": "secret", "jobs": [{}]}\n',
    ],
)
def test_garbage_is_hung_up_on_and_the_server_goes_on(address: ServerAddress, job: MakeJob, garbage: bytes) -> None:
    assert ask(address, garbage) == []
    assert alive(address, job("a"))


def test_two_clients_share_one_job(address: ServerAddress, job: MakeJob) -> None:
    shared = job("shared")
    boxes = [start_remote([shared, job(own)], address) for own in ("a", "b")]
    assert [box.get(shared).text for box in boxes] == ["heard shared", "heard shared"]
    assert boxes[0].get(job("a")).text == "heard a"
    assert boxes[1].get(job("b")).text == "heard b"
    assert sorted(name for batch in fake.ASKED for name in batch) == ["a", "b", "shared"]


def test_a_late_client_is_told_what_is_known(address: ServerAddress, job: MakeJob) -> None:
    jobs = [job("a"), job("refused")]
    first = start_remote(jobs, address)
    assert first.get(jobs[0]).text == "heard a"
    with pytest.raises(TranscriptionError):
        first.get(jobs[1])
    late = start_remote(jobs, address)
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
        wire.send(connection, {"key": KEY, "jobs": None})
        assert "progress" in next(answers)


def test_a_client_that_leaves_does_not_stop_the_others(address: ServerAddress, job: MakeJob) -> None:
    with connect(address) as connection:
        wire.send(connection, request(*(job(name) for name in "abcdef")))
    mailbox = start_remote([job("f")], address)
    assert mailbox.get(job("f")).text == "heard f"


def test_the_server_says_how_far_it_has_come(address: ServerAddress, job: MakeJob) -> None:
    assert ask(address, {"key": KEY, "jobs": None}) == [{"progress": {"total": 0, "done": 0, "stored": 0, "failed": 0}}]
    assert alive(address, job("a"))
    mailbox = start_remote([job("refused")], address)
    with pytest.raises(TranscriptionError):
        mailbox.get(job("refused"))
    (answer,) = ask(address, {"key": KEY, "jobs": None})
    assert answer["progress"] == {"total": 2, "done": 2, "stored": 0, "failed": 1}


def test_a_line_separator_does_not_cut_a_message(address: ServerAddress, job: MakeJob) -> None:
    odd = job("one\u2028two")
    assert start_remote([odd], address).get(odd).text == "heard one\u2028two"


def test_a_path_that_utf_8_cannot_hold_travels(address: ServerAddress, job: MakeJob) -> None:
    odd = Job.from_json({**job("a").to_json(), "path": "/no/odd\udcff.wav"})
    with pytest.raises(TranscriptionError, match=r"^/no/odd\udcff.wav: no such recording"):
        start_remote([odd], address).get(odd)


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

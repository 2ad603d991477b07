"""The owner of the model server: starts it when asked, ends it for certain, and says what became of it."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.engine.client import ServerAddress, connect, last_words, start_remote
from pytest_talk2agent.engine.owner import ServerOwner
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.interfaces.utterance import TranscriptionError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob


@pytest.fixture
def owner(store: Store) -> Iterator[ServerOwner]:
    owner = ServerOwner(store.root, Setup(interfaces=fake.INTERFACES))
    yield owner
    owner.stop()
    Path(owner.address.log).unlink(missing_ok=True)


def process_of(owner: ServerOwner) -> int:
    """The process id of the server, once it has been started."""
    until(lambda: owner._process is not None)
    assert owner._process is not None
    return owner._process.pid


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert holds()


def is_refused(address: ServerAddress) -> bool:
    try:
        connect(address).close()
    except OSError:
        return True
    return False


def test_nothing_is_started_for_nobody(owner: ServerOwner) -> None:
    assert owner._process is None
    assert owner.progress() is None
    owner.stop()
    assert owner._process is None
    assert is_refused(owner.address)
    assert not Path(owner.address.log).exists()


def test_the_server_does_the_work_and_leaves_nothing_behind(owner: ServerOwner, job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("refused")]
    mailbox = start_remote(jobs, owner.address)
    assert mailbox.get(jobs[0]).text == "heard a"
    with pytest.raises(TranscriptionError, match="refused"):
        mailbox.get(jobs[1])
    assert fake.ASKED == [], "another process heard them"
    assert owner.progress() == Progress(total=2, done=2, failed=1)
    assert len(list(store.root.rglob("*.json"))) == 1
    pid = process_of(owner)
    owner.stop()
    assert not Path(f"/proc/{pid}").exists()
    assert not Path(owner.address.log).exists()
    assert not [thread for thread in threading.enumerate() if thread.name == "t2a-owner"]
    assert is_refused(owner.address)


def test_stopping_twice_is_stopping_once(owner: ServerOwner, job: MakeJob) -> None:
    assert start_remote([job("a")], owner.address).get(job("a")).text == "heard a"
    owner.stop()
    owner.stop()
    assert owner.progress() is None


def test_a_killed_server_is_reported_to_who_waits_and_to_who_comes_later(owner: ServerOwner, job: MakeJob) -> None:
    dying = job("a", spec="fake:dies")
    begin = time.monotonic()
    with pytest.raises(TranscriptionError) as caught:
        start_remote([dying], owner.address).get(dying)
    words = f"the model server is gone; its last words: out of memory (log: {owner.address.log})"
    assert str(caught.value) == words
    until(lambda: is_refused(owner.address))
    with pytest.raises(TranscriptionError) as later:
        start_remote([job("b")], owner.address).get(job("b"))
    assert str(later.value) == words
    assert time.monotonic() - begin < 10
    assert owner.progress() is None
    owner.stop()
    assert Path(owner.address.log).exists(), "the log of a failure is kept"


def test_a_server_whose_work_ends_answers_nobody_by_dying(store: Store, job: MakeJob) -> None:
    owner = ServerOwner(store.root, Setup({"whisper": "tests.engine.fake:make"}))
    with pytest.raises(TranscriptionError, match=r"its last words: .*interface 'whisper' is registered already"):
        start_remote([job("a")], owner.address).get(job("a"))
    owner.stop()
    Path(owner.address.log).unlink()


def test_a_server_that_cannot_be_started_is_reported(
    owner: ServerOwner, job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(TranscriptionError, match=r"the model server cannot be started: .*No such file"):
        start_remote([job("a")], owner.address).get(job("a"))


def test_a_server_that_ends_at_once_is_reported(
    owner: ServerOwner, job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(TranscriptionError, match="the model server is gone"):
        start_remote([job("a")], owner.address).get(job("a"))


def test_the_server_ends_with_its_owner(owner: ServerOwner, job: MakeJob) -> None:
    assert start_remote([job("a")], owner.address).get(job("a")).text == "heard a"
    assert owner._process is not None
    assert owner._process.stdin is not None
    owner._process.stdin.close()  # as the kernel does when the owner dies
    assert owner._process.wait(timeout=10) == 0


def test_a_client_without_any_server_is_told_at_once(job: MakeJob, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    log = tmp_path / "log"
    mailbox = start_remote([job("a")], ServerAddress(port, "key", str(log)))
    with pytest.raises(TranscriptionError, match="the model server is gone; its last words: it left no log"):
        mailbox.get(job("a"))


def test_last_words_are_the_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"first\nTraceback:\n\n  line 5\xff\n\nMemoryError  \n")
    assert last_words(str(log)) == "Traceback: | line 5\ufffd | MemoryError"
    log.write_bytes(b"\n \n")
    assert last_words(str(log)) == "it said nothing"

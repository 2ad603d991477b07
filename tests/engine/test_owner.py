"""The owner of the model server: starts it when asked, ends it for certain, and says what became of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.engine import keeper
from pytest_talk2agent.engine import owner as owner_module
from pytest_talk2agent.engine.job import Setup
from pytest_talk2agent.engine.job_client import LONGEST_WORD, ServerAddress, connect, last_words
from pytest_talk2agent.engine.owner import ServerOwner
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.interfaces.utterance import TranscriptionError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob, ask


@pytest.fixture
def owner(store: Store) -> Iterator[ServerOwner]:
    BEFORE.update(keeper.descendants(os.getpid()))
    owner = ServerOwner(store.root, Setup(interfaces=fake.INTERFACES))
    yield owner
    owner.stop()


BEFORE: set[int] = set()
"""Processes of this test run that have nothing to do with an owner."""


def below(process: int) -> list[int]:
    """Every process of an owner that has this one above it."""
    return [one for one in keeper.descendants(process) if one not in BEFORE]


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
    assert below(os.getpid()) == []
    assert owner.progress is None
    owner.stop()
    assert is_refused(owner.address)
    assert not owner.folder.exists()


def test_the_server_does_the_work_and_leaves_nothing_behind(owner: ServerOwner, job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("refused")]
    mailbox = ask(jobs, owner.address)
    assert mailbox.get(jobs[0]).text == "heard a"
    with pytest.raises(TranscriptionError, match="refused"):
        mailbox.get(jobs[1])
    assert fake.ASKED == [], "another process heard them"
    assert owner.progress == Progress(total=2, done=2, failed=1)
    assert len(list(store.root.rglob("*.json"))) == 1
    assert len(below(os.getpid())) == 2, "the keeper and the server"
    owner.stop()
    assert below(os.getpid()) == []
    assert not owner.folder.exists()
    assert not [thread for thread in threading.enumerate() if thread.name == "t2a-owner"]
    assert is_refused(owner.address)


def test_stopping_twice_is_stopping_once(owner: ServerOwner, job: MakeJob) -> None:
    assert ask([job("a")], owner.address).get(job("a")).text == "heard a"
    owner.stop()
    owner.stop()
    assert owner.progress == Progress(total=1, done=1)


def test_a_recogniser_that_ends_its_process_takes_only_what_it_was_hearing(owner: ServerOwner, job: MakeJob) -> None:
    jobs = [job(name, spec="fake:dies-once") for name in "abc"]
    jobs.append(job("d"))
    mailbox = ask(jobs, owner.address)
    with pytest.raises(TranscriptionError) as caught:
        mailbox.get(jobs[0])
    assert str(caught.value) == (
        "fake:dies-once: the process that runs it ended by itself with exit status 9; its last words: out of memory"
    )
    assert [mailbox.get(one).text for one in jobs[1:]] == ["heard b", "heard c", "heard d"]
    assert owner.progress == Progress(total=4, done=4, failed=1)
    late = ask(jobs[:1], owner.address)
    with pytest.raises(TranscriptionError, match="exit status 9"):
        late.get(jobs[0])


def test_a_recogniser_that_always_dies_is_given_up(owner: ServerOwner, job: MakeJob) -> None:
    jobs = [job(name, spec="fake:dies") for name in "abcdef"]
    mailbox = ask([*jobs, job("good")], owner.address)
    assert mailbox.get(job("good")).text == "heard good"
    said = []
    for one in jobs:
        with pytest.raises(TranscriptionError) as caught:
            mailbox.get(one)
        said.append(str(caught.value))
    assert sum("given up after 3 processes" in line for line in said) == 3
    assert all("out of memory" in line for line in said)


def test_a_recogniser_that_hangs_is_ended_at_its_limit(owner: ServerOwner, job: MakeJob) -> None:
    jobs = [job(name, spec="fake:hangs") for name in ("hang", "b")]
    mailbox = ask(jobs, owner.address)
    with pytest.raises(TranscriptionError, match=r"^fake:hangs: the process that runs it took longer than 1\.5 s"):
        mailbox.get(jobs[0])
    assert mailbox.get(jobs[1]).text == "heard b"


def test_what_a_recogniser_prints_does_not_fill_the_disk(
    owner: ServerOwner, job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner_module, "MOST_LOG", 1_000)
    mailbox = ask([job("a", spec="fake:floods")], owner.address)
    assert mailbox.get(job("a", spec="fake:floods")).text == "heard a"
    until(lambda: Path(owner.address.log).stat().st_size == 0)


def test_of_what_was_printed_only_the_end_is_read(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"first\n" + b"x" * 200_000 + b"\n" + b"y" * 2_000 + b"\nlast\n")
    before, long, last = last_words(str(log)).split(" | ")
    assert (set(before), set(long), last) == ({"x"}, {"y"}, "last")
    assert len(before) == len(long) == LONGEST_WORD


def test_a_server_that_is_killed_while_it_hears_nothing_is_not_started_again(owner: ServerOwner, job: MakeJob) -> None:
    assert ask([job("a")], owner.address).get(job("a")).text == "heard a"
    until(lambda: owner._follower is not None and not owner._follower.doing.keys)  # it says so after the answer
    (server,) = (process for process in below(os.getpid()) if below(process) == [])
    os.kill(server, signal.SIGKILL)
    with pytest.raises(TranscriptionError, match="the model server is gone"):
        until(lambda: ask([job("b")], owner.address).get(job("b")) is None)


def test_a_server_whose_work_ends_answers_nobody_by_dying(store: Store, job: MakeJob) -> None:
    owner = ServerOwner(store.root, Setup({"whisper": "tests.engine.fake:make"}))
    with pytest.raises(TranscriptionError, match=r"its last words: .*interface 'whisper' is registered already"):
        ask([job("a")], owner.address).get(job("a"))
    owner.stop()


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/false"])
def test_a_server_that_cannot_be_started_is_reported(
    owner: ServerOwner, job: MakeJob, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(TranscriptionError, match="the model server is gone; its last words: "):
        ask([job("a")], owner.address).get(job("a"))


OWNER = """
import sys
from pathlib import Path
from pytest_talk2agent.engine.owner import ServerOwner
from pytest_talk2agent.engine.job import Setup
from tests.engine import fake
from tests.engine.conftest import ask
from pytest_talk2agent.engine.job import Job
owner = ServerOwner(Path(sys.argv[1]), Setup(interfaces=fake.INTERFACES))
job = Job.from_json({"spec": "fake:hangs", "task": "t", "take": "", "instruction": "", "script": "",
                     "path": sys.argv[2], "sha256": None, "terms": []})
print(owner.folder, flush=True)
ask([job], owner.address).get(job)
"""


def test_nothing_outlives_an_owner_that_is_killed(job: MakeJob, store: Store) -> None:
    audio = job("hang").utterance.path
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(store.root), str(audio)], stdout=subprocess.PIPE)
    with owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().decode().strip())
        until(lambda: len(below(owner.pid)) == 2)
        left = below(owner.pid)
        owner.kill()
    until(lambda: not any(Path(f"/proc/{process}").exists() for process in left))
    until(lambda: not folder.exists())


def test_a_client_without_any_server_is_told_at_once(job: MakeJob, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    log = tmp_path / "log"
    mailbox = ask([job("a")], ServerAddress(port, "key", str(log)))
    with pytest.raises(TranscriptionError, match="the model server is gone; its last words: it left no log"):
        mailbox.get(job("a"))


def test_last_words_are_the_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"first\nTraceback:\n\n  line 5\xff\n\nMemoryError  \n")
    assert last_words(str(log)) == "Traceback: | line 5\ufffd | MemoryError"
    log.write_bytes(b"\n \n")
    assert last_words(str(log)) == "it said nothing"

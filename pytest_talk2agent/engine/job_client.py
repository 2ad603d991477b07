"""The client of the model server: it hands in jobs, and a mailbox holds their transcripts as they arrive."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, socket

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.interfaces.spec import shown_text
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.results.transcript import Transcript


class Mailbox:
    """Transcripts and failures by job, filled from one thread and read from another."""

    def __init__(self) -> None:
        self._found: dict[str, Transcript | str] = {}
        self._order: list[str] = []
        self._end: str | None = None
        self._changed = threading.Condition()

    def deliver(self, key: str, outcome: Transcript | str, *, last: bool = False) -> None:
        """Add the transcript of a job, or one line that says why it has none; the ``last`` one closes the mailbox."""
        with self._changed:
            if last and self._end is None:
                self._end = "everything that was asked for has come"
            if key not in self._found:
                self._order.append(key)
            self._found[key] = outcome
            self._changed.notify_all()

    def close(self, reason: str) -> None:
        """Say that nothing more will come, and why; those who wait for a missing job get the reason."""
        with self._changed:
            if self._end is None:
                self._end = reason
            self._changed.notify_all()

    def get(self, job: Job) -> Transcript:
        """Wait for one job; raises TranscriptionError with one line where it failed or will never come."""
        heard = self._found.get(job.key)
        if isinstance(heard, Transcript):  # it stays as it came
            return heard
        self.wait(job)
        with self._changed:
            outcome = self._found.get(job.key, self._end or "")
        if isinstance(outcome, Transcript):
            return outcome
        raise TranscriptionError(outcome)

    def forget_failure(self, job: Job) -> bool:
        """Whether a job has failed, or never came; if so it is awaited again."""
        with self._changed:
            if isinstance(self._found.get(job.key), Transcript):
                return False
            self._found.pop(job.key, None)
            self._end = None
            return True

    def wait(self, job: Job) -> None:
        """Wait until a job has come or never will."""
        with self._changed:
            self._changed.wait_for(lambda: job.key in self._found or self._end is not None)

    def arrivals(self) -> Iterator[str]:
        """Yield the keys of the jobs as they finish, well or badly, until the mailbox is closed."""
        seen = 0
        while True:
            with self._changed:
                while len(self._order) == seen and self._end is None:
                    self._changed.wait()
                fresh = self._order[seen:]
            if not fresh:
                return
            seen += len(fresh)
            yield from fresh


LAST_WORDS = 3
LAST_BYTES = 1 << 16
LONGEST_WORD = 500
ATTEMPTS = 20
"""How often a client reconnects without receiving anything in between."""


@dataclass(frozen=True)
class ServerAddress:
    """Where the server listens (loopback), the key that it asks for, and the file that its words go to."""

    port: int
    key: str
    log: str


def connect(address: ServerAddress) -> socket:
    """Open a connection; raises OSError where no server will answer any more.

    The class is the one that was there when this module was imported: plugins that forbid sockets to tests replace it,
    and this one serves no test.
    """
    connection = socket(AF_INET, SOCK_STREAM)
    try:
        connection.connect(("127.0.0.1", address.port))
        wire.send_key(connection, address.key)
    except OSError:
        connection.close()
        raise
    return connection


def last_words(log: str) -> str:
    """The last lines the server wrote, joined to one."""
    try:
        with Path(log).open("rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - LAST_BYTES))
            lines = stream.read(LAST_BYTES).decode(errors="replace").split("\n")
    except OSError:
        return "it left no log"
    said = [line.strip()[:LONGEST_WORD] for line in lines if line.strip()][-LAST_WORDS:]
    return " | ".join(said) if said else "it said nothing"


def start_remote(jobs: Sequence[Job], address: ServerAddress, mailbox: Mailbox, *, again: bool = False) -> None:
    """Ask the server for these jobs; the mailbox fills in the background and is closed when all have come.

    Where a server dies, its successor is asked for the rest. With ``again`` jobs that failed are tried once more. The
    connection is made at once, in the caller's thread.
    """
    waiting = {job.key: job for job in jobs}
    connection = _connected(address)

    def run(connection: socket | None) -> None:
        attempts = 0
        while waiting and connection is not None and attempts < ATTEMPTS:
            attempts += 1
            try:
                with connection:
                    asked = {"jobs": [job.to_json() for job in waiting.values()], "again": again}
                    wire.send(connection, asked)
                    for message in wire.messages(connection):
                        key, outcome = _outcome(message)
                        waiting.pop(key, None)
                        mailbox.deliver(key, outcome, last=not waiting)
                        attempts = 0
                        if not waiting:
                            break
            except (OSError, ValueError, KeyError, TypeError):
                pass
            connection = _connected(address) if waiting else None
        if waiting:
            mailbox.close(f"the model server is gone; its last words: {last_words(address.log)}")

    threading.Thread(target=run, args=(connection,), name="t2a-client", daemon=True).start()


def identity_of(spec: str, address: ServerAddress) -> Mapping[str, str]:
    """Ask the server what the condition of a spec string is; raises InterfaceError where that cannot be known."""
    for _ in range(ATTEMPTS):
        connection = _connected(address)
        if connection is None:
            break
        try:
            with connection:
                wire.send(connection, {"identify": spec})
                answer = next(wire.messages(connection), {})
        except (OSError, ValueError):
            continue
        if "identity" in answer:
            return {str(name): str(value) for name, value in answer["identity"].items()}
        if "unknown" in answer:
            raise InterfaceError(answer["unknown"])
    raise InterfaceError(f"{shown_text(spec)}: the model server is gone; its last words: {last_words(address.log)}")


def _connected(address: ServerAddress) -> socket | None:
    try:
        return connect(address)
    except OSError:
        return None


def _outcome(message: Mapping[str, object]) -> tuple[str, Transcript | str]:
    heard = message.get("transcript")
    return str(message["job"]), Transcript.from_json(heard) if isinstance(heard, dict) else str(message["failure"])

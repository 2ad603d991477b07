"""The thin side of the model server: whoever needs transcripts hands in jobs and reads them as they are ready."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, socket

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.mailbox import Mailbox
from pytest_talk2agent.interfaces.spec import shown_text
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.transcript import Transcript

LAST_WORDS = 3
LAST_BYTES = 1 << 16
LONGEST_WORD = 500
ATTEMPTS = 20
"""How often a client comes back without having got anything in between."""


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

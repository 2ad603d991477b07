"""The thin side of the model server: a worker hands in its jobs and reads transcripts as they are ready."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.mailbox import Mailbox
from pytest_talk2agent.results.transcript import Transcript

LAST_WORDS = 3


@dataclass(frozen=True)
class ServerAddress:
    """Where the server listens (loopback), the key that it asks for, and the file that its words go to."""

    port: int
    key: str
    log: str


def connect(address: ServerAddress) -> socket.socket:
    """Open a connection; raises OSError where no server will answer any more."""
    return socket.create_connection(("127.0.0.1", address.port))


def last_words(log: str) -> str:
    """The last lines the server wrote, joined to one."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return "it left no log"
    said = [line.strip() for line in lines if line.strip()][-LAST_WORDS:]
    return " | ".join(said) if said else "it said nothing"


def start_remote(jobs: Sequence[Job], address: ServerAddress) -> Mailbox:
    """Ask the server for these jobs; the mailbox fills in the background and is closed if the server dies."""
    mailbox = Mailbox()

    def run() -> None:
        try:
            with connect(address) as connection:
                wire.send(connection, {"key": address.key, "jobs": [job.to_json() for job in jobs]})
                for message in wire.messages(connection):
                    if "transcript" in message:
                        mailbox.deliver(message["job"], Transcript.from_json(message["transcript"]))
                    elif "failure" in message:
                        mailbox.deliver(message["job"], message["failure"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        finally:
            mailbox.close(f"the model server is gone; its last words: {last_words(address.log)} (log: {address.log})")

    threading.Thread(target=run, name="t2a-client", daemon=True).start()
    return mailbox

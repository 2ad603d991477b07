"""The model server: one process that holds the models for all xdist workers.

Started by `engine.owner` as ``python -m pytest_talk2agent.engine.server FD``, where FD is a listening socket it
inherits; the set-up follows on standard input as one JSON line. It ends when standard input closes, so it cannot
outlive the process that owns it.
"""

from __future__ import annotations

import hmac
import json
import os
import queue
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript

SEND_SECONDS = 30


class Server:
    """Transcribes each job once and tells every client that asked for it."""

    def __init__(self, key: str, store: Store, setup: Setup) -> None:
        self._key = key
        self._store = store
        self._setup = setup
        self._lock = threading.Lock()
        self._known: dict[str, Mapping[str, Any] | None] = {}
        self._clients: dict[socket.socket, set[str]] = {}
        self._waiting: queue.Queue[list[Job]] = queue.Queue()
        self._before = self._now = Progress(0)

    def serve(self, listener: socket.socket) -> None:
        """Accept clients for ever; transcription runs in a thread of its own."""
        threading.Thread(target=self._work, name="transcription", daemon=True).start()
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self._client, args=(connection,), daemon=True).start()

    def _client(self, connection: socket.socket) -> None:
        try:
            with connection:
                # A client that is suspended must not keep the others from their transcripts: it is dropped.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
                for message in wire.messages(connection):
                    if not hmac.compare_digest(str(message.get("key", "")).encode(), self._key.encode()):
                        return
                    self._admit(connection, message["jobs"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        finally:
            with self._lock:
                self._clients.pop(connection, None)

    def _admit(self, connection: socket.socket, jobs: list[dict[str, Any]] | None) -> None:
        if jobs is None:
            wire.send(connection, {"progress": asdict(self._before + self._now)})
            return
        wanted = [Job.from_json(job) for job in jobs]
        with self._lock:
            self._clients[connection] = {job.key for job in wanted}
            fresh = [job for job in wanted if job.key not in self._known]
            for job in wanted:
                message = self._known.get(job.key)
                if message is not None:
                    wire.send(connection, message)
            for job in fresh:
                self._known[job.key] = None
        if fresh:
            self._waiting.put(fresh)

    def _work(self) -> None:
        try:
            while True:
                jobs = self._waiting.get()
                transcribe_all(jobs, self._store, self._setup, self._deliver, self._note)
                self._before, self._now = self._before + self._now, Progress(0)
        except BaseException:
            # Without this thread nobody would be answered any more: better dead than silent.
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def _note(self, now: Progress) -> None:
        self._now = now

    def _deliver(self, key: str, outcome: Transcript | str) -> None:
        if isinstance(outcome, Transcript):
            message: dict[str, Any] = {"job": key, "transcript": outcome.to_json()}
        else:
            message = {"job": key, "failure": outcome}
        with self._lock:
            self._known[key] = message
            for connection, wanted in list(self._clients.items()):
                if key not in wanted:
                    continue
                try:
                    wire.send(connection, message)
                except OSError:
                    self._clients.pop(connection, None)


def _die_with_owner() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    """Run the server on the inherited socket."""
    said = json.loads(sys.stdin.readline())
    threading.Thread(target=_die_with_owner, daemon=True).start()
    sys.path[:] = said["path"]
    listener = socket.socket(fileno=int(sys.argv[1]))
    Server(said["key"], Store(Path(said["store"])), Setup(**said["setup"])).serve(listener)


if __name__ == "__main__":
    main()

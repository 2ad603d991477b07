"""The model server: one process that holds the models of a run, however many processes run its items.

Started by `engine.owner`, under a keeper, as ``python -m pytest_talk2agent.engine.server LISTENER ACTIVITY SETUP``,
three inherited file descriptors: a listening socket, a pipe for what it does (see `engine.progress`), and a pipe that
begins with the set-up as one JSON line. It ends when that pipe closes, so it cannot outlive the process that owns it.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.job import Job, Setup, spec_of
from pytest_talk2agent.engine.progress import Progress, Reporter
from pytest_talk2agent.engine.transcription import identify, transcribe_all
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript

SEND_SECONDS = 30
KEY_SECONDS = 10.0
STRANGERS = 64
"""How many connections may be open at once before they have sent the key."""


@dataclass(frozen=True)
class Losses:
    """What died with earlier servers of the run: jobs by key, and interfaces by spec string, each with the reason."""

    jobs: Mapping[str, str] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)

    def reason(self, key: str) -> str | None:
        """Why this job is not to be tried, if so."""
        return self.jobs.get(key) or self.given_up.get(spec_of(key))


class Server:
    """Transcribes each job once and tells every client that asked for it."""

    def __init__(self, key: str, store: Store, setup: Setup, reporter: Reporter, losses: Losses = Losses()) -> None:
        self._key = key
        self._store = store
        self._setup = setup
        self._reporter = reporter
        self._losses = losses
        self._lock = threading.Lock()
        self._known: dict[str, Mapping[str, Any] | None] = {}
        self._clients: dict[socket.socket, set[str]] = {}
        self._identities: dict[str, dict[str, Any]] = {}
        self._identifying = threading.Lock()
        self._waiting: queue.Queue[list[Job]] = queue.Queue()
        self._strangers = threading.BoundedSemaphore(STRANGERS)
        self._before = self._now = Progress(0)

    def serve(self, listener: socket.socket) -> None:
        """Accept clients until the process ends; transcription runs in its own thread."""
        threading.Thread(target=self._work, name="transcription", daemon=True).start()
        while True:
            connection, _ = listener.accept()
            if self._strangers.acquire(blocking=False):
                threading.Thread(target=self._client, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _client(self, connection: socket.socket) -> None:
        try:
            with connection:
                try:
                    known = wire.has_key(connection, self._key, KEY_SECONDS)
                finally:
                    self._strangers.release()
                if not known:
                    return
                # A client that is suspended must not keep the others from their transcripts: it is dropped.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
                for message in wire.messages(connection):
                    if "identify" in message:
                        wire.send(connection, self._identity(str(message["identify"])))
                    else:
                        self._admit(connection, message["jobs"], again=bool(message.get("again")))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        finally:
            with self._lock:
                self._clients.pop(connection, None)

    def _identity(self, spec: str) -> dict[str, Any]:
        """The answer to a request for a condition's identity. Computed once for each, since it may load a model."""
        with self._identifying:
            if spec not in self._identities:
                key = f"{spec}\n"
                reason = self._losses.reason(key)
                if reason is not None:
                    return {"unknown": reason}
                try:
                    self._identities[spec] = {"identity": identify(spec, self._setup, self._reporter.doing, key)}
                except InterfaceError as error:
                    return {"unknown": str(error)}
            return self._identities[spec]

    def _admit(self, connection: socket.socket, jobs: list[dict[str, Any]], *, again: bool) -> None:
        wanted = [Job.from_json(job) for job in jobs]
        with self._lock:
            self._clients[connection] = {job.key for job in wanted}
            for job in wanted:
                message = self._known.get(job.key)
                if again and message is not None and "failure" in message:
                    del self._known[job.key]
            fresh: list[Job] = []
            for job in wanted:
                if job.key not in self._known:
                    reason = self._losses.reason(job.key)
                    self._known[job.key] = None if reason is None else {"job": job.key, "failure": reason}
                    if reason is None:
                        fresh.append(job)
                message = self._known[job.key]
                if message is not None:
                    wire.send(connection, message)
        if fresh:
            self._waiting.put(fresh)

    def _work(self) -> None:
        try:
            while True:
                jobs = self._waiting.get()
                self._note(Progress(len(jobs)))
                transcribe_all(jobs, self._store, self._setup, self._deliver, self._note, self._reporter.doing)
                self._reporter.remarks(f"stored record {line}; made anew" for line in self._store.rejected)
                self._before, self._now = self._before + self._now, Progress(0)
        except BaseException:
            # Without this thread no client would get an answer any more, so the process must end.
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def _note(self, now: Progress) -> None:
        self._now = now
        self._reporter.progress(self._before + now)

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


def _die_with_owner(setup: int) -> None:
    while os.read(setup, 4096):
        pass
    os._exit(0)


def main(arguments: Sequence[str]) -> None:
    """Run the server on the inherited descriptors."""
    listener, activity, setup = map(int, arguments)
    said = b""
    while not said.endswith(b"\n"):
        more = os.read(setup, 2**16)
        if not more:
            return
        said += more
    begin = json.loads(said)
    threading.Thread(target=_die_with_owner, args=(setup,), daemon=True).start()
    sys.path[:] = begin["path"]
    losses = Losses(begin["lost"], begin["given_up"])
    server = Server(begin["key"], Store(Path(begin["store"])), Setup(**begin["setup"]), Reporter(activity), losses)
    server.serve(socket.socket(fileno=listener))


if __name__ == "__main__":
    main(sys.argv[1:])

"""How far a transcription pass has come, and how the model server tells its owner.

The server writes JSON lines into a pipe. If it dies or takes longer than it may, the last line tells the owner which
jobs were under way: they become errors, and the others go on.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.tasks.errors import counted


@dataclass(frozen=True)
class Progress:
    """Recordings of a pass, how many of them are finished, and of those how many were stored already or failed."""

    total: int
    done: int = 0
    stored: int = 0
    failed: int = 0

    def __add__(self, other: Progress) -> Progress:
        """Two passes together."""
        return Progress(
            self.total + other.total, self.done + other.done, self.stored + other.stored, self.failed + other.failed
        )

    def __str__(self) -> str:
        """One line on what was done."""
        fresh = self.done - self.stored - self.failed
        parts = [
            f"{self.stored} of {self.total} transcripts from the store",
            f"{counted(fresh, 'recording')} transcribed",
        ]
        return ", ".join([*parts, f"{self.failed} failed"] if self.failed else parts)


class Counter:
    """Delivers each job of a pass exactly once and reports progress."""

    def __init__(
        self, total: int, deliver: Callable[[str, Transcript | str], None], report: Callable[[Progress], None]
    ) -> None:
        self._deliver = deliver
        self._report = report
        self.progress = Progress(total)
        self._delivered: set[str] = set()

    def deliver(self, job: Job, outcome: Transcript | str, *, stored: bool = False) -> None:
        """Deliver the transcript of a job, or one line that says why it has none."""
        if job.key in self._delivered:
            return
        self._delivered.add(job.key)
        before = self.progress
        failed = isinstance(outcome, str)
        self.progress = replace(
            before, done=before.done + 1, stored=before.stored + stored, failed=before.failed + failed
        )
        self._report(self.progress)
        self._deliver(job.key, outcome)


LONGEST_LINE = 1 << 24


@dataclass(frozen=True)
class Doing:
    """The keys of the jobs that are under way, the seconds they may take, and when, by `time.monotonic`, these end."""

    keys: tuple[str, ...] = ()
    seconds: float = float("inf")
    deadline: float = float("inf")


class Reporter:
    """The server's side. Thread-safe; once the owner is gone, messages are dropped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def doing(self, keys: Sequence[str], seconds: float | None) -> None:
        """Report which jobs begin now and how long they may take; no keys: nothing is under way."""
        self._write({"doing": list(keys), "seconds": seconds})

    def progress(self, progress: Progress) -> None:
        """Report the progress of the current pass."""
        self._write({"progress": asdict(progress)})

    def remarks(self, lines: Iterable[str]) -> None:
        """Report remarks to be shown with the verdict."""
        for line in lines:
            self._write({"remark": line})

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                return


class Follower:
    """The owner's side: what the server said last."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self.doing = Doing()
        self.progress = Progress(0)
        self.remarks: list[str] = []

    def fileno(self) -> int:
        """What `select` waits for."""
        return self._descriptor

    def read(self) -> bool:
        """Read what has arrived, waiting for it if necessary; False when the server has closed its side."""
        data = os.read(self._descriptor, 2**16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            # A recogniser of the user's own shares this process and can write here too; watching must go on.
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                self._take(json.loads(line))
        return bool(data)

    def _take(self, message: dict[str, Any]) -> None:
        if "doing" in message:
            seconds = float("inf") if message["seconds"] is None else float(message["seconds"])
            self.doing = Doing(tuple(map(str, message["doing"])), seconds, time.monotonic() + seconds)
        elif "progress" in message:
            self.progress = Progress(**message["progress"])
        elif (remark := str(message["remark"])) not in self.remarks:
            self.remarks.append(remark)

"""What the model server tells its owner while it works: what it does, how far it has come, what is worth a remark.

The server writes JSON lines into a pipe. When it dies, or takes longer than it may, the owner knows from the last of
them which jobs were under way: these are errors, and the others go on.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from pytest_talk2agent.engine.progress import Progress

LONGEST_LINE = 1 << 24


@dataclass(frozen=True)
class Doing:
    """The keys of the jobs that are under way, the seconds they may take, and when, by `time.monotonic`, these end."""

    keys: tuple[str, ...] = ()
    seconds: float = float("inf")
    deadline: float = float("inf")


class Reporter:
    """The server's side. Safe for threads; an owner that is gone is nobody to tell."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def doing(self, keys: Sequence[str], seconds: float | None) -> None:
        """Say what begins now and how long it may take at most; no keys: nothing is under way."""
        self._write({"doing": list(keys), "seconds": seconds})

    def progress(self, progress: Progress) -> None:
        """Say how far the present pass has come."""
        self._write({"progress": asdict(progress)})

    def remarks(self, lines: Iterable[str]) -> None:
        """Say what whoever reads the verdict should know."""
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
        """Take in what is there to be read, at least once it is; False when the server has closed its side."""
        data = os.read(self._descriptor, 2**16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            # What a recogniser of the user's own runs in can write here, too; this must go on to watch it.
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

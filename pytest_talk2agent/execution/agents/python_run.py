"""The process in which a Python function acts: it asks the run for every command of the sandbox."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.execution.session import text_sha256
from pytest_talk2agent.execution.usage import processes_of

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_GLANCE = 0.1
"""Seconds between two looks whether the run is still there."""
_TRIES = 100


@dataclass(frozen=True)
class Result:
    """How a command ended: its exit status, and what it printed on both streams, clipped."""

    status: int
    output: str


class Sandboxed:
    """What an agent's function gets as its workspace."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lines = channel.makefile("rb")
        self._lock = threading.Lock()

    def run(self, command: str) -> Result:
        """Run a shell command in the sandbox; it begins in the agent's home."""
        with self._lock:
            self.send({"kind": "run", "command": command})
            answer = self.receive()
        return Result(answer["status"], answer["output"])

    def send(self, message: dict[str, Any]) -> None:
        """Send one message to the run."""
        self._channel.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """The next message of the run, which ends this process when it has ended itself."""
        line = self._lines.readline()
        if not line:
            os._exit(1)
        message: dict[str, Any] = json.loads(line)
        return message


def _end_with(run: int) -> None:
    """End this process with all that it started as soon as the run has ended, which may have been killed."""
    while os.getppid() == run:
        time.sleep(_GLANCE)
    for _ in range(_TRIES):
        started = [pid for pid in processes_of(os.getpid()) if pid != os.getpid()]
        if not started:
            break
        for pid in started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_GLANCE / 10)
    os._exit(1)


def main() -> None:
    """Call the function that the first message names."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    workspace = Sandboxed(socket.socket(fileno=int(sys.argv[1])))
    task = workspace.receive()
    try:
        function = vars(importlib.import_module(task["module"]))[task["function"]]
        transcript = task["transcript"]
        workspace.send({"kind": "received", "sha256": text_sha256(transcript)})
        function(transcript, workspace)
    except BaseException as error:
        why = "".join(traceback.format_exception_only(error)).strip()
        workspace.send({"kind": "failed", "why": why})
    else:
        workspace.send({"kind": "done"})
    workspace.receive()


if __name__ == "__main__":
    main()

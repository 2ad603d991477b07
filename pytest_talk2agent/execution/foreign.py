"""A foreign environment in a process of its own: one trial asked for, its messages read, nothing of it left running."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.session import InfrastructureError

_SECONDS_TO_STOP = 60
"""Containers take a while to end."""
_MOST_MESSAGE = 64 << 20
_MOST_SAID = 300


@dataclass(frozen=True)
class Told:
    """What a process said of its trial.

    Attributes:
        received: SHA-256 of the text that the agent was given; None where it was given none.
        steps: the actions that it reported.
        end: its last message; None where it ran longer than it may.
    """

    received: str | None
    steps: tuple[str, ...]
    end: Mapping[str, Any] | None


def ask(who: str, words: Sequence[str], request: Mapping[str, Any], seconds: float, log: Path) -> Told:
    """Run one trial within ``seconds``: a program that reads the request, and is told a descriptor for its messages.

    A line is an object whose ``kind`` is ``received`` (``sha256``), ``step`` (``action``), ``failed`` (``why``), or
    another one, which is the end. What it prints goes into ``log``.

    Raises:
        InfrastructureError: where it fails or ends before it is done.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as channel, log.open("wb") as printed:
        try:
            process = subprocess.Popen(
                [*words, str(writing)],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                pass_fds=(writing,),
                env={**os.environ, "HARBOR_TELEMETRY": "0"},
                start_new_session=True,
            )
        finally:
            os.close(writing)
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            return _read(who, channel.fileno(), time.monotonic() + seconds, log)
        finally:
            _stop(process)


def _read(who: str, channel: int, end: float, log: Path) -> Told:
    received = None
    steps: list[str] = []
    buffer = b""
    while True:
        while b"\n" not in buffer:
            if not select.select([channel], [], [], max(0.0, end - time.monotonic()))[0]:
                return Told(received, tuple(steps), None)
            part = os.read(channel, 1 << 16)
            buffer += part
            if not part or len(buffer) > _MOST_MESSAGE:
                raise InfrastructureError(f"{who}'s process ended before it was done: {_said(log)}")
        line, _, buffer = buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if message["kind"] == "received":
            received = str(message["sha256"])
        elif message["kind"] == "step":
            steps.append(str(message["action"]))
        elif message["kind"] == "failed":
            raise InfrastructureError(f"{who} failed: {' '.join(message['why'].split())[-_MOST_SAID:]}")
        else:
            return Told(received, tuple(steps), message)


def _said(log: Path) -> str:
    """The last that Harbor printed."""
    with contextlib.suppress(OSError):
        return " ".join(log.read_text(encoding="utf-8", errors="replace").split())[-_MOST_SAID:] or "it said nothing"
    return "it said nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Let it end what it started, which closing its input asks for, and then end it with all that is left."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_STOP)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

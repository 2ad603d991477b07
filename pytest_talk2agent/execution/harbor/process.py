"""Harbor in a process of its own: one trial asked for, its messages read, and nothing of it left running."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.harbor import run
from pytest_talk2agent.execution.session import InfrastructureError

_SECONDS_TO_STOP = 60
"""Containers take a while to end."""
_MOST_MESSAGE = 64 << 20
_MOST_SAID = 300


def ask(request: Mapping[str, Any], seconds: float, log: Path) -> tuple[str | None, dict[str, Any]]:
    """Run one trial within ``seconds``; the SHA-256 of what its agent received, and what Harbor says of its end.

    What Harbor prints goes into ``log``.

    Raises:
        InfrastructureError: where it fails, is killed or takes longer.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as channel, log.open("wb") as printed:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", run.__name__, str(writing)],
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
            return _read(channel.fileno(), time.monotonic() + seconds, seconds, log)
        finally:
            _stop(process)


def _read(channel: int, end: float, seconds: float, log: Path) -> tuple[str | None, dict[str, Any]]:
    received = None
    buffer = b""
    while True:
        while b"\n" not in buffer:
            if not select.select([channel], [], [], max(0.0, end - time.monotonic()))[0]:
                raise InfrastructureError(f"Harbor took more than {seconds:g} s")
            part = os.read(channel, 1 << 16)
            buffer += part
            if not part or len(buffer) > _MOST_MESSAGE:
                raise InfrastructureError(f"Harbor's process ended before it was done: {_said(log)}")
        line, _, buffer = buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if message["kind"] == "received":
            received = str(message["sha256"])
        elif message["kind"] == "failed":
            raise InfrastructureError(f"Harbor failed: {' '.join(message['why'].split())[-_MOST_SAID:]}")
        else:
            return received, message


def _said(log: Path) -> str:
    """The last that Harbor printed."""
    with contextlib.suppress(OSError):
        return " ".join(log.read_text(encoding="utf-8", errors="replace").split())[-_MOST_SAID:] or "it said nothing"
    return "it said nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Let Harbor end what it started, which closing its input asks for, and then end it with all that is left."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_STOP)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

"""A program that is run to its end, within bounds of time and of what it prints; none of its children outlives it."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence

MOST_OUTPUT = 1 << 20
"""Bytes that a program may print on standard output."""
MOST_ERRORS = 16 << 20
"""Bytes that it may print on standard error: loaders of models are talkative. The end of it is kept."""

_KEPT_ERRORS = 1 << 16
_PIECE = 1 << 16
_TICK = 0.2
_LEFT_BEHIND = 1.0  # seconds in which a child that outlives the program may still print


def printed(words: Sequence[str], timeout: float) -> tuple[int, bytes, bytes]:
    """Run a program without input; its exit status, its standard output and the end of its standard error.

    It runs in a session of its own, and whatever is left of that is ended with it. Raises TimeoutError where it takes
    longer than ``timeout`` seconds, ValueError where it prints too much, OSError where it cannot be run.
    """
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    with process:
        try:
            out, err = _read(process, time.monotonic() + timeout)
        finally:
            # The whole session: a wrapper script's child would keep the pipes open, and an interrupted run leave it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out, err


def _read(process: subprocess.Popen[bytes], end: float) -> tuple[bytes, bytes]:
    """What a process prints until both streams end, or until a moment after it has ended itself."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err, errors = bytearray(), bytearray(), 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        ended_at: float | None = None
        while selector.get_map():
            now = time.monotonic()
            if now > end:
                raise TimeoutError
            if ended_at is not None and now > ended_at + _LEFT_BEHIND:
                break
            for key, _ in selector.select(min(_TICK, end - now)):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    out += piece
                    if len(out) > MOST_OUTPUT:
                        raise ValueError(f"printed more than {MOST_OUTPUT >> 20} MiB")
                else:
                    err += piece
                    del err[:-_KEPT_ERRORS]
                    errors += len(piece)
                    if errors > MOST_ERRORS:
                        raise ValueError(f"printed more than {MOST_ERRORS >> 20} MiB on standard error")
            if ended_at is None and process.poll() is not None:
                ended_at = time.monotonic()
    try:
        process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    return bytes(out), bytes(err)

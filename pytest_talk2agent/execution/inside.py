"""For programs of ours inside a sandbox that start foreign code and outlive it: answers, and ends.

Apart, as the check's and the grader's programs share it, and the programs outside must not.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

from pytest_talk2agent.execution.bubblewrap import PACKAGE

MOST_FILES = 4096
"""Descriptors of a process that may have to be closed."""
_MOST_ANSWER = 1 << 20
_SECONDS_TO_END = 2


def read_line(descriptor: int, seconds: float) -> tuple[bytes, bool]:
    """The first line that comes, and whether it took too long; what is longer than any answer is cut."""
    end = time.monotonic() + seconds
    found = b""
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            part = pipe.read(1 << 16)
            found += part
            if not part or b"\n" in part or len(found) > _MOST_ANSWER:
                return found.partition(b"\n")[0], False
    return found, True


def end_all(child: int) -> int:
    """End a process with all that it started, daemons too, so that nothing of it meets the next one; its status."""
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    end = time.monotonic() + _SECONDS_TO_END
    while _is_alone() and time.monotonic() < end:
        try:
            os.kill(-1, signal.SIGKILL)  # everybody but this process and the first one
        except ProcessLookupError:
            break
        select.select([], [], [], 0.001)
    return status


def _is_alone() -> bool:
    """Whether all processes that there are, are those of a sandbox: whoever ends them all must be sure."""
    return os.getppid() == 1 and sys.path[0] == PACKAGE and not Path("/etc/passwd").exists()


def set_dumpable(value: bool) -> None:
    """Whether processes of the same user may open this one's files and memory below /proc."""
    ctypes.CDLL(None).prctl(4, int(value), 0, 0, 0)  # PR_SET_DUMPABLE

"""A limit on processes that holds for root: a group of the kernel's pids controller, where one can be made.

Looking at processes from outside comes too late for a fork bomb on a busy machine, and the kernel's usual limit does
not count those of root. Only root can make a group, and only root needs it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CONTROLLER = Path("/sys/fs/cgroup/pids")
_OWN = Path("/proc/self/cgroup")
_ENTER = 'echo $$ > "$0" && exec "$@"'
_SECONDS_TO_END = 5


class TaskGroup:
    """A group of at most so many processes and threads."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        (folder / "pids.max").write_text(str(most))

    def inside(self, words: list[str]) -> list[str]:
        """The command that runs another one in the group."""
        return ["/bin/sh", "-c", _ENTER, str(self._folder / "cgroup.procs"), *words]

    @property
    def exceeded(self) -> bool:
        """Whether a process was refused."""
        try:
            return (self._folder / "pids.events").read_text().split()[-1:] not in ([], ["0"])
        except OSError:
            return False


@contextmanager
def task_group(most: int) -> Iterator[TaskGroup | None]:
    """A group for one command; None where this machine lets nobody make one."""
    folder = None
    group = None
    if os.geteuid() == 0:
        with contextlib.suppress(OSError, StopIteration):
            lines = _OWN.read_text().splitlines()
            own = next(line.rpartition(":")[2] for line in lines if line.split(":")[1] == "pids")
            place = _CONTROLLER / own.lstrip("/") / f"t2a-{os.getpid()}-{secrets.token_hex(4)}"
            place.mkdir()
            folder = place
            group = TaskGroup(place, most)
    try:
        yield group
    finally:
        end = time.monotonic() + _SECONDS_TO_END
        while folder is not None and folder.is_dir() and time.monotonic() < end:
            try:
                folder.rmdir()
            except OSError:  # its last process is about to be gone
                time.sleep(0.002)

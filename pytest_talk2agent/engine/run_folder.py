"""The folder of one run: everything temporary is in it, so that it can be swept as a whole.

The process that makes a folder holds a lock on it for as long as it lives, however it ends. So a folder whose lock can
be had belongs to a dead run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

PREFIX = "t2a-run-"
LOCK = "lock"
UNFINISHED_SECONDS = 60


class RunFolder:
    """Made at once, under the folder for temporary files; `remove` or a later `sweep` takes it away."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Take the folder away, with all that is in it. Twice is once."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self._lock)


def sweep() -> None:
    """Remove the folders of runs that have died, of this user's alone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink() and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:  # it is just being made or taken away, unless its maker died in between
        return time.time() - folder.stat().st_mtime > UNFINISHED_SECONDS
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True

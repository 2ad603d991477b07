"""Temporary folders that are gone when their owner is, however that ends: the next owner deletes what a kill left.

A folder is made under the process id of its owner, locked, and only then given its name. So a named folder without a
lock belongs to a dead process, and an unnamed one does where no process has its id.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from pytest_talk2agent.execution.bubblewrap import end_orphans

RUN = "t2a-run-"
"""What the engine needs for one run."""
WORKSPACE = "t2a-workspace-"
"""Where an agent works."""
_UNNAMED = "t2a-unnamed-"


class ScratchFolder:
    """A new temporary folder, locked for as long as this process lives.

    Making one deletes those of processes that were killed. Raises OSError where it cannot be made.
    """

    def __init__(self, prefix: str = WORKSPACE) -> None:
        if prefix == WORKSPACE:
            end_orphans()
        _sweep(Path(tempfile.gettempdir()))
        unnamed = Path(tempfile.mkdtemp(prefix=f"{_UNNAMED}{os.getpid()}-"))
        self._lock: int | None = _locked(unnamed)
        self.path = unnamed.rename(unnamed.with_name(prefix + unnamed.name.rpartition("-")[2]))

    def delete(self) -> None:
        """Delete it with all that is in it, links not followed, also what was made unreadable. Twice is once."""
        _delete(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int:
    """Lock a folder for as long as this process lives. Raises BlockingIOError where another one has done that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(parent: Path) -> None:
    """Delete the folders of processes that were killed before they could, of this user's alone."""
    for prefix in (RUN, WORKSPACE, _UNNAMED):
        for folder in parent.glob(f"{prefix}*"):
            # Another process may be just deleting it, or hold it.
            with contextlib.suppress(OSError):
                if folder.lstat().st_uid == os.geteuid() and not (prefix == _UNNAMED and _is_being_made(folder)):
                    lock = _locked(folder)
                    _delete(folder)
                    os.close(lock)


def _is_being_made(folder: Path) -> bool:
    try:
        os.kill(int(folder.name.split("-")[2]), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _delete(folder: Path) -> None:
    """Delete a folder with all that is in it, also what was made unreadable."""
    for place, names, _ in os.walk(folder):
        for name in names:
            inner = Path(place, name)
            if not inner.is_symlink():
                with contextlib.suppress(OSError):
                    inner.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)

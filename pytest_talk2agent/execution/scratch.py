"""Temporary folders that are gone when their owner is, however that ends: the next owner deletes what a kill left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from pytest_talk2agent.execution.bubblewrap import end_orphans

_PREFIX = "t2a-workspace-"
_FRESH = 60
"""Seconds in which a folder without an owner is let alone."""


class ScratchFolder:
    """A new temporary folder, locked for as long as this process lives.

    Making one deletes those of processes that were killed. Raises OSError where it cannot be made.
    """

    def __init__(self) -> None:
        _sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _locked(self.path)

    def delete(self) -> None:
        """Delete it with all that is in it, links not followed, also what was made unreadable."""
        _delete(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives; None where another one has done that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _sweep(parent: Path) -> None:
    """Delete the workspaces of processes that were killed before they could, and end what they left."""
    end_orphans()
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if found.st_uid != os.geteuid() or time.time() - found.st_mtime < _FRESH:  # it may be about to be locked
                continue
            lock = _locked(folder)
            if lock is not None:
                _delete(folder)
                os.close(lock)


def _delete(folder: Path) -> None:
    """Delete a folder with all that is in it, also what was made unreadable."""
    for place, names, _ in os.walk(folder):
        for name in names:
            inner = Path(place, name)
            if not inner.is_symlink():
                with contextlib.suppress(OSError):
                    inner.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)

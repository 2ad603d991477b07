"""Files that outlive a crash: on the disk, whole, before anybody is told so.

`results.store.write_whole` is whole, too, but leaves it to the system when the bytes reach the disk: what it writes can
be made again. A take cannot.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o600


def write_durably(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file that holds the old bytes or the new, never a part, also after a loss of power. Raises OSError."""
    beside = _beside(path, data, mode)
    try:
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def create_durably(path: Path, data: bytes) -> None:
    """Write a file that is not there yet; raises FileExistsError where one is, and touches it not. Else OSError."""
    beside = _beside(path, data, 0o644)
    try:
        os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _beside(path: Path, data: bytes, mode: int) -> Path:
    beside = path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        # A disk that is full may still forget a file.
        with suppress(OSError):
            beside.unlink()
        raise
    return beside

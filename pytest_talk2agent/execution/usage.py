"""What a process and all that came of it use, read from ``/proc`` of the host, and what folders hold.

A limit of the kernel holds for one process (``RLIMIT_AS``), or not for root (``RLIMIT_NPROC``), and control groups are
seldom ours to make. So whoever runs foreign code looks at the whole tree, again and again, and ends it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

_PROC = Path("/proc")
_BLOCK = 512
_OWN = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_SHARED = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Usage:
    """``tasks`` are processes and threads; ``memory`` are bytes, of what is shared at most once for each process."""

    tasks: int
    memory: int


@dataclass(frozen=True)
class Stored:
    """``files`` are entries of every sort; ``size`` are bytes on the disk, so that holes count nothing.

    ``hidden`` tells whether there is a folder that cannot be read, so that nobody knows what it holds.
    """

    files: int
    size: int
    hidden: bool = False


def usage_of(pid: int, most_tasks: int) -> Usage:
    """What a process and its descendants use now; counting ends above ``most_tasks``, which may double meanwhile.

    One that ends meanwhile counts no more.
    """
    tasks = memory = 0
    for process in _tree(pid):
        tasks += len(_threads(process))
        if tasks > most_tasks:
            break
        memory += 1024 * sum(map(int, _OWN.findall(_read(process / "status"))))
    return Usage(tasks, memory)


def shared_memory_of(pid: int) -> int:
    """The bytes that a process and its descendants use, shared ones divided among them where that can be read.

    This takes longer, and is what counts where forked processes share most of what they have.
    """
    found = 0
    for process in _tree(pid):
        sizes = _SHARED.findall(_read(process / "smaps_rollup")) or _OWN.findall(_read(process / "status"))
        found += 1024 * sum(map(int, sizes))
    return found


def processes_of(pid: int) -> list[int]:
    """The process and its descendants, without those that have ended and wait to be asked how."""
    return [int(path.name) for path in _tree(pid) if _read(path / "stat").rpartition(b")")[2].split()[:1] != [b"Z"]]


def stored_in(folders: Iterable[Path], most_files: int) -> Stored:
    """What folders hold, links not followed; counting ends above ``most_files``."""
    files = size = 0
    hidden = False
    todo = [os.fspath(folder) for folder in folders]
    while todo and files <= most_files:
        try:
            with os.scandir(todo.pop()) as entries:
                present = list(islice(entries, most_files + 1))
        except PermissionError:
            hidden = True
            continue
        except OSError:  # deleted meanwhile
            continue
        for entry in present:
            files += 1
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            size += found.st_blocks * _BLOCK
            if stat.S_ISDIR(found.st_mode):
                todo.append(entry.path)
    return Stored(files, size, hidden)


def _tree(pid: int) -> Iterator[Path]:
    """The process and its descendants; an orphan of a process namespace hangs on the first process of that."""
    todo, seen = [pid], set()
    while todo:
        process = todo.pop()
        if process in seen:
            continue
        seen.add(process)
        yield _PROC / str(process)
        for thread in _threads(_PROC / str(process)):
            todo.extend(map(int, _read(thread / "children").split()))


def _threads(process: Path) -> list[Path]:
    try:
        return list((process / "task").iterdir())
    except OSError:
        return []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""

"""What holds a sandbox where the kernel's limits do not: a filter of system calls, and a watch on the whole tree.

Memory that belongs to no process (System V segments, files of ``memfd_create``) escapes every limit on processes and on
file systems. Looking into other processes, keys, tracing and the kernel's own programs are refused, too. A call that is
refused fails with EPERM or ENOSYS, and programs go on without it.

A limit of the kernel holds for one process (``RLIMIT_AS``), or not for root (``RLIMIT_NPROC``), and control groups are
seldom ours to make. So whoever runs foreign code looks at the whole tree, again and again, and ends it.
"""

from __future__ import annotations

import errno
import json
import platform
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

_OTHER_ABI = 0x40000000  # x32: the same calls by other numbers
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def syscall_filter(machine: str | None = None) -> bytes | None:
    """The filter for a machine (this one), None for one whose numbers are not known here.

    Calls of another architecture than the machine's own end the process.
    """
    # Numbers of system calls: <asm/unistd_64.h> and <asm-generic/unistd.h>.
    table = json.loads(files(__package__).joinpath("syscalls.json").read_text(encoding="utf-8"))
    known = table.get(machine or platform.machine())
    if known is None:
        return None
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, known["architecture"]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_ABI),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for name, number in known["calls"].items():
        # What is new may be missing in any kernel, and is fallen back from; a permission is another matter.
        why = errno.ENOSYS if name.startswith(("memfd", "io_uring")) else errno.EPERM
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | why)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


_PROC = Path("/proc")
_OWN = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_SHARED = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Usage:
    """``tasks`` are processes and threads; ``memory`` are bytes, of what is shared at most once for each process."""

    tasks: int
    memory: int


def usage_of(pid: int) -> Usage:
    """What a process and its descendants use now. One that ends meanwhile counts no more."""
    tasks = memory = 0
    for process in _tree(pid):
        tasks += len(_threads(process))
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

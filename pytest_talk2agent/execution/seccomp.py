"""A filter of system calls, as the kernel takes it: what foreign code can do without, and no limit counts.

Apart, as it is made of the kernel's numbers alone and starts nothing.

Memory that belongs to no process (System V segments, files of ``memfd_create``) escapes every limit on processes and
on file systems. Looking into other processes, keys, tracing and the kernel's own programs are refused, too. A call that
is refused fails with EPERM or ENOSYS, and programs go on without it.
"""

from __future__ import annotations

import errno
import json
import platform
import struct
from importlib.resources import files

_OTHER_ABI = 0x40000000  # x32: the same calls by other numbers
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def program(machine: str | None = None) -> bytes | None:
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

"""A filter of system calls, as the kernel takes it: what foreign code can do without, and no limit counts.

Memory that belongs to no process (System V segments, files of ``memfd_create``) escapes every limit on processes and
on file systems. Looking into other processes, keys, tracing and the kernel's own programs are refused, too. A call that
is refused fails with EPERM or ENOSYS, and programs go on without it.
"""

from __future__ import annotations

import errno
import platform
import struct

# Numbers of system calls: <asm/unistd_64.h> and <asm-generic/unistd.h>.
_CALLS: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "shmget": 29,
            "msgget": 68,
            "ptrace": 101,
            "unshare": 272,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "perf_event_open": 298,
            "setns": 308,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "kcmp": 312,
            "memfd_create": 319,
            "bpf": 321,
            "userfaultfd": 323,
            "io_uring_setup": 425,
            "pidfd_getfd": 438,
            "memfd_secret": 447,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "shmget": 194,
            "msgget": 186,
            "ptrace": 117,
            "unshare": 97,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "perf_event_open": 241,
            "setns": 268,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "kcmp": 272,
            "memfd_create": 279,
            "bpf": 280,
            "userfaultfd": 282,
            "io_uring_setup": 425,
            "pidfd_getfd": 438,
            "memfd_secret": 447,
        },
    ),
}
_OTHER_ABI = 0x40000000  # x32: the same calls by other numbers
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def program(machine: str | None = None) -> bytes | None:
    """The filter for a machine (this one), None for one whose numbers are not known here.

    Calls of another architecture than the machine's own end the process.
    """
    known = _CALLS.get(machine or platform.machine())
    if known is None:
        return None
    architecture, calls = known
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_ABI),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for name, number in calls.items():
        # What is new may be missing in any kernel, and is fallen back from; a permission is another matter.
        why = errno.ENOSYS if name.startswith(("memfd", "io_uring")) else errno.EPERM
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | why)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)

"""A bubblewrap sandbox: for a Python module of ours that runs foreign code, or for a program of anybody's.

Inside there is no network, no home, no environment and no process of the host; the system and this interpreter's
packages are read-only, and what is written outside of writable mounts is gone at the end. Without bubblewrap nothing is
run at all.

Limits come in three sorts. The kernel holds those of one process and the sizes of file systems. A filter refuses system
calls whose memory no limit counts (`seccomp`). Processes and memory of the whole tree, and what it stores in writable
mounts, are watched from outside (`usage`) and the sandbox is ended where they are exceeded; that holds for root as
well, for whom the kernel's limit on processes does not. Where it can be, the number of processes is also held by a
group of the kernel's (`task_group`).
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Event
from typing import BinaryIO

from pytest_talk2agent.execution import seccomp
from pytest_talk2agent.execution.bubblewrap import PACKAGE, Mount, SandboxError, Setting, end_orphans, form
from pytest_talk2agent.execution.task_group import TaskGroup, task_group
from pytest_talk2agent.execution.usage import shared_memory_of, stored_in, usage_of

__all__ = ["PACKAGE", "Ended", "Limits", "Mount", "Sandbox", "SandboxError", "Setting"]

_OWN_TASKS = 3
"""Bubblewrap outside, bubblewrap as the first process inside, and the program."""
_GLANCE = 0.02
"""Seconds between two looks at what the tree uses."""
_SECONDS_TO_END = 10
_COUNTED_APART = (5, 14)
"""Since this Linux a limit on processes counts those of the sandbox, and no others of the same user."""
_START = """\
import os, resource, sys
for number, descriptor in enumerate({descriptors!r}):
    os.dup2(descriptor, number)
    os.close(descriptor)
for name, most in {limits!r}.items():
    resource.setrlimit(getattr(resource, name), (most, most))
"""
_MODULE = """\
import runpy
sys.path[0] = {package!r}
runpy.run_module({module!r}, run_name="__main__")
"""
_PROGRAM = """\
words = {words!r}
try:
    os.execvp(words[0], words)
except OSError as error:
    os.write(2, (words[0] + ": " + error.strerror + "\\n").encode(errors="surrogateescape"))
    os._exit(127)
"""


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use.

    For all of it: ``seconds`` of wall time, ``tasks`` (processes and threads) at a time, bytes of ``memory`` at a time,
    bytes of ``output``, ``stored_bytes`` and ``stored_files`` in all writable mounts together. For each process:
    ``cpu_seconds``, bytes of ``address_space`` and of one file, open files.
    """

    seconds: float = 300
    tasks: int = 128
    memory: int = 2 << 30
    output: int = 16 << 20
    cpu_seconds: int = 300
    address_space: int = 4 << 30
    file_bytes: int = 256 << 20
    open_files: int = 256
    stored_bytes: int = 512 << 20
    stored_files: int = 20_000

    def resources(self) -> dict[str, int]:
        """Names in the module `resource` to the most that is allowed."""
        return {
            "RLIMIT_AS": self.address_space,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": 0,
            "RLIMIT_MSGQUEUE": 0,
            **({"RLIMIT_NPROC": self.tasks} if _release() >= _COUNTED_APART else {}),
        }


@dataclass(frozen=True)
class Ended:
    """How a program ended: what it wrote until then, and its status, or why it was ended (``stopped``).

    ``late`` tells whether it was ended because its time was over. ``status`` is negative where somebody else ended the
    sandbox, which nobody inside can.
    """

    output: str
    errors: str
    status: int | None
    stopped: str = ""
    late: bool = False

    @property
    def broken(self) -> str:
        """Why the sandbox itself failed; empty where it did not."""
        if self.status is not None and self.status < 0:
            return f"the sandbox was ended from outside, by signal {-self.status}"
        if self.status and not self.output and self.errors.startswith("bwrap: "):
            return f"the sandbox did not start: {self.errors.strip()}"
        return ""


class Sandbox:
    """Runs programs one after another, each in a sandbox of its own; only writable mounts outlive one.

    Args:
        setting: what is there besides the system.

    Raises:
        SandboxError: where bubblewrap is not installed, or this machine refuses it.
    """

    def __init__(self, setting: Setting | None = None) -> None:
        setting = setting or Setting()
        self._arguments = form().arguments(setting)
        self._stores = [mount.source for mount in setting.mounts if mount.writable]

    def run(self, module: str, request: str, limits: Limits) -> Ended:
        """Run a module of this package as the main program, with ``request`` on its standard input."""
        return self._run(["-s"], _MODULE.format(package=PACKAGE, module=module), request.encode(), limits, merge=False)

    def call(self, words: Sequence[str], given: bytes, limits: Limits, given_up: Event | None = None) -> Ended:
        """Run a program with ``given`` on its standard input; what it writes to either stream is its ``output``.

        One that is not there, or cannot be run, has the status 127. Another thread ends it by setting ``given_up``.
        """
        return self._run(["-I", "-S"], _PROGRAM.format(words=list(words)), given, limits, given_up, merge=True)

    def _run(
        self,
        options: Sequence[str],
        program: str,
        given: bytes,
        limits: Limits,
        given_up: Event | None = None,
        *,
        merge: bool,
    ) -> Ended:
        # Files, not pipes: nothing waits for a reader, and their size is limited, too.
        with ExitStack() as files:
            source, output, errors, calls = (files.enter_context(tempfile.TemporaryFile()) for _ in range(4))
            for stream, content in ((source, given), (calls, seccomp.program())):
                stream.write(content or b"")
                stream.seek(0)
            # Not as standard streams: bubblewrap keeps those open inside, where foreign code can reach them.
            own = [source.fileno(), output.fileno()]
            if merge:
                own.append(os.dup(output.fileno()))
                files.callback(os.close, own[-1])
            reading, writing = os.pipe()
            files.callback(os.close, reading)
            filtered = ["--seccomp", str(calls.fileno())] if seccomp.program() else []
            start = _START.format(limits=limits.resources(), descriptors=tuple(own))
            words = [*self._arguments, "--info-fd", str(writing), *filtered]
            words += [sys.executable, *options, "-c", start + program]
            try:
                group = files.enter_context(task_group(limits.tasks + _OWN_TASKS))
                process = subprocess.Popen(
                    words if group is None else group.inside(words),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env={},
                    pass_fds=(*own, writing, *([calls.fileno()] if filtered else [])),
                )
            finally:
                os.close(writing)
            stopped, late = "", False
            first = None
            try:
                first = _first_process(reading, files)
                stopped, late = self._watch(process, (output, errors), limits, group, given_up)
            finally:
                _end(first)
                process.kill()
                process.wait()
            if process.returncode < 0 and not stopped:
                end_orphans()
            _await_end(first)
            status = None if stopped else process.returncode
            return Ended(_text(output, limits.output), _text(errors, limits.output), status, stopped, late)

    def _watch(
        self,
        process: subprocess.Popen[bytes],
        streams: Sequence[BinaryIO],
        limits: Limits,
        group: TaskGroup | None,
        given_up: Event | None,
    ) -> tuple[str, bool]:
        """Wait for the end of a process; or else say which limit it met, and whether that was its time."""
        end = time.monotonic() + limits.seconds
        next_count = 0.0
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return f"its {limits.seconds:g} s were over", True
            if given_up is not None and given_up.is_set():
                return "nobody waits for it any more", False
            try:
                process.wait(min(left, _GLANCE))
            except subprocess.TimeoutExpired:
                pass
            else:
                return self._stored(limits), False
            used = usage_of(process.pid, limits.tasks + _OWN_TASKS)
            if used.tasks > limits.tasks + _OWN_TASKS or (group is not None and group.exceeded):
                return f"it had more than {limits.tasks} processes at a time", False
            if used.memory > limits.memory and shared_memory_of(process.pid) > limits.memory:
                return f"it used more than {limits.memory >> 20} MB of memory", False
            if any(os.fstat(stream.fileno()).st_size > limits.output for stream in streams):
                return f"it wrote more than {limits.output >> 20} MB", False
            if time.monotonic() >= next_count:
                began = time.monotonic()
                if full := self._stored(limits):
                    return full, False
                # Counting many files takes long: never more than a fifth of the time.
                next_count = time.monotonic() + max(2 * _GLANCE, 4 * (time.monotonic() - began))

    def _stored(self, limits: Limits) -> str:
        """Which limit is met by what is stored in the writable mounts."""
        stored = stored_in(self._stores, limits.stored_files)
        if stored.files > limits.stored_files:
            return f"it stored more than {limits.stored_files} files"
        if stored.hidden:
            return "it made a folder that cannot be read, so nobody knows how much it stored"
        if stored.size > limits.stored_bytes:
            return f"it stored more than {limits.stored_bytes >> 20} MB"
        return ""


def _first_process(reading: int, files: ExitStack) -> int | None:
    """A handle of the first process inside; when that has ended, nothing of the sandbox runs."""
    said = b""
    while b"}" not in said and (part := os.read(reading, 4096)):
        said += part
    try:
        handle = os.pidfd_open(json.loads(said)["child-pid"])
    except (ValueError, KeyError, OSError):
        return None
    files.callback(os.close, handle)
    return handle


def _end(first: int | None) -> None:
    """End all that runs in a sandbox."""
    if first is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)


def _await_end(first: int | None) -> None:
    """Wait until all that ran in a sandbox is gone."""
    if first is not None:
        select.select([first], [], [], _SECONDS_TO_END)


def _text(stream: BinaryIO, most: int) -> str:
    stream.seek(0)
    return stream.read(most).decode(errors="replace")


def _release() -> tuple[int, ...]:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2] if part.isdecimal())

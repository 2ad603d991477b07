"""A bubblewrap sandbox for a Python program of ours that runs foreign code.

Inside there is no network, no home, no environment and no process of the host; the system and this interpreter's
packages are read-only, and what is written is gone at the end. Without bubblewrap nothing is run at all.

Limits come in three sorts. The kernel holds those of one process and the sizes of file systems. A filter refuses system
calls whose memory no limit counts (`seccomp`). Processes and memory of the whole tree are watched from outside
(`usage`) and the sandbox is ended where they are exceeded; that holds for root as well, for whom the kernel's limit on
processes does not.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

import pytest_talk2agent
from pytest_talk2agent.execution import seccomp
from pytest_talk2agent.execution.usage import shared_memory_of, usage_of

HOME = "/root"
PACKAGE = "/talk2agent"
"""Where this package is inside."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
_ISOLATION = (
    *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
)
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",  # a pool of threads would reserve more memory than the limit allows
}
_SCRATCH_BYTES = 512 << 20
"""The most that each writable folder holds."""
_SHM_BYTES = 64 << 20
_OWN_TASKS = 3
"""Bubblewrap outside, bubblewrap as the first process inside, and the program."""
_GLANCE = 0.02
"""Seconds between two looks at what the tree uses."""
_COUNTED_APART = (5, 14)
"""Since this Linux a limit on processes counts those of the sandbox, and no others of the same user."""
_START = """\
import os, resource, runpy, sys
for number, descriptor in enumerate({descriptors!r}):
    os.dup2(descriptor, number)
    os.close(descriptor)
for name, most in {limits!r}.items():
    resource.setrlimit(getattr(resource, name), (most, most))
sys.path[0] = {package!r}
runpy.run_module({module!r}, run_name="__main__")
"""


class SandboxError(ValueError):
    """The sandbox cannot be had on this machine; the text says what to do."""


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use.

    For all of it: ``seconds`` of wall time, ``tasks`` (processes and threads) at a time, bytes of ``memory`` at a time,
    bytes of ``output``. For each process: ``cpu_seconds``, bytes of ``address_space`` and of one file, open files.
    """

    seconds: float = 300
    tasks: int = 128
    memory: int = 2 << 30
    output: int = 16 << 20
    cpu_seconds: int = 300
    address_space: int = 4 << 30
    file_bytes: int = 256 << 20
    open_files: int = 256

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
    """How a program ended: what it wrote until then, and its status, or why it was ended (``stopped``)."""

    output: str
    errors: str
    status: int | None
    stopped: str = ""


@dataclass(frozen=True)
class _Form:
    """A way to call bubblewrap. A nested one may not mount /proc and does without; an older one knows fewer options."""

    program: str
    fresh_proc: bool
    strict: bool

    def arguments(self, folders: Sequence[str]) -> list[str]:
        command = [self.program, *_ISOLATION]
        if self.strict:
            command.append("--disable-userns")
        for name, value in _ENVIRONMENT.items():
            command += ["--setenv", name, value]
        command += [*(["--proc", "/proc"] if self.fresh_proc else ["--dir", "/proc"]), "--dev", "/dev"]
        if self.strict:  # without a size, half of the machine's memory: then there is none
            command += ["--size", str(_SHM_BYTES), "--tmpfs", "/dev/shm"]
        for folder in ("/tmp", HOME, *folders):
            command += [*(["--size", str(_SCRATCH_BYTES)] if self.strict else []), "--tmpfs", folder]
        for source, target in _readable():
            command += ["--ro-bind", source, target]
        for link in _links():
            command += ["--symlink", str(link.readlink()), str(link)]
        return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]


class Sandbox:
    """Runs modules of this package, each in a sandbox of its own.

    Args:
        folders: absolute paths that are empty and writable inside, besides ``/tmp`` and ``/root``, the home.

    Raises:
        SandboxError: where bubblewrap is not installed, or this machine refuses it.
    """

    def __init__(self, folders: Sequence[str] = ()) -> None:
        self._arguments = _form().arguments(folders)

    def run(self, module: str, request: str, limits: Limits) -> Ended:
        """Run a module as the main program, with ``request`` on its standard input."""
        # Files, not pipes: nothing waits for a reader, and their size is limited, too.
        with ExitStack() as files:
            given, output, errors, calls = (files.enter_context(tempfile.TemporaryFile()) for _ in range(4))
            for stream, content in ((given, request.encode()), (calls, seccomp.program())):
                stream.write(content or b"")
                stream.seek(0)
            # Not as standard streams: bubblewrap keeps those open inside, where foreign code can reach them.
            own = (given.fileno(), output.fileno())
            program = _START.format(limits=limits.resources(), package=PACKAGE, module=module, descriptors=own)
            filtered = ["--seccomp", str(calls.fileno())] if seccomp.program() else []
            process = subprocess.Popen(
                [*self._arguments, *filtered, sys.executable, "-s", "-c", program],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={},
                pass_fds=(*own, *([calls.fileno()] if filtered else [])),
            )
            try:
                stopped = _watch(process, (output, errors), limits)
            finally:
                process.kill()
                process.wait()
            status = None if stopped else process.returncode
            return Ended(_text(output, limits.output), _text(errors, limits.output), status, stopped)


def _watch(process: subprocess.Popen[bytes], streams: Sequence[BinaryIO], limits: Limits) -> str:
    """Wait for the end of a process; or else say which limit it met."""
    end = time.monotonic() + limits.seconds
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return f"its {limits.seconds:g} s were over"
        try:
            process.wait(min(left, _GLANCE))
        except subprocess.TimeoutExpired:
            pass
        else:
            return ""
        used = usage_of(process.pid)
        if used.tasks > limits.tasks + _OWN_TASKS:
            return f"it had more than {limits.tasks} processes at a time"
        if used.memory > limits.memory and shared_memory_of(process.pid) > limits.memory:
            return f"it used more than {limits.memory >> 20} MB of memory"
        if any(os.fstat(stream.fileno()).st_size > limits.output for stream in streams):
            return f"it wrote more than {limits.output >> 20} MB"


def _text(stream: BinaryIO, most: int) -> str:
    stream.seek(0)
    return stream.read(most).decode(errors="replace")


def _release() -> tuple[int, ...]:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2] if part.isdecimal())


@cache
def _form() -> _Form:
    """The strictest form that works here, tried once in a process."""
    program = shutil.which("bwrap")
    if program is None:
        message = "bubblewrap (bwrap) is not installed, and foreign code is never run without it; "
        raise SandboxError(f"{message}`apt-get install bubblewrap`, on Linux")
    said = ""
    for strict in (True, False):
        for fresh_proc in (True, False):
            form = _Form(program, fresh_proc, strict)
            command = [*form.arguments(()), sys.executable, "-s", "-c", "import json"]
            done = subprocess.run(command, capture_output=True, encoding="utf-8", env={}, check=False)
            if done.returncode == 0:
                return form
            said = said or done.stderr.strip()
    raise SandboxError(
        f"this machine refuses the sandbox, and foreign code is never run without it: {said}; allow unprivileged user"
        " namespaces, or run where they are allowed"
    )


def _links() -> list[Path]:
    """Folders of the system that are links, as /bin is one to /usr/bin."""
    return [Path(name) for name in _SYSTEM if Path(name).is_symlink()]


def _readable() -> Iterator[tuple[str, str]]:
    """What is visible, read-only, and where: the system, this interpreter with its packages, and this package."""
    system = [name for name in _SYSTEM if Path(name).is_dir() and not Path(name).is_symlink()]
    for name in system:
        yield name, name
    for name in _SETTINGS:
        if Path(name).exists():
            yield name, name
    interpreter = Path(sys.executable)
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), interpreter.parents[1], interpreter.resolve().parents[1]}
    for prefix in sorted(prefixes):
        if any(prefix.is_relative_to(name) for name in system):
            continue
        if Path.home().is_relative_to(prefix):
            raise SandboxError(f"this Python is installed in {prefix}, which holds your home; use one in a venv")
        yield str(prefix), str(prefix)
    yield str(Path(pytest_talk2agent.__file__).parent), f"{PACKAGE}/pytest_talk2agent"

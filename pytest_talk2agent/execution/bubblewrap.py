"""How bubblewrap is called: what a sandbox shows of the system, and the strictest form that this machine allows."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest_talk2agent

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


class SandboxError(ValueError):
    """The sandbox cannot be had on this machine; the text says what to do."""


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host that stands at ``target`` inside; read-only unless it is ``writable``."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Setting:
    """What a sandbox adds to the system.

    Attributes:
        folders: absolute paths that are empty and writable, besides ``/tmp`` and ``/root``.
        mounts: what of the host is there, in this order.
        environment: variables besides, or in the place of, the usual ones.
        cwd: where programs begin.
    """

    folders: Sequence[str] = ()
    mounts: Sequence[Mount] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/tmp"


@dataclass(frozen=True)
class Form:
    """A way to call bubblewrap. A nested one may not mount /proc and does without; an older one knows fewer options."""

    program: str
    fresh_proc: bool
    strict: bool

    def arguments(self, setting: Setting) -> list[str]:
        """The command line, up to the program to be run."""
        command = [self.program, *_ISOLATION]
        if self.strict:
            command.append("--disable-userns")
        for name, value in {**_ENVIRONMENT, **setting.environment}.items():
            command += ["--setenv", name, value]
        command += [*(["--proc", "/proc"] if self.fresh_proc else ["--dir", "/proc"]), "--dev", "/dev"]
        if self.strict:  # without a size, half of the machine's memory: then there is none
            command += ["--size", str(_SHM_BYTES), "--tmpfs", "/dev/shm"]
        for folder in ("/tmp", HOME, *setting.folders):
            command += [*(["--size", str(_SCRATCH_BYTES)] if self.strict else []), "--tmpfs", folder]
        for mount in setting.mounts:
            command += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
        for source, target in readable():
            command += ["--ro-bind", source, target]
        for link in _links():
            command += ["--symlink", str(link.readlink()), str(link)]
        return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", setting.cwd]


@cache
def form() -> Form:
    """The strictest form that works here, tried once in a process."""
    program = shutil.which("bwrap")
    if program is None:
        message = "bubblewrap (bwrap) is not installed, and foreign code is never run without it; "
        raise SandboxError(f"{message}`apt-get install bubblewrap`, on Linux")
    said = ""
    for strict in (True, False):
        for fresh_proc in (True, False):
            found = Form(program, fresh_proc, strict)
            command = [*found.arguments(Setting()), sys.executable, "-s", "-c", "import json"]
            done = subprocess.run(command, capture_output=True, encoding="utf-8", env={}, check=False)
            if done.returncode == 0:
                return found
            said = said or done.stderr.strip()
    raise SandboxError(
        f"this machine refuses the sandbox, and foreign code is never run without it: {said}; allow unprivileged user"
        " namespaces, or run where they are allowed"
    )


def end_orphans() -> None:
    """End what is left of sandboxes whose bubblewrap was killed at its very beginning.

    Its first process is told a moment later to end with it, and else waits for ever for a word of it.
    """
    program, own = form().program.encode(), f"{PACKAGE}/pytest_talk2agent".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            words = (process / "cmdline").read_bytes()
            if not words.startswith(program) or own not in words:
                continue
            fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            numbers = fields["NSpid"].split()
            parent = Path("/proc", fields["PPid"].strip(), "cmdline")
            if len(numbers) > 1 and numbers[-1] == "1" and not parent.read_bytes().startswith(program):
                os.kill(int(process.name), signal.SIGKILL)


def _links() -> list[Path]:
    """Folders of the system that are links, as /bin is one to /usr/bin."""
    return [Path(name) for name in _SYSTEM if Path(name).is_symlink()]


def readable() -> Iterator[tuple[str, str]]:
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

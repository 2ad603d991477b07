"""A bubblewrap sandbox for a Python program of ours that runs foreign code.

Inside there is no network, no home, no environment and no process of the host; the system and this interpreter's
packages are read-only, and what is written is gone at the end. Without bubblewrap nothing is run at all.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest_talk2agent

HOME = "/root"
_PACKAGE = "/talk2agent"
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
_START = """\
import resource, runpy, sys
for name, most in {limits!r}.items():
    resource.setrlimit(getattr(resource, name), (most, most))
sys.path[0] = {package!r}
runpy.run_module({module!r}, run_name="__main__")
"""


class SandboxError(ValueError):
    """The sandbox cannot be had on this machine; the text says what to do."""


@dataclass(frozen=True)
class Limits:
    """What a sandboxed program may use: wall time for all of it; the rest for each of its processes."""

    seconds: float = 300
    cpu_seconds: int = 300
    memory: int = 4 << 30
    file_bytes: int = 256 << 20
    open_files: int = 256

    def resources(self) -> dict[str, int]:
        """Names in the module `resource` to the most that is allowed."""
        return {
            "RLIMIT_AS": self.memory,
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": 0,
        }


@dataclass(frozen=True)
class Ended:
    """How a program ended: what it wrote until then, and its status, which is None where its time was over."""

    output: str
    errors: str
    status: int | None


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
        for folder in ("/tmp", HOME, *folders):
            command += [*(["--size", str(1 << 30)] if self.strict else []), "--tmpfs", folder]
        for source, target in _readable():
            command += ["--ro-bind", source, target]
        for link in _links():
            command += ["--symlink", str(link.readlink()), str(link)]
        return [*command, "--remount-ro", "/", "--chdir", "/tmp"]


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
        program = _START.format(limits=limits.resources(), package=_PACKAGE, module=module)
        # Files, not pipes: their size is limited, too.
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            given.write(request.encode())
            given.seek(0)
            command = [*self._arguments, sys.executable, "-s", "-c", program]
            process = subprocess.Popen(command, stdin=given, stdout=output, stderr=errors, env={})
            status: int | None
            try:
                status = process.wait(limits.seconds)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                process.kill()
                process.wait()
            output.seek(0)
            errors.seek(0)
            return Ended(output.read().decode(errors="replace"), errors.read().decode(errors="replace"), status)


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
    yield str(Path(pytest_talk2agent.__file__).parent), f"{_PACKAGE}/pytest_talk2agent"

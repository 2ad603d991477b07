"""What foreign code cannot reach, use up or leave behind."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution import bubblewrap, grader_run, seccomp
from pytest_talk2agent.execution.sandbox import Limits, Sandbox, SandboxError
from tests.execution.conftest import Answers


def seen(answers: Answers, expression: str) -> Any:
    """What an expression is inside the sandbox; an OSError is its name."""
    grader = f"""
import os, pathlib, socket, subprocess, sys
def look():
    try:
        return {expression}
    except OSError as error:
        return type(error).__name__
def grade(transcript, workspace_path):
    return {{"overall_score": 1, "seen": look()}}
"""
    (answer,) = answers(grader)
    return json.loads(answer["result"])["seen"]


class TestDenied:
    def test_network(self, answers: Answers) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            assert seen(answers, f"socket.create_connection(('127.0.0.1', {port}), 2)") == "ConnectionRefusedError"
        assert seen(answers, "socket.create_connection(('192.0.2.1', 80), 2)") == "OSError"
        assert seen(answers, "socket.if_nameindex()") == [[1, "lo"]]

    def test_environment(self, answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("T2A_SECRET", "hunter2")
        assert "hunter2" not in seen(answers, "repr(dict(os.environ))")

    def test_home(self, answers: Answers) -> None:
        inside = seen(answers, "sorted(str(p) for p in pathlib.Path(os.environ['HOME']).iterdir())")
        prefixes = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve())}
        assert all(any(prefix.startswith(path) for prefix in prefixes) for path in inside)
        home = Path.home()
        assert home == Path("/root") or not seen(answers, f"os.path.exists({str(home / '.bashrc')!r})")

    def test_other_folders(self, answers: Answers, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("x")
        assert seen(answers, f"os.path.exists({str(tmp_path)!r})") is False
        assert seen(answers, f"os.path.exists({str(Path(__file__))!r})") is False
        for path in ("/etc/passwd", "/run", "/var", "/sys"):
            assert seen(answers, f"os.path.exists({path!r})") is False

    @pytest.mark.parametrize("folder", ["/", "/usr", "/usr/bin", "/etc", "/talk2agent/pytest_talk2agent", sys.prefix])
    def test_writing(self, answers: Answers, folder: str) -> None:
        assert seen(answers, f"pathlib.Path({folder!r}, 'x').write_text('x')") == "OSError"

    def test_other_processes(self, answers: Answers) -> None:
        processes = seen(answers, "[p for p in os.listdir('/proc') if p.isdigit()]")
        assert len(processes) <= 4

    def test_new_namespaces(self, answers: Answers) -> None:
        command = "['unshare', '--user', 'true']"
        assert seen(answers, f"subprocess.run({command}, capture_output=True).returncode") != 0

    @pytest.mark.parametrize(
        "call",
        [
            "os.memfd_create('x')",
            "os.open('/dev/x', os.O_CREAT | os.O_WRONLY)",
            "os.open(f'/proc/{os.getppid()}/fd/1', os.O_RDONLY)",
            "os.open(f'/proc/{os.getppid()}/mem', os.O_RDWR)",
        ],
    )
    def test_memory_that_no_limit_counts_and_other_processes(self, answers: Answers, call: str) -> None:
        assert seen(answers, call) in ("OSError", "PermissionError", "FileNotFoundError")

    @pytest.mark.skipif(seccomp.program() is None, reason="a machine whose system calls are not known")
    @pytest.mark.parametrize(("name", "arguments"), [("shmget", "0, 1 << 30, 0o1666"), ("msgget", "0, 0o1666")])
    def test_system_v(self, answers: Answers, name: str, arguments: str) -> None:
        call = f"(ctypes.CDLL(None, use_errno=True).{name}({arguments}), ctypes.get_errno())"
        assert seen(answers, f"__import__('builtins').exec('import ctypes', globals()) or {call}") == [-1, 1]


class TestAllowed:
    def test_the_workspace_the_home_and_temporary_files(self, answers: Answers) -> None:
        for folder in ("/tmp_workspace", "/tmp", "/root", "/claude_code"):
            assert seen(answers, f"pathlib.Path({folder!r}, 'x').write_text('x')") == 1

    def test_this_interpreter_with_its_packages(self, answers: Answers) -> None:
        assert seen(answers, "sys.prefix") == sys.prefix
        assert seen(answers, "bool(__import__('yaml'))") is True

    def test_nothing_stays_on_the_host(self, answers: Answers) -> None:
        seen(answers, "pathlib.Path('/tmp/t2a-left-behind').write_text('x')")
        assert not Path("/tmp/t2a-left-behind").exists()


class TestLimits:
    def run(self, sandbox: Sandbox, body: str, limits: Limits, seconds: float = 20) -> str:
        grader = f"def grade(transcript, workspace_path):\n    {body}\n    return {{'overall_score': 1}}\n"
        request = {"grader": grader, "world": "def build(world): pass", "states": [{}], "seconds": seconds}
        return sandbox.run(grader_run.__name__, json.dumps(request), limits).output

    def stopped(self, sandbox: Sandbox, body: str, limits: Limits) -> str:
        """Which limit of the whole tree a grader meets that is given no limit of its own."""
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        grader = f"def grade(transcript, workspace_path):\n{lines}\n    return {{'overall_score': 1}}\n"
        request = {"grader": grader, "world": "def build(world): pass", "states": [{}], "seconds": 60}
        ended = sandbox.run(grader_run.__name__, json.dumps(request), limits)
        assert ended.status is None or not ended.stopped
        return ended.stopped or ended.output

    @pytest.mark.parametrize(
        "body",
        [
            "import os, signal\nwhile True:\n    if os.fork() == 0: signal.pause()",
            "import os\nwhile True: os.fork()",
            "import os, signal\nwhile True:\n    if os.fork() == 0:\n        os.setsid()\n        signal.pause()",
            "import threading, signal\nwhile True: threading.Thread(target=signal.pause).start()",
            "import subprocess\nwhile True: subprocess.Popen(['/bin/sh', '-c', 'sleep 60 & sleep 60'])",
        ],
        ids=["children", "bomb", "daemons", "threads", "programs"],
    )
    def test_processes(self, sandbox: Sandbox, body: str) -> None:
        found = self.stopped(sandbox, body, Limits(tasks=40, seconds=60))
        # Unless this is root, the kernel itself refuses the next one.
        assert (
            found == "it had more than 40 processes at a time"
            or "temporarily unavailable" in found
            or ("can't start new thread" in found)
        )

    def test_a_bomb_leaves_nothing_behind(self, sandbox: Sandbox) -> None:
        name = f"t2a-{time.monotonic_ns()}"
        body = f"import subprocess, sys\nwhile True: subprocess.Popen([sys.executable, '-c', 'while 1: 1  # {name}'])"
        self.stopped(sandbox, body, Limits(tasks=20, seconds=60))
        end = time.monotonic() + 10
        while running := [line for line in _command_lines() if name in line]:
            assert time.monotonic() < end, running
            time.sleep(0.05)

    def test_memory_of_many_processes(self, sandbox: Sandbox) -> None:
        body = (
            "import os, signal\n"
            "for _ in range(8):\n"
            "    if os.fork() == 0:\n"
            "        kept = bytearray(os.urandom(1)) * (40 << 20)\n"
            "        signal.pause()\n"
            "signal.pause()"
        )
        found = self.stopped(sandbox, body, Limits(memory=200 << 20, seconds=60))
        assert found == "it used more than 200 MB of memory"

    def test_memory_that_processes_share_is_counted_once(self, sandbox: Sandbox) -> None:
        body = (
            "import os, signal, select\n"
            "kept = bytearray(os.urandom(1)) * (60 << 20)\n"
            "for _ in range(8):\n"
            "    if os.fork() == 0:\n"
            "        select.select([], [], [], 0.3)\n"
            "        os._exit(0)\n"
            "select.select([], [], [], 0.3)"
        )
        assert '"score": 1' in self.stopped(sandbox, body, Limits(memory=250 << 20, seconds=60))

    @pytest.mark.parametrize("folder", ["/dev/shm", "/tmp", "/root", "/tmp_workspace"])
    def test_memory_of_file_systems(self, sandbox: Sandbox, folder: str) -> None:
        if not bubblewrap.form().strict:
            pytest.skip("this bubblewrap knows no sizes")
        body = (
            "import os, json\n"
            "size = 0\n"
            "try:\n"
            "    for number in range(64):\n"
            f"        with open(f'{folder}/{{number}}', 'wb', buffering=0) as stream:\n"
            "            for _ in range(32):\n"
            "                size += stream.write(bytes(1 << 20))\n"
            "except OSError as error:\n"
            "    size = f'{error.strerror} after {size >> 20} MB'\n"
            f"for name in os.listdir({folder!r}):\n"
            f"    os.path.isfile(f'{folder}/{{name}}') and os.unlink(f'{folder}/{{name}}')\n"
            "return {'overall_score': 1, 'size': size}"
        )
        most = 64 if folder == "/dev/shm" else 512
        (answer,) = self.stopped(sandbox, body, Limits(seconds=120)).splitlines()
        size = json.loads(json.loads(answer)["result"])["size"]
        assert size in (f"No space left on device after {most} MB", f"No space left on device after {most - 1} MB")

    def test_output(self, sandbox: Sandbox) -> None:
        states: list[dict[str, bool]] = [{}] * 50
        grader = "def grade(transcript, workspace_path): return {'overall_score': 1, 'x': 'x' * 3000}"
        request = {"grader": grader, "world": "def build(world): pass", "states": states, "seconds": 20}
        ended = sandbox.run(grader_run.__name__, json.dumps(request), Limits(output=20_000))
        assert len(ended.output) <= 20_000
        assert ended.stopped == "it wrote more than 0 MB"

    def test_memory(self, sandbox: Sandbox) -> None:
        assert "MemoryError" in self.run(sandbox, "b = bytearray(1 << 30)", Limits(address_space=1 << 29))

    def test_file_size(self, sandbox: Sandbox) -> None:
        body = "open('/tmp/big', 'wb').write(bytes(1 << 20))"
        assert "File too large" in self.run(sandbox, body, Limits(file_bytes=1 << 19))

    def test_processor_time(self, sandbox: Sandbox) -> None:
        assert "killed by signal" in self.run(sandbox, "while True: pass", Limits(cpu_seconds=1))

    def test_wall_time(self, sandbox: Sandbox) -> None:
        late = "import select; select.select([], [], [], 60); print('late')"
        assert self.run(sandbox, late, Limits(seconds=0.7)) == ""

    def test_wall_time_ends_what_the_program_started(self, sandbox: Sandbox) -> None:
        name = f"t2a-{time.monotonic_ns()}"
        body = f"import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass  # {name}'])"
        self.run(sandbox, body, Limits(seconds=1))
        end = time.monotonic() + 10
        while running := [line for line in _command_lines() if name in line]:
            assert time.monotonic() < end, running
            time.sleep(0.05)


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_text(errors="replace")


class TestWithoutASandbox:
    @pytest.fixture(autouse=True)
    def _fresh(self) -> Iterator[None]:
        bubblewrap.form.cache_clear()
        yield
        bubblewrap.form.cache_clear()

    def test_absent(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(SandboxError, match=r"not installed.* never run without it; `apt-get install bubblewrap`"):
            Sandbox()

    def test_refused(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        program = tmp_path / "bwrap"
        program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(SandboxError, match=r"refuses the sandbox.*No permissions.*allow unprivileged user"):
            Sandbox()

    def test_an_older_or_nested_one_is_used_in_its_own_way(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        real = bubblewrap.form().program
        program = tmp_path / "bwrap"
        program.write_text(
            "#!/bin/bash\n"
            'for word in "$@"; do case $word in --disable-userns|--size|--proc) exit 1;; esac; done\n'
            f'exec {real} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        bubblewrap.form.cache_clear()
        form = bubblewrap.form()
        assert (form.fresh_proc, form.strict) == (False, False)
        request = {"grader": "", "world": "", "states": [], "seconds": 1}
        assert Sandbox().run(grader_run.__name__, json.dumps(request), Limits()).status == 0

    def test_a_python_that_holds_the_home_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "prefix", str(Path.home()))
        with pytest.raises(SandboxError, match="holds your home; use one in a venv"):
            Sandbox()

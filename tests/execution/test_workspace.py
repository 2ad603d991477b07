"""Workspaces: what stays between commands, what no command reaches, and what ends one."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from pytest_talk2agent.execution import bubblewrap
from pytest_talk2agent.execution.sandbox import Ended, Limits, Sandbox, SandboxError
from pytest_talk2agent.execution.session import (
    AGENT_LIMITS,
    AgentFailedError,
    InfrastructureError,
    Session,
    TimedOutError,
)
from pytest_talk2agent.execution.workspace import Workspace
from pytest_talk2agent.tasks.executable import Execution
from tests.execution.conftest import running

EXECUTION = Execution.model_validate(
    {
        "files": {
            "a.txt": "hello",
            "notes/": {},
            "/srv/archive/old.txt": {"text": "old", "age": "20 days"},
            "/var/log/big.log": {"size": "300 MB"},
        },
        "checks": {"x": {"exists": "/etc/nginx/x"}},
        "solution": "true",
    }
)


@pytest.fixture
def workspace(sandbox: Sandbox) -> Iterator[Workspace]:
    with Workspace(EXECUTION) as found:
        yield found


def run(workspace: Workspace, command: str, seconds: float = 20, **limits: int) -> Ended:
    chosen = dataclasses.replace(AGENT_LIMITS, seconds=seconds, **limits)
    return workspace.sandbox().call(["bash", "-c", command], b"", chosen)


class TestWhatIsThere:
    def test_files_at_their_own_places(self, workspace: Workspace) -> None:
        command = "pwd; cat a.txt ~/a.txt /srv/archive/old.txt; stat -c %s /var/log/big.log; ls -d notes /etc/nginx"
        assert run(workspace, command).output.splitlines() == [
            *("/home/agent", "hello", "hello", "old", "300000000", "/etc/nginx", "notes")
        ]

    def test_ages(self, workspace: Workspace) -> None:
        assert run(workspace, "find /srv ~ -type f -mtime +14").output == "/srv/archive/old.txt\n"

    def test_it_outlives_a_command_and_its_scratch_space_too(self, workspace: Workspace) -> None:
        run(workspace, "echo 1 > ~/one; echo 2 > /srv/archive/two; echo 3 > /tmp/three")
        assert run(workspace, "cat ~/one /srv/archive/two /tmp/three").output == "1\n2\n3\n"

    def test_what_is_written_elsewhere_is_refused(self, workspace: Workspace) -> None:
        for folder in ("/", "/usr", "/etc", "/srv/..", "/home", "/talk2agent/pytest_talk2agent"):
            assert run(workspace, f"echo x > {folder}/x").status != 0

    def test_the_grader_reads_and_cannot_write(self, workspace: Workspace) -> None:
        run(workspace, "echo 1 > ~/one; echo 3 > /tmp/three")
        grader = workspace.grader_sandbox()
        ended = grader.call(["bash", "-c", "cat ~/one; ls /tmp; echo x > ~/two; rm ~/one"], b"", AGENT_LIMITS)
        assert ended.output.startswith("1\n")
        assert "three" not in ended.output
        assert ended.output.count("Read-only file system") == 2

    def test_a_program_gets_its_input_and_its_status_comes_back(self, workspace: Workspace) -> None:
        ended = workspace.sandbox().call(["bash", "-c", "cat; echo bad >&2; exit 3"], b"given\n", AGENT_LIMITS)
        assert (ended.output, ended.status) == ("given\nbad\n", 3)
        assert workspace.sandbox().call(["nothing-there"], b"", AGENT_LIMITS).status == 127

    def test_it_is_gone_at_the_end(self, workspace: Workspace) -> None:
        run(workspace, "mkdir -p ~/a/b; chmod 000 ~/a; ln -s / ~/root")
        workspace.delete()
        assert not workspace.root.exists()
        assert Path("/usr").is_dir()

    def test_git_works(self, workspace: Workspace) -> None:
        command = "git init -q -b main r && cd r && git commit -q --allow-empty -m one && git log --format=%s"
        assert run(workspace, command).output == "one\n"


class TestDenied:
    def test_environment(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
        assert "hunter2" not in run(workspace, "env; cat /proc/*/environ").output

    def test_network(self, workspace: Workspace) -> None:
        assert run(workspace, "exec 3<>/dev/tcp/192.0.2.1/80").status != 0
        assert [line.split(":")[0].strip() for line in run(workspace, "cat /proc/net/dev").output.splitlines()[2:]] == [
            "lo"
        ]

    def test_host_files_and_other_trials(self, workspace: Workspace) -> None:
        with Workspace(EXECUTION) as other:
            assert (
                run(workspace, f"ls -d {other.root} {Path(__file__)} {workspace.root} /etc/passwd").output.count(
                    "No such file"
                )
                == 4
            )

    def test_a_link_out_of_the_workspace_leads_nowhere_of_the_host(self, workspace: Workspace, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("hunter2")
        run(workspace, f"ln -s {tmp_path}/secret ~/link; ln -s {tmp_path} ~/folder")
        for sandbox in (workspace.sandbox(), workspace.grader_sandbox()):
            assert "hunter2" not in sandbox.call(["cat", "link", "folder/secret"], b"", AGENT_LIMITS).output

    def test_the_clock(self, workspace: Workspace) -> None:
        assert run(workspace, "date -s 2001-01-01").status != 0
        assert not run(workspace, "date +%Y").output.startswith("2001")

    def test_special_files(self, workspace: Workspace) -> None:
        assert run(workspace, "mknod ~/disk b 8 0").status != 0


class TestLimits:
    def stopped(self, workspace: Workspace, command: str, **limits: int) -> str:
        ended = run(workspace, command, **limits)
        assert ended.status is None
        return ended.stopped

    def test_time(self, workspace: Workspace) -> None:
        ended = run(workspace, "echo begun; sleep 60", seconds=0.3)
        assert (ended.output, ended.stopped, ended.late) == ("begun\n", "its 0.3 s were over", True)

    def test_a_fork_bomb(self, workspace: Workspace) -> None:
        # Unless this is root, the kernel itself refuses the next process.
        ended = run(workspace, ":(){ :|:& };: ; sleep 5", tasks=40)
        assert ended.stopped == "it had more than 40 processes at a time" or "retry" in ended.output

    def test_a_memory_hog(self, workspace: Workspace) -> None:
        ended = run(workspace, "head -c 3G /dev/zero | tail", memory=100 << 20)
        assert ended.stopped == "it used more than 100 MB of memory"

    def test_a_large_file(self, workspace: Workspace) -> None:
        ended = run(workspace, "head -c 3M /dev/zero > big; stat -c %s big", file_bytes=1 << 20)
        assert ended.output.endswith("1048576\n")

    def test_a_disk_filler(self, workspace: Workspace) -> None:
        command = "for n in $(seq 10000); do head -c 1M /dev/urandom > /srv/$n; done"
        assert self.stopped(workspace, command, stored_bytes=5 << 20) == "it stored more than 5 MB"

    def test_many_files(self, workspace: Workspace) -> None:
        command = "for n in $(seq 1000000); do : > ~/$n; done"
        assert self.stopped(workspace, command, stored_files=500) == "it stored more than 500 files"

    def test_what_is_stored_at_once_is_noticed_at_the_end(self, workspace: Workspace) -> None:
        assert (
            self.stopped(workspace, "head -c 2M /dev/urandom > x", stored_bytes=1 << 20) == "it stored more than 1 MB"
        )

    @pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
    def test_a_hidden_folder(self, workspace: Workspace) -> None:
        assert "cannot be read" in self.stopped(workspace, "mkdir x; chmod 000 x")

    def test_endless_output(self, workspace: Workspace) -> None:
        ended = run(workspace, "yes", output=1 << 20)
        assert ended.stopped == "it wrote more than 1 MB"
        assert len(ended.output) == 1 << 20

    def test_a_daemon_ends_with_its_command(self, workspace: Workspace) -> None:
        name = f"t2a-{time.monotonic_ns()}"
        run(workspace, f"setsid nohup bash -c 'while sleep 0.01; do echo {name} >> ~/log; done' & sleep 0.1")
        size = (workspace.host(PurePosixPath("/home/agent/log"))).stat().st_size
        assert size
        assert running(name) == []
        time.sleep(0.1)
        assert (workspace.host(PurePosixPath("/home/agent/log"))).stat().st_size == size

    def test_one_that_kills_everybody_it_can(self, workspace: Workspace) -> None:
        ended = run(workspace, "kill -9 $PPID; kill -9 -1; kill -9 $$")
        assert ended.status not in (0, None)
        assert run(workspace, "echo on").output == "on\n"


class TestSession:
    def test_steps(self, workspace: Workspace) -> None:
        session = Session(workspace.sandbox(), 20)
        session.run("echo one")
        session.run("seq 100000; exit 4")
        assert [step.status for step in session.steps] == [0, 4]
        assert len(session.steps[1].output) < 3000

    def test_time_is_shared_by_all_commands(self, workspace: Workspace) -> None:
        session = Session(workspace.sandbox(), 0.5)
        session.run("sleep 0.2")
        with pytest.raises(TimedOutError, match=r"the agent's 0\.5 s were over"):
            session.run("sleep 10")
        with pytest.raises(TimedOutError):
            session.run("true")

    def test_a_sandbox_that_somebody_else_ends_is_no_fault_of_the_agent(self, workspace: Workspace) -> None:
        name, program = f"t2a-{time.monotonic_ns()}", bubblewrap.form().program.encode()

        def kill() -> None:
            end = time.monotonic() + 10
            while time.monotonic() < end:
                for path in Path("/proc").glob("[0-9]*/cmdline"):
                    with contextlib.suppress(OSError):
                        if path.read_bytes().startswith(program) and name in path.read_text():
                            os.kill(int(path.parent.name), signal.SIGKILL)
                            return

        thread = threading.Thread(target=kill)
        thread.start()
        with pytest.raises(InfrastructureError, match=r"the sandbox was ended from outside, by signal 9"):
            Session(workspace.sandbox(), 20).run(f"sleep 15; : {name}")
        thread.join()
        end = time.monotonic() + 10
        while left := running(name):
            assert time.monotonic() < end, left
            time.sleep(0.02)

    def test_a_sandbox_that_does_not_start(self, workspace: Workspace) -> None:
        sandbox = workspace.sandbox()
        workspace.delete()
        with pytest.raises(InfrastructureError, match=r"the sandbox did not start: bwrap: "):
            Session(sandbox, 20).run("true")

    def test_a_limit_ends_the_agent(self, workspace: Workspace) -> None:
        session = Session(workspace.sandbox(), 20, Limits(output=1000))
        with pytest.raises(AgentFailedError, match="yes: it wrote more than 0 MB"):
            session.run("yes")


def test_what_a_killed_process_left_is_deleted_by_the_next_one(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("t2a-workspace-left", "other"):
        (tmp_path / name / "home").mkdir(parents=True)
    with Workspace(EXECUTION) as used, Workspace(EXECUTION):
        assert used.root.is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_place_of_this_python_is_refused(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = [*bubblewrap.readable(), ("/srv", "/srv")]
    monkeypatch.setattr("pytest_talk2agent.execution.workspace.readable", lambda: taken)
    with pytest.raises(SandboxError, match="/srv is a folder of this Python"):
        Workspace(EXECUTION)

"""Every agent: what a spec names, what it does, and what becomes of one that misbehaves."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.agents.registry import make_agent
from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.execution.session import text_sha256
from pytest_talk2agent.execution.trial import Trials
from pytest_talk2agent.tasks.task import Task
from tests.execution.agents.conftest import TASK, load
from tests.execution.conftest import running

pytestmark = pytest.mark.usefixtures("sandbox")

HEARD = "move a.txt to b.txt"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(task: Task, spec: str, heard: str = HEARD) -> TrialRecord:
    return Trials(spec).run(task, heard)


def is_alive(pid: str) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("orakle", "there is no such agent; there are oracle, nop"),
        ("oracle:x", "oracle takes nothing after its name"),
        ("command:", "write command:WORDS"),
        ("command:'x", "close the quote"),
        ("python:x", "write python:MODULE:FUNCTION"),
        ("python:no_such_module_here:f", "there is no module no_such_module_here here"),
        ("scripted:nowhere.yaml", "nowhere.yaml"),
    ],
)
def test_specs_that_name_no_agent(spec: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make_agent(spec)


class TestControls:
    def test_oracle(self, task: Task) -> None:
        record = run(task, "oracle", "nonsense")
        assert (str(record.score), record.state, record.failed_criteria) == ("1", "scored", [])
        assert [step.command for step in record.steps] == ["mv a.txt b.txt"]

    def test_nop(self, task: Task) -> None:
        record = run(task, "nop")
        assert (str(record.score), record.state, record.failed_criteria) == ("0", "scored", ["source", "target"])

    def test_a_solution_that_fails(self, tmp_path: Path) -> None:
        record = run(load(tmp_path, TASK.replace("mv a.txt", "mv z.txt")), "oracle")
        assert (record.state, str(record.score)) == ("agent_failed", "0")
        assert "the solution ended with status 1: mv: cannot stat 'z.txt'" in record.reason


class TestScripted:
    def test_rows(self, task: Task, tmp_path: Path) -> None:
        (tmp_path / "script.yaml").write_text(
            "- {task: own/move, commands: [rm a.txt]}\n- {transcript: copy it, commands: cp a.txt b.txt}\n"
        )
        assert run(task, "scripted:script.yaml").score == Fraction(1, 4)
        assert run(task, "scripted:script.yaml", "copy it").score == Fraction(3, 4)

    def test_json_lines_and_no_row(self, task: Task, tmp_path: Path) -> None:
        row = {"task": "own/other", "commands": ["true"]}
        (tmp_path / "script.jsonl").write_text(json.dumps(row) + "\n")
        record = run(task, "scripted:script.jsonl")
        assert record.state == "agent_failed"
        assert record.reason == "the script has no row for this transcript, and none for own/move"

    @pytest.mark.parametrize("text", ["- 5\n", "{a: b}\n", "- {task: x}\n", "- {task: x, commands: {}}\n", "- {a\n"])
    def test_other_files(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "script.yaml").write_text(text)
        with pytest.raises(AgentError, match=r"script\.yaml"):
            make_agent("scripted:script.yaml")


class TestCommand:
    def script(self, folder: Path, text: str) -> str:
        path = folder / "agent.sh"
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return "command:./agent.sh"

    def test_it_reads_the_transcript_in_the_workspace(self, task: Task, tmp_path: Path) -> None:
        spec = self.script(tmp_path, 'read -r verb from _ to; cp "$from" "$to"; rm "$from"; pwd')
        record = run(task, spec)
        assert (str(record.score), record.state) == ("1", "scored")
        assert record.received_sha256 == text_sha256(HEARD)
        assert record.steps[0].output == "/home/agent\n"

    def test_another_program_is_another_agent(self, tmp_path: Path) -> None:
        digests = [make_agent(self.script(tmp_path, text)).identity() for text in ("true", "false")]
        assert digests[0] != digests[1]

    @pytest.mark.parametrize(
        ("text", "state", "reason"),
        [
            ("exit 3", "agent_failed", "the agent ended with status 3"),
            ("kill -9 $$", "agent_failed", "the agent ended with status 137"),
            ("sleep 60", "timed_out", "the agent's 0.7 s were over"),
            ("yes", "agent_failed", "./agent.sh: it wrote more than 1 MB"),
            ("while :; do setsid sleep 60 & done", "agent_failed", "processes at a time|temporarily unavailable"),
            (
                "for n in 1 2 3 4; do head -c 200M /dev/zero > $n; done; sleep 9",
                "agent_failed",
                "it stored more than 512 MB",
            ),
        ],
    )
    def test_faults(self, tmp_path: Path, text: str, state: str, reason: str) -> None:
        seconds = "0.7" if state == "timed_out" else "20"
        task = load(tmp_path, TASK.replace("time_limit: 5", f"time_limit: {seconds}"))
        record = run(task, self.script(tmp_path, f"mv a.txt b.txt; {text}"))
        assert record.state == state
        assert any(part in record.reason for part in reason.split("|")), record.reason
        assert record.score == 1  # what it left counts

    def test_a_daemon_is_gone(self, task: Task, tmp_path: Path) -> None:
        name = f"t2a-{time.monotonic_ns()}"
        assert run(task, self.script(tmp_path, f"setsid sh -c 'sleep 60; : {name}' & exit 0")).state == "scored"
        assert running(name) == []

    def test_a_program_that_is_not_there(self, task: Task) -> None:
        assert "status 127" in run(task, "command:no-such-program").reason

    def test_two_files_of_one_name(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        for path in ("a.py", "sub/a.py"):
            (tmp_path / path).write_text("")
        with pytest.raises(AgentError, match="two of these files have one name"):
            make_agent("command:python3 a.py sub/a.py")


class TestPython:
    def module(self, folder: Path, body: str) -> str:
        name = f"agent_{time.monotonic_ns()}"
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        (folder / f"{name}.py").write_text(f"import os, time, subprocess\ndef act(transcript, workspace):\n{lines}\n")
        return f"python:{name}:act"

    def test_it_ends_with_a_run_that_is_killed(self, task: Task, tmp_path: Path) -> None:
        body = """\
child = subprocess.Popen(["sleep", "300"])
open(os.environ["PIDS"], "w").write(f"{os.getpid()} {child.pid} ")
time.sleep(300)"""
        spec, pids = self.module(tmp_path, body), tmp_path / "pids"
        words = [sys.executable, "-m", "pytest_talk2agent.cli", "execute", str(task.path), "--agent", spec]
        process = subprocess.Popen(
            words, cwd=tmp_path, env={**os.environ, "PIDS": str(pids)}, stdout=subprocess.DEVNULL
        )
        while not (pids.exists() and pids.read_text().endswith(" ")):
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.wait()
        end = time.monotonic() + 30
        while any(map(is_alive, pids.read_text().split())) and time.monotonic() < end:
            time.sleep(0.05)
        assert [pid for pid in pids.read_text().split() if is_alive(pid)] == []

    def test_it_acts_through_the_sandbox(self, task: Task, tmp_path: Path) -> None:
        body = """\
words = transcript.split()
done = workspace.run(f"mv {words[1]} {words[3]}; echo moved; exit 4")
assert (done.status, done.output) == (4, "moved\\n"), done
assert workspace.run("env").output.count("KEY") == 0"""
        record = run(task, self.module(tmp_path, body))
        assert (record.state, str(record.score), record.reason) == ("scored", "1", "")
        assert record.received_sha256 == text_sha256(HEARD)
        assert [step.status for step in record.steps] == [4, 0]

    @pytest.mark.parametrize(
        ("body", "state", "reason"),
        [
            ("raise RuntimeError('boom')", "agent_failed", "RuntimeError: boom"),
            ("os._exit(0)", "agent_failed", "the agent's process ended before it was done"),
            ("os.kill(os.getpid(), 9)", "agent_failed", "the agent's process was ended by signal 9"),
            ("time.sleep(60)", "timed_out", "the agent's time was over"),
            ("workspace.run('sleep 60')", "timed_out", "the agent's 1.5 s were over"),
            ("workspace._channel.sendall(b'[1]\\n')", "agent_failed", "wrote something else than messages"),
            ("workspace.run('yes')", "agent_failed", "yes: it wrote more than 1 MB"),
        ],
    )
    def test_faults(self, tmp_path: Path, body: str, state: str, reason: str) -> None:
        task = load(tmp_path, TASK.replace("time_limit: 5", "time_limit: 1.5"))
        record = run(task, self.module(tmp_path, body))
        assert (record.state, str(record.score)) == (state, "0")
        assert reason in record.reason

    def test_nothing_of_it_stays(self, task: Task, tmp_path: Path) -> None:
        name = f"t2a-{time.monotonic_ns()}"
        body = f"""\
subprocess.Popen(["sh", "-c", "sleep 60; : {name}"], start_new_session=True)
subprocess.run(["sh", "-c", "setsid sh -c 'sleep 60; : {name}' & exit 0"])"""
        assert run(task, self.module(tmp_path, body)).state == "scored"
        assert running(name) == []

    def test_it_needs_no_place_of_its_own(self, task: Task, tmp_path: Path) -> None:
        before = dict(os.environ)
        run(task, self.module(tmp_path, "workspace.run('true')"))
        assert dict(os.environ) == before

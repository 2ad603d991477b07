from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.command import Command
from pytest_talk2agent.workflows.agents.host import PythonAgent
from pytest_talk2agent.workflows.agents.protocol import AgentError
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.workflows.toys import interview, load

GOOD = """
import json, sys

REPLIES = [
    [{"type": "say", "text": "Welcome."}, {"type": "say", "text": "What is your experience?"}],
    [{"type": "say", "text": "Have you led people before?"}],
    [
        {"type": "call", "id": "a", "name": "set_evidence",
         "args": {"fields": {"evidence": ["four years of night shifts", "led a team of six"]}}},
        {"type": "call", "id": "b", "name": "set_ready", "args": {}},
    ],
    [{"type": "say", "text": "Goodbye."}, {"type": "done", "end_call": True, "think_ms": 120}],
]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        assert message["version"] == 1 and message["tools"], message
        answers = [{"type": "ready"}]
    elif message["type"] == "turn":
        answers = REPLIES.pop(0)
        if message["results"]:
            assert [(one["call_id"], one["ok"]) for one in message["results"]] == [("a", True), ("b", True)]
        if answers[-1]["type"] != "done":
            answers = [*answers, {"type": "done"}]
    else:
        open(sys.argv[1], "w").write("ended")
        break
    for answer in answers:
        print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(interview(), tmp_path / "package")


def held(package: Package, agent: Any) -> Trace:
    return trace_of(replay(run_session(package, agent, "command:agent").to_bytes()))


def program(tmp_path: Path, text: str, *words: str, seconds: float = 10.0) -> Command:
    path = tmp_path / "agent.py"
    path.write_text(text, encoding="utf-8")
    return Command(" ".join([sys.executable, str(path), *words]), seconds=seconds)


def test_a_program_holds_a_session_over_json_lines(tmp_path: Path, package: Package) -> None:
    trace = held(package, program(tmp_path, GOOD, str(tmp_path / "end")))
    assert score_session(package, trace).mended.success is True
    assert trace.end == "agent"
    assert (tmp_path / "end").read_text(encoding="utf-8") == "ended"


READY = 'print(\'{"type": "ready"}\', flush=True)\n'
HOSTILE = {
    "invalid JSON": ('print("hello", flush=True)\n', "wrote a line that is no message: 'hello'"),
    "no type": ('print("{}", flush=True)\n', "wrote a line that is no message"),
    "no end of a line": ("while True: sys.stdout.write('x' * 65536)\n", "more than is taken at once"),
    "flood of messages": (
        READY + 'while True: print(\'{"type": "say", "text": "a"}\', flush=True)\n',
        "more than 2000 messages",
    ),
    "hang": ("time.sleep(60)\n", "no answer within 1 s"),
    "hang after ready": (READY + "time.sleep(60)\n", "no answer within 1 s"),
    "crash": ("raise SystemExit('I cannot')\n", "ended with status 1: I cannot"),
    "closes and stays": ("os.close(1); time.sleep(60)\n", "the agent's program ended"),
    "unknown message": (READY + 'print(\'{"type": "sing"}\', flush=True); time.sleep(9)\n', "unknown type 'sing'"),
    "text that is none": (
        READY + 'print(\'{"type": "say", "text": 5}\', flush=True); time.sleep(9)\n',
        "without a text",
    ),
    "complains without end": ("while True: sys.stderr.write('no ' * 9999)\n", "no answer within 1 s"),
    "wrong stop": ('print(\'{"type": "ready", "stop_ms": "now"}\', flush=True)\n', "`stop_ms` is no whole number"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_costs_its_own_session(tmp_path: Path, package: Package, name: str) -> None:
    text, said = HOSTILE[name]
    trace = held(package, program(tmp_path, f"import os, sys, time\n{text}", seconds=1.0))
    assert (trace.state, trace.end) == ("finished", "agent-failed")
    assert said in trace.failure
    assert "\n" not in trace.failure
    assert score_session(package, trace).mended.success is False


def test_fifty_megabytes_are_not_taken(tmp_path: Path, package: Package) -> None:
    text = f'import sys\n{READY}sys.stdin.readline()\nprint(\'{{"type": "say", "text": "\' + \'a\' * 50_000_000)\n'
    trace = held(package, program(tmp_path, text))
    assert "more than is taken at once" in trace.failure


def test_a_program_that_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    toy = interview()
    toy["task.yaml"]["title"] = "x" * 300_000
    package = load(toy, tmp_path / "long")
    trace = held(package, program(tmp_path, "import time\ntime.sleep(60)\n", seconds=1.0))
    assert "no answer within 1 s" in trace.failure


def test_everything_that_the_program_started_is_ended(tmp_path: Path, package: Package) -> None:
    text = f"""
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    held(package, program(tmp_path, text, seconds=1.0))
    pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
    for _ in range(200):
        if _is_gone(pid):
            break
        time.sleep(0.02)
    assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def test_a_program_says_how_it_yields(tmp_path: Path, package: Package) -> None:
    text = 'import sys\nprint(\'{"type": "ready", "stop_ms": null}\', flush=True)\nsys.stdin.read()\n'
    from pytest_talk2agent.workflows.agents.protocol import Briefing, Overlap

    talker = program(tmp_path, text).start(Briefing("", "", (), 1, 0))
    try:
        assert talker.overlapped(Overlap("barge_in", 5, "")) is None
    finally:
        talker.close()
        talker.close()


CLASS = """
from pytest_talk2agent.workflows.agents.host import HostedAgent

print("on the way in")

class Clerk(HostedAgent):
    def start(self, briefing):
        self.turns = [
            {"text": "Welcome. What is your experience?"},
            {"text": "Have you led people before?"},
            {"calls": [
                {"name": "set_evidence",
                 "args": {"fields": {"evidence": ["led a team of six", "four years of night shifts"]}}},
                {"name": "set_ready", "args": {}},
            ]},
            {"text": "Goodbye.", "end_call": True},
        ]

    def reply(self, turn):
        print("printing is no message")
        return self.turns.pop(0)

class Hanging(HostedAgent):
    def reply(self, turn):
        while True:
            pass

class Other:
    pass
"""


def test_a_python_class_holds_a_session_in_a_process_of_its_own(
    tmp_path: Path, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clerks.py").write_text(CLASS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    trace = held(package, make_agent("python:clerks:Clerk"))
    assert score_session(package, trace).mended.success is True
    hanging = held(package, PythonAgent("clerks:Hanging", seconds=3.0))
    assert hanging.failure == "the agent had no answer within 3 s"
    other = held(package, make_agent("python:clerks:Other"))
    assert "clerks:Other is no class that inherits HostedAgent" in other.failure


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("command:", "write command:WORDS"),
        ("command:'a", "close the quote"),
        ("command:no-such-program-here a", "there is no program 'no-such-program-here'"),
        ("python:json", "write python:MODULE:CLASS"),
        ("python:no_such_module:A", "there is no module no_such_module"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        make_agent(spec)


TELLS_THE_TIME = """
import json, os, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        told = [message["now"], os.environ.get("TALK2AGENT_NOW"), "2026-10-12T09:00" in message["instructions"]]
        answers = [{"type": "ready"}]
    elif message["type"] == "turn":
        answers = [{"type": "say", "text": json.dumps(told)}, {"type": "done", "end_call": True}]
    else:
        break
    for answer in answers:
        print(json.dumps(answer), flush=True)
"""


def test_a_program_and_its_tools_share_one_frozen_clock(tmp_path: Path, package: Package) -> None:
    state = package.folder / "state"
    state.mkdir()
    (state / "state.yaml").write_text("clock: 2026-10-12T09:00:00-04:00\n", encoding="utf-8")
    (state / "schema.sql").write_text("", encoding="utf-8")
    (state / "seed.sql").write_text("", encoding="utf-8")
    trace = held(load_package(package.folder), program(tmp_path, TELLS_THE_TIME))
    (said,) = [clip.text for clip in trace.clips if clip.speaker == "agent"]
    assert json.loads(said) == ["2026-10-12T09:00:00-04:00", "2026-10-12T09:00:00-04:00", True]

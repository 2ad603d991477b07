"""Episodes by the order of calls that ``desktop_env`` has, on a stand-in for it: states, scores, and what is missing.

What the environment itself does is another matter: see ``test_contract.py``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.osworld.trials import OsworldTrials, Settings, read_settings
from pytest_talk2agent.execution.record import Ledger, TrialRecord
from pytest_talk2agent.tasks.task import Task
from tests.commands.conftest import Say, complain, say
from tests.execution.osworld.conftest import NAME, PROMPT

__all__ = ["complain", "say"]

STAND_IN = '''\
"""The calls of an environment without a machine: what is done in it is written to a file."""

import json
from pathlib import Path


class DesktopEnv:
    def __init__(self, provider_name, result=None, fault=None):
        self.instruction, self.files, self.result, self.fault = None, {}, result, fault
        self.log = Path("episodes.log").open("a")
        self.note("start")

    def note(self, what):
        self.log.write(what + "\\n")
        self.log.flush()

    def reset(self, task_config):
        if self.fault:
            raise ConnectionError(self.fault)
        self.note("reset")
        self.task, self.instruction = task_config, task_config["instruction"].replace("\\r", "")
        return {"instruction": self.instruction}

    def step(self, action, pause):
        self.note(action)
        if action not in ("WAIT", "DONE"):
            eval(action, {"write": self.files.__setitem__})
        return {}, 0, action == "DONE", {}

    def evaluate(self):
        self.note("evaluate")
        if self.result is not None:
            return self.result
        wanted = self.task["evaluator"]["expected"]["rules"]["expect"][0]["ref"]
        return float(json.loads(self.files.get("/home/user/settings.json", "{}")).get("theme") == wanted)

    def close(self):
        self.note("close")
'''
FAST = {"settle": 0, "settle_end": 0, "pause": 0, "steps": 4, "seconds": 60}


@pytest.fixture
def root(checkout: Path) -> Path:
    (checkout / "desktop_env").mkdir()
    (checkout / "desktop_env" / "__init__.py").touch()
    (checkout / "desktop_env" / "desktop_env.py").write_text(STAND_IN)
    return checkout


def settings(environment: dict[str, Any] | None = None, **changes: Any) -> Settings:
    return Settings(**{**FAST, **changes, "environment": {"provider_name": "docker", **(environment or {})}})


def run(
    root: Path, task: Task, agent: str = "osworld:own_agent:Obedient", said: str = PROMPT, **given: Any
) -> TrialRecord:
    return OsworldTrials(agent, root, None, settings(**given)).run(task, said)


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)


def test_the_instruction_is_what_was_heard(root: Path, compiled: Task, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "trials")
    trials = OsworldTrials("osworld:own_agent:Obedient?style=bold", root, ledger, settings())
    right, wrong = trials.run(compiled, PROMPT), trials.run(compiled, "Set the theme to park.")
    assert [str(record.score) for record in (right, wrong)] == ["1", "0"]
    assert {record.state for record in (right, wrong)} == {"scored"}
    assert wrong.received_sha256 == wrong.key.transcript_sha256
    assert [step.command for step in right.steps][1:] == ["DONE"]
    assert TrialRecord.from_json(json.loads(json.dumps(right.to_json()))) == right
    episode = ["start", "reset", right.steps[0].command, "DONE", "evaluate", "close"]
    assert Path("episodes.log").read_text().splitlines()[:6] == episode
    before = Path("episodes.log").read_text()
    assert trials.run(compiled, PROMPT) == right
    assert Path("episodes.log").read_text() == before


def test_who_does_nothing(root: Path, compiled: Task) -> None:
    record = run(root, compiled, "nop")
    assert (record.state, str(record.score)) == ("scored", "0")
    assert OsworldTrials("nop", root, None, settings()).refusal(compiled) is None
    easy = OsworldTrials("nop", root, None, settings({"result": 1}))
    assert easy.refusal(compiled) == "an agent that does nothing reaches 1"


def test_who_never_ends_is_scored_by_what_is_left(root: Path, compiled: Task) -> None:
    record = run(root, compiled, "osworld:own_agent:Restless")
    assert (record.state, str(record.score), record.reason) == ("agent_failed", "0", "the agent took 4 steps")
    assert [step.command for step in record.steps] == ["WAIT"] * 4


@pytest.mark.parametrize(
    ("agent", "given", "reason"),
    [
        ("Faulty", {}, "desktop_env failed: RuntimeError: the model's server is gone"),
        ("Leaving", {}, "desktop_env's process ended before it was done: it said nothing"),
        ("Asleep", {"seconds": 2}, "the episode took more than 2 s"),
        ("Obedient", {"environment": {"fault": "no machine"}}, "desktop_env failed: ConnectionError: no machine"),
        ("Obedient", {"environment": {"result": 7}}, "the evaluator returned 7, which is no number from 0 to 1"),
        ("Obedient", {"environment": {"result": "x"}}, "the evaluator returned 'x'"),
        ("Absent", {}, "desktop_env failed: AttributeError: module 'own_agent' has no attribute 'Absent'"),
        ("Obedient", {"class": "desktop_env.other:Env"}, "desktop_env failed: ModuleNotFoundError"),
        ("Obedient", {"python": "/nowhere/python"}, "[Errno 2] No such file or directory: '/nowhere/python'"),
    ],
)
def test_every_other_fault_leaves_no_score(
    root: Path, compiled: Task, agent: str, given: dict[str, Any], reason: str
) -> None:
    record = run(root, compiled, f"osworld:own_agent:{agent}", **given)
    assert (record.state, record.score) == ("infrastructure_failed", None)
    assert record.reason.startswith(reason)


def test_an_environment_that_was_told_another_text(root: Path, compiled: Task) -> None:
    record = run(root, compiled, said="Set the theme\r to dark.")
    assert (record.state, record.reason) == (
        "infrastructure_failed",
        "the environment was told another text than the transcript",
    )


def test_a_machine_is_closed_also_after_a_fault(root: Path, compiled: Task) -> None:
    run(root, compiled, "osworld:own_agent:Faulty")
    run(root, compiled, "osworld:own_agent:Asleep", seconds=2)
    assert Path("episodes.log").read_text().splitlines().count("close") == 2


def test_who_asked_is_killed_and_the_machine_is_closed(root: Path, compiled: Task) -> None:
    program = f"""
from pathlib import Path
from pytest_talk2agent.execution.osworld.trials import OsworldTrials, Settings
from pytest_talk2agent.tasks.loader import load_tasks
(task,) = load_tasks(Path({str(compiled.path)!r}))
settings = Settings(**{FAST!r}, environment={{"provider_name": "docker"}})
OsworldTrials("osworld:own_agent:Asleep", Path({str(root)!r}), None, settings).run(task, "x")
"""
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    _await(lambda: "reset" in _log())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _await(lambda: "close" in _log())


def _log() -> str:
    path = Path("episodes.log")
    return path.read_text() if path.exists() else ""


def _await(happened: Any) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_agents_and_settings_that_are_none(root: Path, compiled: Task, tmp_path: Path) -> None:
    for spec in ("obedient", "osworld:module", "llm:x", "oracle"):
        with pytest.raises(AgentError, match=r"in OSWorld there are nop and osworld:MODULE:CLASS"):
            OsworldTrials(spec, root).prepare()
    path = tmp_path / "settings.json"
    path.write_text('{"steps": 0}')
    with pytest.raises(ValueError, match=r"settings\.json: steps: "):
        read_settings(path)
    path.write_text("[")
    with pytest.raises(ValueError, match=r"settings\.json: it: "):
        read_settings(path)
    path.write_text('{"class": "own:Env", "steps": 3}')
    assert (read_settings(path).class_, read_settings(path).steps) == ("own:Env", 3)


def test_another_task_than_it_was_compiled_from(root: Path, compiled: Task) -> None:
    source = compiled.source
    for change, message in (
        ({"prompt_sha256": "0" * 64}, "the instruction in .* is another one"),
        ({"grader_sha256": "0" * 64}, "the evaluator in .* is another one"),
        ({"task": "os/none"}, "has no task os/none"),
        ({"benchmark": "harbor"}, "was compiled from no task of OSWorld"),
    ):
        with pytest.raises(ValueError, match=message):
            run(root, compiled.replaced(source=source.model_copy(update=change)))


def test_the_command(root: Path, compiled: Task, say: Say, complain: Say, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({**FAST, "environment": {"provider_name": "docker"}}))
    words = ("execute", compiled.path, "--osworld", root, "--osworld-settings", path)
    heard = ("--agent", "osworld:own_agent:Obedient", "--heard", "Set the theme to park.")
    assert say(*words, *heard).splitlines()[::4] == [
        "own/theme[heard]  0.000",
        "1 task, 1 trial, mean 0.000",
    ]
    assert "name one of them" in complain(*words, "--harbor", root)
    assert complain("execute", compiled.path, "--agent", "osworld:own_agent:Obedient") == (
        "agent osworld:own_agent:Obedient acts in OSWorld; name a checkout with --osworld"
    )
    compiled.path.write_text(compiled.path.read_text().replace("osworld", "other").replace(NAME, "x"))
    assert "none of these tasks was compiled from one of OSWorld" in complain(*words)

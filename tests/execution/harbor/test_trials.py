"""Harbor itself runs tasks with what was heard: states, scores, the ledger, and what is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_talk2agent.execution.errand import Errand, execute
from pytest_talk2agent.execution.harbor.folder import HarborTasks
from pytest_talk2agent.execution.harbor.trials import HarborTrials
from pytest_talk2agent.execution.record import Ledger, TrialRecord
from pytest_talk2agent.execution.session import text_sha256
from pytest_talk2agent.tasks.task import Task
from tests.execution.harbor.conftest import FILES, PROMPT, write_task

pytestmark = pytest.mark.usefixtures("harbor")

MISHEARD = PROMPT.replace("pelican", "pellet")


@pytest.fixture
def tasks(folder: Path) -> HarborTasks:
    return HarborTasks(folder.parent)


def test_two_transcripts_three_agents_three_rounds(
    tasks: HarborTasks, compiled: Task, tmp_path: Path, echo: str
) -> None:
    ledger = Ledger(tmp_path / "trials")
    errands = [Errand(compiled, PROMPT, "right"), Errand(compiled, MISHEARD, "wrong")]
    found: dict[tuple[str, str], list[TrialRecord]] = {}
    for agent in ("oracle", "nop", echo):
        for executed in execute(errands, HarborTrials(agent, tasks, ledger), 3, 2):
            found.setdefault((agent, executed.errand.condition), []).append(executed.record)
    scores = {key: [str(record.score) for record in records] for key, records in found.items()}
    assert scores == {
        ("oracle", "right"): ["1"] * 3,
        ("oracle", "wrong"): ["1"] * 3,
        ("nop", "right"): ["0"] * 3,
        ("nop", "wrong"): ["0"] * 3,
        (echo, "right"): ["1"] * 3,
        (echo, "wrong"): ["0"] * 3,
    }
    records = [record for each in found.values() for record in each]
    assert {record.state for record in records} == {"scored"}
    assert all(record.received_sha256 == record.key.transcript_sha256 for record in records)
    assert len({record.key for record in records}) == len(ledger.records()) == 18
    # A finished trial is not run again: Harbor's folders are those of the first time.
    before = sorted(path.name for path in (tmp_path / "trials" / "harbor").iterdir())
    assert HarborTrials(echo, tasks, Ledger(tmp_path / "trials")).run(compiled, PROMPT, 2) in records
    assert sorted(path.name for path in (tmp_path / "trials" / "harbor").iterdir()) == before


def test_a_record_says_what_was_run(tasks: HarborTasks, compiled: Task, tmp_path: Path, echo: str) -> None:
    record = HarborTrials(f"{echo}?model=small", tasks, Ledger(tmp_path / "trials")).run(compiled, PROMPT)
    assert (record.agent, record.cost) == (f"{echo}?model=small", {"tokens": 7, "money": 0.25})
    assert record.identity["agent"] == "own_agents:Echo"
    assert (record.identity["model"], record.identity["environment"]) == ("small", "bubblewrap")
    assert record.versions["agent"] == "7"
    assert record.criteria["reward"].held
    assert TrialRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    (lock,) = (tmp_path / "trials" / record.sandbox["folder"]).glob("*/lock.json")
    assert "sha256" in lock.read_text()


def test_an_agent_of_this_project_acts_in_harbor(tasks: HarborTasks, compiled: Task, tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(f"- {{transcript: {MISHEARD}, commands: [cat notes.txt colour.txt, echo pelican > word.txt]}}\n")
    record = HarborTrials(f"scripted:{script}", tasks).run(compiled, MISHEARD)
    assert (record.state, str(record.score)) == ("scored", "1")
    assert [step.output for step in record.steps] == ["a bird\ngrey\n", ""]
    assert record.received_sha256 == text_sha256(MISHEARD)
    failed = HarborTrials(f"scripted:{script}", tasks).run(compiled, PROMPT)
    assert (failed.state, str(failed.score)) == ("agent_failed", "0")
    assert "the script has no row for this transcript" in failed.reason


def test_a_program_gets_the_transcript_in_harbor(
    tasks: HarborTasks, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("act.sh").write_text("read -r _ _ _ word _\necho $word > word.txt\n")
    record = HarborTrials("command:bash act.sh", tasks).run(compiled, PROMPT)
    assert (record.state, str(record.score)) == ("scored", "1")
    assert str(HarborTrials("command:bash act.sh", tasks).run(compiled, MISHEARD).score) == "0"


AGENT = """\
from harbor.agents.base import BaseAgent
class Agent(BaseAgent):
    @staticmethod
    def name(): return "x"
    def version(self): return "1"
    async def setup(self, environment): pass
    async def run(self, instruction, environment, context):
        await environment.exec("echo pelican > word.txt")
        {body}
"""


def run_with(
    body: str, tasks: HarborTasks, compiled: Task, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> TrialRecord:
    (folder / "own_faults.py").write_text(AGENT.format(body=body))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)
    return HarborTrials("harbor:own_faults:Agent", tasks).run(compiled, PROMPT)


@pytest.mark.parametrize(
    ("body", "state", "reason"),
    [
        ("raise KeyError('x')", "infrastructure_failed", "KeyError: 'x'"),
        ("raise ConnectionError('no route')", "infrastructure_failed", "ConnectionError: no route"),
        (
            "from harbor.agents.installed.base import NonZeroAgentExitCodeError as E; raise E('status 3')",
            "agent_failed",
            "NonZeroAgentExitCodeError: status 3",
        ),
        ("import os; os._exit(9)", "infrastructure_failed", "Harbor's process ended before it was done"),
    ],
    ids=["unknown", "network", "known", "killed"],
)
def test_only_what_is_known_to_be_the_agents_fault_has_a_score(
    tasks: HarborTasks,
    compiled: Task,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    state: str,
    reason: str,
) -> None:
    record = run_with(body, tasks, compiled, tmp_path, monkeypatch)
    assert record.state == state
    assert record.reason.startswith(reason)
    assert record.score == (None if state == "infrastructure_failed" else 1)


def test_an_agent_that_hangs_is_timed_out_and_scored(
    compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = write_task(tmp_path / "slow" / "word") / "task.toml"
    toml.write_text(toml.read_text().replace("timeout_sec = 20", "timeout_sec = 2", 1))
    body = "await environment.exec('sleep 600')"
    record = run_with(body, HarborTasks(tmp_path / "slow"), compiled, tmp_path, monkeypatch)
    assert (record.state, str(record.score)) == ("timed_out", "1")
    assert "AgentTimeoutError" in record.reason


@pytest.mark.parametrize("said", ["# the canary GUID\nWrite it", "Write\r\nit"])
def test_a_transcript_that_harbor_would_change_is_missing(
    tasks: HarborTasks, compiled: Task, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)
    record = HarborTrials("oracle", tasks).run(compiled, said)
    assert (record.state, record.score) == ("infrastructure_failed", None)
    assert record.reason == "the agent received another text than the transcript"


FAULTS = {
    "no reward": ({"tests/test.sh": "#!/bin/bash\ntrue\n"}, "RewardFileNotFoundError: "),
    "no number": (
        {"tests/test.sh": "#!/bin/bash\necho much > /logs/verifier/reward.txt\n"},
        "VerifierOutputParseError",
    ),
    "out of range": (
        {"tests/test.sh": "#!/bin/bash\necho 7 > /logs/verifier/reward.txt\n"},
        "the reward reward is 7, which is not from 0 to 1",
    ),
    "several": (
        {"tests/test.sh": '#!/bin/bash\necho \'{"a": 1, "b": 0}\' > /logs/verifier/reward.json\n'},
        "the tests give the rewards a, b; name the one that counts",
    ),
    "a build that fails": ({"environment/Dockerfile": "FROM x\nRUN false\n"}, "SandboxBuildFailedError: RUN false"),
    "an image": (
        {"environment/Dockerfile": "FROM x\nCOPY --from=y a b\n"},
        "Harbor failed: ValueError: Dockerfile:2: no image",
    ),
}


@pytest.mark.parametrize(("changes", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_task_is_missing(
    compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], reason: str
) -> None:
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)
    write_task(tmp_path / "faulty" / "word", changes)
    record = HarborTrials("oracle", HarborTasks(tmp_path / "faulty")).run(compiled, PROMPT)
    assert (record.state, record.score) == ("infrastructure_failed", None)
    assert reason in record.reason


def test_one_reward_of_several(compiled: Task, tmp_path: Path) -> None:
    test = FAULTS["several"][0]
    write_task(tmp_path / "several" / "word", test)
    tasks = HarborTasks(tmp_path / "several")
    scores = [HarborTrials("oracle", tasks, reward=name).run(compiled, PROMPT).score for name in ("a", "b")]
    assert scores == [1, 0]


def test_the_controls(tasks: HarborTasks, compiled: Task, tmp_path: Path) -> None:
    assert HarborTrials("nop", tasks).refusal(compiled) is None
    kinds = {"solution/solve.sh": "#!/bin/bash\ntrue\n"}, {"tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n"}
    found = []
    for number, changes in enumerate(kinds):
        write_task(tmp_path / str(number) / "word", changes)
        found.append(HarborTrials("nop", HarborTasks(tmp_path / str(number))).refusal(compiled))
    assert found == ["its solution reaches 0, not 1", "an agent that does nothing reaches 1"]


def test_who_asked_is_killed_and_nothing_goes_on(folder: Path, compiled: Task, tmp_path: Path) -> None:
    name = f"t2a-{time.monotonic_ns()}"
    (tmp_path / "script.yaml").write_text(f"- {{task: own/word, commands: 'sleep 600 # {name}'}}\n")
    program = f"""
from pathlib import Path
from pytest_talk2agent.execution.harbor.folder import HarborTasks
from pytest_talk2agent.execution.harbor.trials import HarborTrials
from pytest_talk2agent.tasks.loader import load_tasks
(task,) = load_tasks(Path({str(compiled.path)!r}))
HarborTrials("scripted:{tmp_path}/script.yaml", HarborTasks(Path({str(folder)!r}))).run(task, "x")
"""
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    _await(lambda: bool(_running(name)), "the command to begin")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _await(lambda: not _running(name), "the command to end")


def _running(name: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_text(errors="replace")
        except OSError:
            continue
        if name in line and "load_tasks" not in line:
            found.append(line)
    return found


def _await(happened: object, what: str) -> None:
    end = time.monotonic() + 60
    while not happened():  # type: ignore[operator]
        assert time.monotonic() < end, f"waited for {what}"
        time.sleep(0.05)


def test_a_task_of_one_step_as_converters_write_wildclawbench(compiled: Task, tmp_path: Path) -> None:
    root = write_task(tmp_path / "wcb" / "word")
    toml = FILES["task.toml"] + "[metadata]\nwildclawbench_id = '09_Own_task_1_word'\n[[steps]]\nname = 'run'\n"
    (root / "task.toml").write_text(toml)
    (root / "instruction.md").unlink()
    (root / "steps" / "run").mkdir(parents=True)
    (root / "steps" / "run" / "instruction.md").write_text(f"You are an expert in a restricted room.\n\n{PROMPT}\n")
    source = compiled.source.model_copy(update={"benchmark": "wildclawbench", "task": "09_Own_task_1_word"})
    task = compiled.replaced(source=source)
    script = tmp_path / "script.yaml"
    script.write_text("- {task: own/word, commands: [echo pelican > word.txt]}\n")
    tasks = HarborTasks(tmp_path / "wcb")
    for spec, score in (("oracle", "1"), ("nop", "0"), (f"scripted:{script}", "1")):
        record = HarborTrials(spec, tasks).run(task, MISHEARD)
        assert (record.state, str(record.score), record.reason) == ("scored", score, "")
        assert record.received_sha256 == text_sha256(MISHEARD)


def test_telemetry_is_off(tasks: HarborTasks, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOR_TELEMETRY", "1")
    body = "from harbor.telemetry import _telemetry_disabled as off; assert off()"
    record = run_with(body, tasks, compiled, tmp_path, monkeypatch)
    assert (record.state, record.reason) == ("scored", "")

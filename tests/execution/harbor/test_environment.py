"""The environment class of sandboxes: what an agent in it can reach, and what the host does with what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.execution.harbor.folder import HarborTasks
from pytest_talk2agent.execution.harbor.trials import HarborTrials
from pytest_talk2agent.execution.record import Ledger, TrialRecord
from pytest_talk2agent.tasks.task import Task
from tests.execution.harbor.conftest import PROMPT, write_task

pytestmark = pytest.mark.usefixtures("harbor")


def act(commands: list[str], folder: Path, compiled: Task, tmp_path: Path) -> TrialRecord:
    """What an agent of this project that runs these commands leaves."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"task": "own/word", "commands": commands}]))
    trials = HarborTrials(f"scripted:{script}", HarborTasks(folder.parent), Ledger(tmp_path / "trials"))
    return trials.run(compiled, PROMPT)


def test_nothing_of_the_host_is_there(
    folder: Path, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("T2A_SECRET", "hunter2")
    (tmp_path / "secret.txt").write_text("hunter2")
    commands = [
        f"cat {tmp_path}/secret.txt",
        "env",
        "ls /tests /solution",
        "timeout 2 bash -c 'echo > /dev/tcp/192.0.2.1/80'",
        "ls /proc | grep -c '^[0-9]'",
        "sleep 600 & echo begun",
        "pgrep sleep || echo gone",
        "python3 -c 'x = bytearray(3 << 30)' || echo killed",
        "echo pelican > word.txt",
    ]
    record = act(commands, folder, compiled, tmp_path)
    assert (record.state, str(record.score)) == ("scored", "1")
    said = [step.output for step in record.steps]
    assert "hunter2" not in "".join(said)
    assert said[2].split() == ["/solution:", "/tests:"]
    assert "unreachable" in said[3]
    assert int(said[4]) <= 5
    assert said[5:7] == ["begun\n", "gone\n"]
    assert "killed" in said[7] or "512 MB of memory" in said[7]


def test_no_link_that_an_agent_leaves_is_followed_on_the_host(folder: Path, compiled: Task, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hunter2")
    victim = tmp_path / "victim"
    record = act(
        [
            f"ln -s {tmp_path}/secret.txt /logs/agent/secret.txt; ln -s {tmp_path} /logs/artifacts/all",
            f"ln -s {victim} /tests/test.sh; ln -s {victim} /logs/verifier/reward.txt",
            "echo pelican > word.txt",
        ],
        folder,
        compiled,
        tmp_path,
    )
    assert (record.state, str(record.score)) == ("scored", "1")
    assert not victim.exists()
    kept = [path for path in (tmp_path / "trials" / "harbor").rglob("*") if path.is_file()]
    assert kept
    assert not any("hunter2" in path.read_text(errors="replace") for path in kept)


def test_a_link_in_the_place_of_a_folder_is_a_missing_score(
    folder: Path, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)
    write_task(folder, {"tests/data/deep.txt": "x"})
    (tmp_path / "elsewhere").mkdir()
    record = act([f"ln -s {tmp_path}/elsewhere /tests/data"], folder, compiled, tmp_path)
    assert (record.state, record.score) == ("infrastructure_failed", None)
    assert "AddTestsDirError" in record.reason
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_two_trials_see_nothing_of_one_another(folder: Path, compiled: Task, tmp_path: Path) -> None:
    act(["echo left > /tmp/left; echo left > /root/left; echo left > /app/left"], folder, compiled, tmp_path)
    record = act(["ls /tmp/left /root/left /app/left 2>&1 | grep -c 'cannot access'"], folder, compiled, tmp_path)
    assert record.steps[0].output == "3\n"

"""``talk2agent execute`` and ``talk2agent lint --execute``: what they print, write and refuse."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.execution import bubblewrap
from tests.commands.conftest import Say
from tests.execution.agents.conftest import TASK
from tests.execution.conftest import sandbox

__all__ = ["sandbox"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


@pytest.mark.usefixtures("sandbox")
class TestExecute:
    def test_the_controls(self, path: Path, say: Say) -> None:
        assert say("execute", path).splitlines() == ["own/move[text]  1.000", "1 task, 1 trial, mean 1.000"]
        assert say("execute", path, "--agent", "nop").splitlines() == [
            "own/move[text]  0.000",
            "  heard: Move a.txt to b.txt, and be tidy.",
            "  source: /home/agent/a.txt is there",
            "  target: b.txt is not there",
            "1 task, 1 trial, mean 0.000",
        ]

    def test_rounds_records_and_scores(self, path: Path, say: Say, tmp_path: Path) -> None:
        script = tmp_path / "script.yaml"
        script.write_text("- {transcript: remove it, commands: rm a.txt}\n")
        out, records = tmp_path / "scores.jsonl", tmp_path / "records"
        words = ("execute", path, "--agent", f"scripted:{script}", "--heard", "remove it", "--rounds", 2)
        lines = say(*words, "--records", records, "--out", out).splitlines()
        assert lines == [
            "own/move[heard]  round 1  0.250",
            "  heard: remove it",
            "  target: b.txt is not there",
            "  $ rm a.txt",
            "own/move[heard]  round 2  0.250",
            *lines[1:4],
            "1 task, 2 trials, mean 0.250",
        ]
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert [(row["task"], row["condition"], row["score"], row["round"]) for row in rows] == [
            ("own/move", "heard", "0.250000000000", 1),
            ("own/move", "heard", "0.250000000000", 2),
        ]
        before = [file.read_bytes() for file in records.glob("*.jsonl")]
        assert say(*words, "--records", records).splitlines() == lines
        assert [file.read_bytes() for file in records.glob("*.jsonl")] == before
        assert [content.count(b"\n") for content in before] == [4]  # the controls, too

    def test_an_agent_that_fails_says_so(self, path: Path, say: Say) -> None:
        lines = say("execute", path, "--agent", "command:false").splitlines()
        assert lines[0] == "own/move[text]  0.000  agent_failed: the agent ended with status 1"

    def test_a_trial_without_a_score(self, path: Path, say: Say) -> None:
        path.write_text(TASK.replace("  time_limit", "  setup: 'false'\n  time_limit"))
        lines = say("execute", path, "--agent", "nop", status=1).splitlines()
        assert lines == [
            "own/move[text]  no score  infrastructure_failed: the set-up ended with status 1",
            "1 task, 1 trial, mean none, 1 without a score",
        ]

    def test_a_task_that_is_not_fit(self, path: Path, say: Say) -> None:
        path.write_text(TASK.replace("mv a.txt b.txt\n", "cp a.txt b.txt\n"))
        for words in (("execute", path, "--agent", "obedient"), ("lint", path, "--execute")):
            lines = say(*words, status=1)
            assert f"{path}:9:3: error: own/move: the reference solution reaches 3/4, not 1 (`source`: " in lines

    def test_lint(self, path: Path, say: Say) -> None:
        assert say("lint", path, "--execute").splitlines()[-1] == "1 task executed, 0 unfit"


class TestRefused:
    def test_no_execution(self, path: Path, complain: Say) -> None:
        path.write_text(TASK[: TASK.index("execution:")])
        for words in (("execute", path), ("lint", path, "--execute")):
            assert "none of these tasks has `execution`" in complain(*words)

    def test_rounds(self, path: Path, complain: Say) -> None:
        assert complain("execute", path, "--rounds", 0) == "--rounds must be from 1 to 100"

    def test_agent(self, path: Path, complain: Say, sandbox: object) -> None:
        assert "there is no such agent" in complain("execute", path, "--agent", "orakle")

    def test_no_sandbox(self, path: Path, complain: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        bubblewrap.form.cache_clear()
        try:
            assert "bubblewrap (bwrap) is not installed" in complain("execute", path)
        finally:
            bubblewrap.form.cache_clear()

    def test_harbor(self, path: Path, complain: Say, sandbox: object) -> None:
        assert complain("execute", path, "--agent", "harbor:oracle") == (
            "agent harbor:oracle acts in Harbor tasks; name their folder with --harbor"
        )
        if sys.version_info < (3, 12) or importlib.util.find_spec("harbor") is None:
            said = complain("execute", path, "--harbor", path.parent)
            assert said.startswith("--harbor needs Harbor, which needs Python 3.12 or newer: pip install")

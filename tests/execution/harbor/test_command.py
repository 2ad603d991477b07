"""``talk2agent execute --harbor``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.task import Task
from tests.commands.conftest import Say, complain, say
from tests.execution.harbor.conftest import PROMPT, write_task

__all__ = ["complain", "say"]

pytestmark = pytest.mark.usefixtures("harbor")


def test_a_run_in_harbor(folder: Path, compiled: Task, say: Say, tmp_path: Path, echo: str) -> None:
    out, records = tmp_path / "scores.jsonl", tmp_path / "records"
    words = ("execute", compiled.path, "--harbor", folder, "--harbor-environment", "bubblewrap", "--records", records)
    assert say(*words, "--agent", echo, "--out", out).splitlines() == [
        "own/word[text]  1.000",
        "1 task, 1 trial, mean 1.000",
    ]
    assert [json.loads(line)["score"] for line in out.read_text().splitlines()] == ["1.000000000000"]
    lines = say(*words, "--agent", echo, "--heard", PROMPT.replace("pelican", "pellet")).splitlines()
    assert lines == [
        "own/word[heard]  0.000",
        "  heard: Write the word pellet into word.txt.",
        "  reward: its reward is 0",
        "1 task, 1 trial, mean 0.000",
    ]


def test_a_task_that_is_not_fit(compiled: Task, say: Say, tmp_path: Path, echo: str) -> None:
    write_task(tmp_path / "easy" / "word", {"tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n"})
    words = ("execute", compiled.path, "--harbor", tmp_path / "easy", "--harbor-environment", "bubblewrap")
    (line,) = say(*words, "--agent", echo, status=1).splitlines()
    assert line == f"{compiled.path}:1:1: error: own/word: an agent that does nothing reaches 1"


def test_further_settings(folder: Path, compiled: Task, say: Say, complain: Say, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text('{"override_memory_mb": 256}')
    words = ("execute", compiled.path, "--harbor", folder, "--harbor-environment", "bubblewrap")
    assert say(*words, "--harbor-settings", settings).splitlines()[0] == "own/word[text]  1.000"
    settings.write_text("[1]")
    assert "no JSON object" in complain(*words, "--harbor-settings", settings)


def test_no_task_of_the_folder(folder: Path, compiled: Task, complain: Say) -> None:
    text = compiled.path.read_text().replace("benchmark: harbor", "benchmark: other")
    compiled.path.write_text(text)
    assert "none of these tasks was compiled from a Harbor task" in complain(
        "execute", compiled.path, "--harbor", folder
    )

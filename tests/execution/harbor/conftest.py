"""A Harbor task, a task that was compiled from it, and Harbor itself where it is installed."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task
from tests.execution.conftest import sandbox

__all__ = ["sandbox"]

PROMPT = "Write the word pelican into word.txt."
FILES = {
    "task.toml": (
        'schema_version = "1.0"\n[task]\nname = "own/word"\n[agent]\ntimeout_sec = 20\n[verifier]\ntimeout_sec = 20\n'
        '[environment]\nnetwork_mode = "no-network"\nmemory_mb = 512\n'
    ),
    "instruction.md": f"{PROMPT}\n",
    "environment/Dockerfile": (
        "FROM debian:bookworm-slim\nENV COLOUR=grey\nWORKDIR /app\nCOPY notes.txt .\nRUN echo $COLOUR > colour.txt\n"
    ),
    "environment/notes.txt": "a bird\n",
    "tests/test.sh": (
        "#!/bin/bash\nread -r word < /app/word.txt\n"
        '[ "$word" = pelican ] && [ -f /app/notes.txt ] && reward=1 || reward=0\n'
        "echo $reward > /logs/verifier/reward.txt\n"
    ),
    "solution/solve.sh": "#!/bin/bash\necho pelican > /app/word.txt\n",
}
TASK = """\
id: own/word
instruction: {prompt}
intentions:
  word: {{say: pelican}}
  place: {{say: word.txt, kind: filename}}
value: all(word, place)
source: {{benchmark: harbor, task: word, prompt_sha256: {sha256}}}
"""
ECHO = '''\
"""An agent for Harbor that writes the word that it is told."""

from harbor.agents.base import BaseAgent


class Echo(BaseAgent):
    @staticmethod
    def name():
        return "echo"

    def version(self):
        return "7"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        words = instruction.split()
        await environment.exec(f"echo {words[3]} > word.txt")
        context.n_input_tokens, context.n_output_tokens, context.cost_usd = 5, 2, 0.25
'''


def write_task(root: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Write the task folder; files of ``changes`` take the place of its own."""
    for name, text in {**FILES, **(changes or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("tests/test.sh", "solution/solve.sh"):
        (root / name).chmod(0o755)
    return root


def write_compiled(path: Path, prompt: str = PROMPT) -> Task:
    """Write the task file that was compiled from it, and load it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TASK.format(prompt=prompt, sha256=hashlib.sha256(prompt.encode()).hexdigest()), encoding="utf-8")
    (task,) = load_tasks(path)
    return task


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_task(tmp_path / "harbor" / "word")


@pytest.fixture
def compiled(tmp_path: Path) -> Task:
    return write_compiled(tmp_path / "suite" / "tasks.yaml")


@pytest.fixture
def harbor(sandbox: object) -> None:
    if sys.version_info < (3, 12) or importlib.util.find_spec("harbor") is None:
        pytest.skip("Harbor is not installed; it needs Python 3.12 or newer: tox -e harbor")


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The spec of an agent of Harbor's kind that does what it hears."""
    (tmp_path / "own_agents.py").write_text(ECHO, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "harbor:own_agents:Echo"

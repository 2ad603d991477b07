"""A checkout with one task of OSWorld's form, an agent, and what stands in for a machine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.importers.osworld import canonical
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

PROMPT = "Set the theme to dark."
NAME = "os/00000000-0000-4000-8000-000000000001"
EVALUATOR = {
    "func": "check_json",
    "result": {"type": "vm_file", "path": "/home/user/settings.json", "dest": "settings.json"},
    "expected": {
        "type": "rule",
        "rules": {"expect": [{"key": ["theme"], "method": "eq", "ref": "dark"}], "unexpect": []},
    },
}
CONFIG = {"id": NAME.partition("/")[2], "instruction": PROMPT, "config": [], "evaluator": EVALUATOR}
AGENT = '''\
"""An agent of OSWorld's kind that does the one thing that it is told."""

import json


class Obedient:
    def __init__(self, style="plain"):
        self.style = style

    def reset(self):
        self.done = False

    def predict(self, instruction, observation):
        if self.done:
            return "done", ["DONE"]
        self.done = True
        theme = instruction.rstrip(".").split()[-1]
        return "so", [f"write('/home/user/settings.json', {json.dumps({'theme': theme})!r})"]


class Restless(Obedient):
    def predict(self, instruction, observation):
        return "on", ["WAIT"]


class Faulty(Obedient):
    def predict(self, instruction, observation):
        raise RuntimeError("the model's server is gone")


class Asleep(Obedient):
    def predict(self, instruction, observation):
        import time

        time.sleep(600)


class Leaving(Obedient):
    def predict(self, instruction, observation):
        import os

        os._exit(5)
'''
TASK = """\
id: own/theme
instruction: {prompt}
intentions: {{theme: {{say: dark}}}}
value: theme
source: {{benchmark: osworld, task: {name}, prompt_sha256: {prompt_sha256}, grader_sha256: {grader_sha256}}}
"""


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "OSWorld"
    path = root / "evaluation_examples" / "examples" / f"{NAME}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / "own_agent.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return root


@pytest.fixture
def compiled(tmp_path: Path) -> Task:
    path = tmp_path / "tasks.yaml"
    hashes = {"prompt_sha256": sha256(PROMPT), "grader_sha256": sha256(canonical(EVALUATOR))}
    path.write_text(TASK.format(prompt=PROMPT, name=NAME, **hashes), encoding="utf-8")
    (task,) = load_tasks(path)
    return task

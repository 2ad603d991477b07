"""A task that agents can act on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

TASK = """\
id: own/move
instruction: Move a.txt to b.txt, and be tidy.
intentions:
  source: {say: a.txt, kind: filename}
  target: {say: b.txt, kind: filename}
fixed: {tidy: {}}
value: tidy * (0.25*source + 0.75*target)
execution:
  files: {a.txt: hello}
  time_limit: 5
  checks:
    source: {absent: a.txt}
    target: {text: b.txt, equals: hello}
    tidy: {absent: c.txt}
  solution: mv a.txt b.txt
"""


def load(folder: Path, text: str = TASK) -> Task:
    path = folder / "task.yaml"
    path.write_text(text, encoding="utf-8")
    (task,) = load_tasks(path)
    return task


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load(tmp_path)

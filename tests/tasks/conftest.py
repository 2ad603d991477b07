from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

Load = Callable[[str], list[Task]]

TASK = """\
id: files/copy
instruction: Copy a.txt to b.txt.
intentions:
  source: {say: a.txt, kind: filename}
  target: {say: b.txt, kind: filename}
value: all(source, target)
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write a text to ``suite.yaml`` and load it."""

    def write_and_load(text: str) -> list[Task]:
        path = tmp_path / "suite.yaml"
        path.write_text(text, encoding="utf-8")
        return load_tasks(path)

    return write_and_load

"""Tasks for tests of their context."""

from __future__ import annotations

from pathlib import Path

from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

TASK = """\
id: garden/plan-beds
instruction: Move beds_north.ods to /srv/garden and set maxRows to 12.
script: move beds underscore north dot o d s to slash s r v slash garden and set max rows in camel case to twelve
intentions:
  book: {say: beds_north.ods, kind: filename}
  target: {say: /srv/garden, kind: path}
  key: {say: maxRows, kind: identifier, also: [max_rows]}
  keep: {say: leave the rest where it is, kind: gist, keywords: [[leave, keep]]}
value: mean(book, target, key, keep)
"""


def task_of(folder: Path, context: str = "{}", more: str = "") -> Task:
    """The task above, in a file of the folder, with a context."""
    path = folder / "tasks.yaml"
    path.write_text(f"{TASK}context: {context}\n{more}", encoding="utf-8")
    (task,) = load_tasks(path)
    return task


def plant(folder: Path, files: dict[str, str]) -> None:
    """Write text files, with their folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

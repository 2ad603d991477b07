"""Two shipped suites as a data set, and a small one with a manifest of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_talk2agent.recording.dataset.collection import DataSet, collect
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest
from pytest_talk2agent.tasks.task import Task
from tests.conftest import PORT, REPORT, TASKS

ROOT = Path(__file__).parents[3]


def suite(*names: str) -> list[Task]:
    return [task for name in names for task in load_tasks(ROOT / "suites" / name / "tasks.yaml")]


@pytest.fixture(scope="session")
def shipped() -> DataSet:
    return collect(suite("git", "desktop"), None)


class Small:
    """The two tasks of the tests in a folder, and recordings of a shipped suite that stand for theirs."""

    SOUNDS = sorted((ROOT / "fixtures_audio" / "git").glob("*.flac"))

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pytest.ini").touch()
        self.task_file = folder / "tasks.yaml"
        self.task_file.write_text(TASKS, encoding="utf-8")
        self.rows: list[dict[str, object]] = []

    def add(self, task: str, name: str, sound: int = 0, **values: object) -> Path:
        path = self.folder / name
        shutil.copyfile(self.SOUNDS[sound], path)
        row = {"task": task, "audio": name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **values}
        self.rows.append({key: value for key, value in row.items() if value is not None})
        return path

    @property
    def manifest(self) -> Path:
        path = self.folder / "manifest.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows), encoding="utf-8")
        return path

    def data(self, tasks: Sequence[Task] | None = None) -> DataSet:
        own = load_tasks(self.task_file) if tasks is None else tasks
        return collect(own, read_manifest(self.manifest))


@pytest.fixture
def small(tmp_path: Path) -> Small:
    return Small(tmp_path)


@pytest.fixture
def filled(small: Small) -> Small:
    """Three recordings of two tasks by a voice and a person."""
    small.add(REPORT, "a.flac", 0, speaker="amy", take=1, seconds=8.86, note="calm")
    small.add(REPORT, "b.flac", 1, speaker="tone", take="tone", voice="flite:rms")
    small.add(PORT, "c.flac", 2, speaker="amy", take=1)
    for row in small.rows:
        row.pop("seconds", None)
    return small

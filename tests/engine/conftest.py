from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.results.store import Store
from tests.conftest import write_tone
from tests.engine import fake

MakeJob = Callable[..., Job]


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    fake.ASKED.clear()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def job(tmp_path: Path) -> MakeJob:
    """Make a job with a recording of its own: ``job("port", seconds=0.5)``."""
    made: dict[str, Path] = {}

    def make(
        name: str, *, seconds: float = 0.2, spec: str = "fake", task: str | None = None, sha256: str | None = None
    ) -> Job:
        if name not in made:
            made[name] = write_tone(tmp_path / "audio" / f"{name}.wav", 200.0 + 50 * len(made), seconds)
        return Job(spec, Utterance(task or name, "amy", f"say {name}", f"say {name}", made[name]), sha256)

    return make

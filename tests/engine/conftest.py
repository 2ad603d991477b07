from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.job_client import Mailbox, ServerAddress, start_remote
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript
from tests.conftest import write_tone
from tests.engine import fake
from tests.engine.ray_cluster import two_nodes

MakeJob = Callable[..., Job]


def ask(jobs: Sequence[Job], address: ServerAddress) -> Mailbox:
    """Ask a model server for some jobs."""
    mailbox = Mailbox()
    start_remote(jobs, address, mailbox)
    return mailbox


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


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture
def engine(cluster: Any) -> str:
    return f"ray:{cluster.address}"


class Pass:
    """One pass, with everything that came of it."""

    def __init__(self, jobs: Sequence[Job], store: Store, engine: str = "local") -> None:
        self.delivered: list[tuple[str, Transcript | str]] = []
        self.progress: list[Progress] = []
        setup = Setup(interfaces=fake.INTERFACES, engine=engine)
        transcribe_all(jobs, store, setup, lambda *pair: self.delivered.append(pair), self.progress.append)
        self._found = dict(self.delivered)
        assert sorted(key for key, _ in self.delivered) == sorted({job.key for job in jobs}), "each job once"

    def text(self, job: Job) -> str:
        """The transcript of a job, or the line that says why there is none."""
        outcome = self._found[job.key]
        return outcome if isinstance(outcome, str) else outcome.text

    def transcript(self, job: Job) -> Transcript:
        outcome = self._found[job.key]
        assert isinstance(outcome, Transcript)
        return outcome

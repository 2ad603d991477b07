"""A frozen pass: what the store has is delivered, what it lacks is said, and nobody is asked."""

from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript
from tests.engine import fake
from tests.engine.conftest import MakeJob
from tests.results.builders import damage_one


def frozen_pass(jobs: list[Job], store: Store, engine: str = "local") -> tuple[dict[str, Transcript | str], Progress]:
    found: dict[str, Transcript | str] = {}
    last: list[Progress] = []
    transcribe_all(
        jobs, store, Setup(fake.INTERFACES, frozen=True, engine=engine), lambda *pair: found.update([pair]), last.append
    )
    return found, last[-1]


def test_only_what_is_stored_is_delivered(job: MakeJob, store: Store) -> None:
    known, unknown = job("port"), job("report")
    transcribe_all([known], store, Setup(fake.INTERFACES), lambda *pair: None, lambda progress: None)
    assert fake.ASKED == [["port"]]
    found, progress = frozen_pass([known, unknown], store)
    transcript = found[known.key]
    assert isinstance(transcript, Transcript)
    assert transcript.text == "heard port"
    assert found[unknown.key] == (
        "report: frozen: the store has no transcript of report.wav by fake; run once without --t2a-frozen"
    )
    assert fake.ASKED == [["port"]]
    assert progress.done == 2


def test_another_build_is_a_miss(job: MakeJob, store: Store) -> None:
    one = job("port")
    transcribe_all([one], store, Setup(fake.INTERFACES), lambda *pair: None, lambda progress: None)
    other = replace(one, spec="fake:better")
    found, _ = frozen_pass([other], store)
    assert "by fake:better" in str(found[other.key])


def test_a_damaged_record_is_an_error_that_says_so(job: MakeJob, store: Store) -> None:
    jobs = [job("port"), job("report")]
    transcribe_all(jobs, store, Setup(fake.INTERFACES), lambda *pair: None, lambda progress: None)
    damaged = damage_one(store.root)
    found, _ = frozen_pass(jobs, Store(store.root))
    (fault,) = [outcome for outcome in found.values() if isinstance(outcome, str)]
    name = fault.partition(":")[0]
    assert fault == (
        f"{name}: frozen: the store has no transcript of {name}.wav by fake that can be used:"
        f" the stored record {damaged} does not match its digest; run once without --t2a-frozen"
    )
    assert len(fake.ASKED) == 2


def test_no_cluster_is_started_for_it(job: MakeJob, store: Store) -> None:
    one = job("port")
    found, _ = frozen_pass([one], store, engine="ray:nowhere.example.org:1")
    assert "frozen" in str(found[one.key])


def test_it_travels_to_the_model_server() -> None:
    setup = Setup(fake.INTERFACES, "2.50", "ray", frozen=True)
    assert Setup(**setup.to_json()) == setup

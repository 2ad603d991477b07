"""Where the store has everything, the run takes it from there; else it is asked for nothing and the server for all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.mailbox import Mailbox
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.engine.stored import answer_stored
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob, Pass
from tests.results.builders import damage_one

PLAIN = Setup()


class Answers:
    """What came of asking the store alone."""

    def __init__(self, jobs: Sequence[Job], store: Store, setup: Setup = PLAIN) -> None:
        self.mailbox = Mailbox()
        interfaces = {job.spec: fake.make(parse_spec(job.spec)) for job in jobs}
        self.done = answer_stored(jobs, interfaces, store, setup, self.mailbox)
        self.mailbox.close("nobody was asked")
        self.keys = list(self.mailbox.arrivals())


def test_what_is_stored_is_what_the_server_would_have_said(job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("b"), job("c", spec="fake:other"), job("a", task="again")]
    first = Pass(jobs, store)
    second = Pass(jobs, store)
    fake.ASKED.clear()
    found = Answers(jobs, store)
    assert found.done == second.progress[-1] == Progress(total=4, done=4, stored=4)
    assert {one.key: found.mailbox.get(one) for one in jobs} == dict(first.delivered)
    assert fake.ASKED == []


def test_one_that_is_not_stored_leaves_everything_to_the_server(job: MakeJob, store: Store) -> None:
    Pass([job("a"), job("b")], store)
    fake.ASKED.clear()
    found = Answers([job("a"), job("b"), job("c")], store)
    assert (found.done, found.keys, fake.ASKED) == (None, [], [])


def test_a_record_that_cannot_be_believed_is_heard_anew(job: MakeJob, store: Store) -> None:
    Pass([job("a")], store)
    damage_one(store.root)
    assert Answers([job("a")], store).done is None
    assert "does not match its digest" in store.rejected[0]


@pytest.mark.parametrize("spec", ["fake", "fake+repair"])
def test_who_must_be_loaded_or_repairs_is_asked_in_the_server(
    job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.setattr(fake.Fake, "inspectable", spec != "fake")
    Pass([job("a", spec=spec)], store)
    assert Answers([job("a", spec=spec)], store).done is None


def test_who_cannot_be_known_again_hears_anew(job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Pass([job("a")], store)
    monkeypatch.setattr(fake.Fake, "reproducible", False, raising=False)
    assert Answers([job("a")], store).done is None
    assert Answers([job("a")], store, Setup(frozen=True)).done == Progress(total=1, done=1, stored=1)


def test_who_hears_anew_asks_the_store_for_nothing(job: MakeJob, store: Store) -> None:
    Pass([job("a")], store)
    assert Answers([job("a")], store, Setup(refresh=True)).done is None


def test_a_budget_that_cannot_be_kept_is_said_by_the_server(
    job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def charge_to(self: fake.Fake, budget: Budget) -> None:
        if budget.limit is not None:
            raise InterfaceError("its prices are not known")

    Pass([job("a")], store)
    monkeypatch.setattr(fake.Fake, "charge_to", charge_to, raising=False)
    assert Answers([job("a")], store, Setup(budget="1")).done is None
    assert Answers([job("a")], store).done == Progress(total=1, done=1, stored=1)


def test_a_recording_that_is_gone_needs_no_server(job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("b")]
    Pass(jobs, store)
    path = jobs[1].utterance.path
    assert path is not None
    path.unlink()
    found = Answers(jobs, store)
    assert found.done == Progress(total=2, done=2, stored=1, failed=1)
    with pytest.raises(TranscriptionError, match=r"b\.wav"):
        found.mailbox.get(jobs[1])


def test_a_frozen_run_needs_no_server_to_say_what_is_missing(job: MakeJob, store: Store) -> None:
    found = Answers([job("a")], store, Setup(frozen=True))
    assert found.done == Progress(total=1, done=1, failed=1)
    with pytest.raises(TranscriptionError, match=r"frozen: the store has no transcript of a\.wav"):
        found.mailbox.get(job("a"))

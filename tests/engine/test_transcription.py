"""The transcription pass: every job is answered exactly once, whatever goes wrong with the others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.engine import condition_pass, transcription
from pytest_talk2agent.engine.condition_pass import STALL_SECONDS
from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.transcription import (
    LEAST_LOAD_SECONDS,
    LOAD_SECONDS,
    answer_stored,
    identify,
    transcribe_all,
)
from pytest_talk2agent.interfaces.protocol import work_here
from pytest_talk2agent.interfaces.spec import Spec, parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.speech.audio import file_sha256
from tests.engine import fake
from tests.engine.conftest import MakeJob, Pass
from tests.results.builders import damage_one


def test_a_transcript_says_what_made_it(job: MakeJob, store: Store) -> None:
    one = job("port", seconds=0.5)
    found = Pass([one], store).transcript(one)
    assert found.text == "heard port"
    assert found.identity == {"name": "fake", "model": "good"}
    assert found.audio_sha256 == file_sha256(one.utterance.path or Path())
    assert found.seconds == 0.5
    assert found.elapsed is not None
    assert 0 <= found.elapsed < 60


def test_the_shortest_come_first(job: MakeJob, store: Store) -> None:
    Pass([job("long", seconds=0.6), job("short", seconds=0.1), job("middle", seconds=0.3)], store)
    assert fake.ASKED == [["short"], ["middle"], ["long"]]


def test_an_interface_that_says_nothing_of_batches_is_asked_one_by_one(
    job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = fake.Fake.__init__

    def without_size(self: fake.Fake, spec: Spec) -> None:
        init(self, spec)
        del self.batch_size

    monkeypatch.setattr(fake.Fake, "__init__", without_size)
    Pass([job("a"), job("b")], store)
    assert [len(batch) for batch in fake.ASKED] == [1, 1]


@pytest.mark.parametrize(("size", "batches"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (9, [5])])
def test_batches_are_as_large_as_the_interface_says(job: MakeJob, store: Store, size: int, batches: list[int]) -> None:
    jobs = [job(name, spec=f"fake?size={size}") for name in "abcde"]
    done = Pass(jobs, store)
    assert [len(batch) for batch in fake.ASKED] == batches
    assert [done.text(one) for one in jobs] == [f"heard {name}" for name in "abcde"]


@pytest.mark.parametrize(
    ("bound", "batches"),
    [
        (0.05, [["a"], ["b"], ["c"], ["d"], ["e"]]),  # one that is too long for any batch goes alone
        (0.35, [["a", "b"], ["c"], ["d"], ["e"]]),
        (0.65, [["a", "b", "c"], ["d"], ["e"]]),
        (1.0, [["a", "b", "c", "d"], ["e"]]),
        (1.5, [["a", "b", "c", "d", "e"]]),
    ],
)
def test_a_batch_is_bounded_by_its_sound(
    job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch, bound: float, batches: list[list[str]]
) -> None:
    monkeypatch.setattr(condition_pass, "BATCH_SECONDS", bound)
    jobs = [job(name, seconds=0.1 * length, spec="fake?size=100") for length, name in enumerate("abcde", 1)]
    done = Pass(jobs, store)
    assert [*fake.ASKED] == batches
    assert [done.text(one) for one in jobs] == [f"heard {name}" for name in "abcde"]


def test_sound_and_number_bound_a_batch_together(job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condition_pass, "BATCH_SECONDS", 0.95)
    jobs = [job(name, seconds=0.1, spec="fake?size=3") for name in "abcd"]
    Pass([*jobs, *(job(name, seconds=0.5, spec="fake?size=3") for name in "ef")], store)
    assert [len(batch) for batch in fake.ASKED] == [3, 2, 1]


def test_one_audio_is_heard_once_for_all_its_jobs(job: MakeJob, store: Store) -> None:
    jobs = [job("same", task="one"), job("same", task="two"), job("other")]
    done = Pass(jobs, store)
    assert sorted(fake.ASKED) == [["other"], ["same"]]
    assert [done.text(one) for one in jobs] == ["heard same", "heard same", "heard other"]


def test_a_job_that_is_asked_twice_is_answered_once(job: MakeJob, store: Store) -> None:
    done = Pass([job("a"), job("a")], store)
    assert len(done.delivered) == 1


def test_a_second_pass_asks_nothing(job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("b")]
    first = Pass(jobs, store)
    fake.ASKED.clear()
    second = Pass(jobs, store)
    assert fake.ASKED == []
    assert dict(first.delivered) == dict(second.delivered)
    assert second.progress[-1] == Progress(total=2, done=2, stored=2)


def test_each_interface_hears_for_itself(job: MakeJob, store: Store) -> None:
    Pass([job("a", spec="fake:one"), job("a", spec="fake:two")], store)
    assert fake.ASKED == [["a"], ["a"]]


def test_a_recording_that_is_not_the_declared_one_fails_alone(job: MakeJob, store: Store) -> None:
    right, wrong = job("right"), job("wrong", sha256="0" * 64)
    done = Pass([wrong, right], store)
    assert "its SHA-256 is" in done.text(wrong)
    assert done.text(right) == "heard right"


def test_the_declared_hash_is_checked_in_any_case(job: MakeJob, store: Store) -> None:
    plain = job("a")
    declared = replace(plain, sha256=file_sha256(plain.utterance.path or Path()).upper())
    assert Pass([declared], store).text(declared) == "heard a"


def spoil(one: Job, content: bytes | None) -> Job:
    assert one.utterance.path is not None
    if content is None:
        one.utterance.path.unlink()
    else:
        one.utterance.path.write_bytes(content)
    return one


@pytest.mark.parametrize("content", [None, b"", b"no sound at all\n", b"RIFF\x00\x00\x00\x00WAVE", b"\x00" * 100])
def test_bad_audio_fails_its_own_job_only(job: MakeJob, store: Store, content: bytes | None) -> None:
    good, bad = job("good", spec="fake?size=8"), spoil(job("bad", spec="fake?size=8"), content)
    done = Pass([bad, good], store)
    assert done.text(bad).startswith(f"{bad.utterance.path}: ")
    assert done.text(good) == "heard good"
    assert fake.ASKED == [["good"]]
    assert done.progress[-1] == Progress(total=2, done=2, failed=1)


def test_a_batch_without_any_good_audio_is_not_asked_for(job: MakeJob, store: Store) -> None:
    Pass([spoil(job("bad"), b"no sound")], store)
    assert fake.ASKED == []


def test_a_task_without_a_recording_fails_alone(job: MakeJob, store: Store) -> None:
    good, without = job("good"), job("without")
    without = replace(without, utterance=replace(without.utterance, path=None))
    done = Pass([without, good], store)
    assert done.text(without) == "without: the task lists no recording; add one under `recordings`"
    assert done.text(good) == "heard good"


def test_what_the_interface_refuses_fails_alone_and_is_not_stored(job: MakeJob, store: Store) -> None:
    good, refused = job("good", spec="fake?size=8"), job("refused", spec="fake?size=8")
    for _ in range(2):
        done = Pass([refused, good], store)
        assert done.text(refused) == "refused"
        assert done.text(good) == "heard good"
    assert [name for batch in fake.ASKED for name in batch].count("refused") == 2


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("fake:raises", "fake:raises: RuntimeError: no more memory"),
        ("fake:exits", "fake:exits: SystemExit: the recogniser gave up"),
        ("fake:short?size=2", "fake:short?size=2: 1 transcript for 2 recordings"),
        ("fake?size=0", "fake?size=0: batch_size must be a whole number from 1 up, not 0"),
        ("fake?size=many", "fake?size=many: ValueError: invalid literal for int() with base 10: 'many'"),
    ],
)
def test_an_interface_that_cannot_work_fails_its_jobs_and_no_others(
    job: MakeJob, store: Store, spec: str, line: str
) -> None:
    bad, good = [job("a", spec=spec), job("b", spec=spec)], job("c")
    done = Pass([*bad, good], store)
    assert [done.text(one) for one in bad] == [line, line]
    assert done.text(good) == "heard c"


@pytest.mark.parametrize(("spec", "seconds"), [("fake", []), ("fake:limited", [LEAST_LOAD_SECONDS])])
def test_an_interface_with_a_limit_has_one_to_say_what_it_is(spec: str, seconds: list[float]) -> None:
    told: list[float | None] = []
    identify(spec, Setup(fake.INTERFACES), lambda _, limit: told.append(limit), "key")
    assert told == [LOAD_SECONDS, *seconds, None]


def test_an_unknown_interface_is_one_line_for_each_job(job: MakeJob, store: Store) -> None:
    unknown = job("a", spec="fakir")
    assert "unknown interface 'fakir'; did you mean 'fake'?" in Pass([unknown], store).text(unknown)


def test_a_text_that_utf_8_cannot_hold_fails_alone(job: MakeJob, store: Store) -> None:
    jobs = [job(name, spec="fake:broken?size=8") for name in ("odd", "fine")]
    done = Pass(jobs, store)
    assert done.text(jobs[0]) == (
        "odd: fake:broken?size=8 returned a transcript that is no valid text (U+D83D at character 13 stands alone)"
    )
    assert done.text(jobs[1]) == "heard fine"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("free", "what no record can hold: detail['cost'] is 'free', not an amount"),
        ("negative", "what no record can hold: detail['cost'] is -1, not an amount"),
        ("suspect", "what no record can hold: detail['suspect'] is None, not a list of texts"),
        ("none", "what no record can hold: detail is a NoneType, not a mapping"),
        ("endless", "what no record can hold: detail['p'] is inf, which is no number"),
        ("object", "what no record can hold: detail['p'][0] is a object, which is no plain value"),
        ("lone", "what no record can hold: detail['words']['a'] is no valid text"),
        ("number", "a int as a transcript; return a Hypothesis"),
        ("state", "the state 'lost'; known: transcribed, refused, answered, truncated"),
        ("sent", "as the terms it sent what is no tuple of texts"),
        ("nothing", "a NoneType as a transcript; return a Hypothesis"),
        ("endlessly", "a transcript of 100005 characters; at most 100000 are taken"),
    ],
)
def test_what_no_record_can_hold_fails_alone(job: MakeJob, store: Store, name: str, fault: str) -> None:
    odd, fine = job(name, spec="fake:odd?size=8"), job("fine", spec="fake:odd?size=8")
    done = Pass([odd, fine], store)
    assert done.text(odd) == f"{name}: fake:odd?size=8 returned {fault}"
    assert done.text(fine) == "heard fine"


def test_an_interface_that_returns_texts_is_told_for_each(job: MakeJob, store: Store) -> None:
    one = job("a", spec="fake:strings")
    assert Pass([one], store).text(one) == "a: fake:strings returned a str as a transcript; return a Hypothesis"


def test_one_record_that_is_damaged_is_heard_anew_and_the_others_are_not(job: MakeJob, store: Store) -> None:
    jobs = [job(name, spec="fake?size=8") for name in ("one", "two")]
    Pass(jobs, store)
    damaged = damage_one(store.root)
    again = Store(store.root)
    done = Pass(jobs, again)
    assert [done.text(one) for one in jobs] == ["heard one", "heard two"]
    assert [len(batch) for batch in fake.ASKED] == [2, 1]
    assert again.rejected == [f"{damaged}: does not match its digest"]


def test_a_store_that_cannot_be_written_is_one_line_for_each_job(job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    jobs = [job("a"), job("b")]
    done = Pass(jobs, Store(tmp_path / "file"))
    assert {done.text(one) for one in jobs} == {
        f"store {tmp_path / 'file'}: cannot read it (Not a directory); name a folder of yours with --t2a-store=DIR"
    }


def test_progress_rises_by_one_to_the_total(job: MakeJob, store: Store) -> None:
    done = Pass([job("a"), job("refused"), job("c", spec="fake:raises")], store)
    assert [progress.done for progress in done.progress] == [1, 2, 3]
    assert str(done.progress[-1]) == "0 of 3 transcripts from the store, 1 recording transcribed, 2 failed"


def test_progress_adds_up() -> None:
    assert Progress(3, 2, 1, 0) + Progress(4, 3, 0, 2) == Progress(7, 5, 1, 2)


def test_what_a_death_would_cost_is_said_before_it_can_happen(job: MakeJob, store: Store) -> None:
    jobs = [job("a"), job("b"), job("c", spec="fake:limited")]
    said: list[tuple[list[str], float | None]] = []
    transcribe_all(
        jobs,
        store,
        Setup(interfaces=fake.INTERFACES),
        lambda *pair: None,
        lambda progress: None,
        lambda keys, seconds: said.append((list(keys), seconds)),
    )
    a, b, c = (one.key for one in jobs)
    assert said == [
        ([a, b], LOAD_SECONDS),
        ([a], STALL_SECONDS),
        ([b], STALL_SECONDS),
        ([], None),
        ([c], LOAD_SECONDS),
        ([c], LEAST_LOAD_SECONDS),
        ([c], LOAD_SECONDS),
        ([c], 1.5),
        ([], None),
    ]


def test_on_a_cluster_a_batch_may_wait_for_room(job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcription, "_worker", lambda setup: nullcontext(work_here))
    said: list[float | None] = []
    setup = Setup(interfaces=fake.INTERFACES, engine="ray")
    transcribe_all(
        [job("a")], store, setup, lambda *pair: None, lambda progress: None, lambda _, seconds: said.append(seconds)
    )
    assert said == [LOAD_SECONDS, None, None]


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

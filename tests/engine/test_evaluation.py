"""From a subject to its result, and what a baseline may be compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.evaluation import (
    Evaluation,
    Policy,
    candidate_of,
    references_of,
    refuse_other_builds,
)
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.engine.subject import Subject, subjects_of
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.judging.judge import Case, Judge
from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome, Rules
from pytest_talk2agent.tasks.loader import load_tasks
from tests.engine import fake
from tests.results.builders import CHANGED, JUDGE, KEPT, OPEN, interval, judgement, retention, transcript

TASKS = """\
id: files/set-port
instruction: Set the port to 8080 and restart nginx.
script: set the port to eighty eighty and restart nginx
recordings: [{audio: port.wav, speaker: amy}, {audio: port.wav, speaker: joe}]
intentions:
  port: {say: "8080", kind: number, critical: true}
  service: {say: nginx, kind: term}
value: 0.5*port + 0.5*service
---
id: files/nothing-listed
instruction: Restart nginx.
intentions: {service: {say: nginx, kind: term}}
value: service
thresholds: {shapley: 0.25}
"""


class StubJudge(Judge):
    """Gives the labels that a test wants, and counts."""

    fingerprint = JUDGE

    def __init__(self, answer: Judgement | Exception | None = None) -> None:
        self.answer = judgement() if answer is None else answer
        self.heard: list[str] = []

    def judge(self, case: Case) -> Judgement:
        self.heard.append(case.transcript)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


MakeSubjects = Callable[..., list[Subject]]


@pytest.fixture
def subjects(tmp_path: Path) -> MakeSubjects:
    """Subjects of the two tasks, under the specs that are named."""
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS, encoding="utf-8")

    def make(*specs: str, most: int | None = None) -> list[Subject]:
        registry = Registry()
        registry.register("fake", fake.make)
        return subjects_of(load_tasks(path), [Condition(parse_spec(spec), registry) for spec in specs], most)

    return make


def filled(jobs: Sequence[Job], mailbox: Mailbox, *, again: bool, **outcomes: Any) -> None:
    """Deliver something for every job: a transcript, or the line given for its take."""
    for job in jobs:
        mailbox.deliver(job.key, outcomes.get(job.utterance.take, transcript(f"take {job.utterance.take}")))
    mailbox.close("the end")


class TestSubjects:
    def test_items_are_grouped_by_condition(self, subjects: MakeSubjects) -> None:
        assert [subject.name for subject in subjects("fake", "rc=fake:new")] == [
            "files/set-port[fake-amy]",
            "files/set-port[fake-joe]",
            "files/nothing-listed[fake]",
            "files/set-port[rc-amy]",
            "files/set-port[rc-joe]",
            "files/nothing-listed[rc]",
        ]

    def test_a_control_needs_no_recording(self, subjects: MakeSubjects) -> None:
        assert [subject.name for subject in subjects("text")] == ["files/set-port[text]", "files/nothing-listed[text]"]

    def test_takes_are_bounded(self, subjects: MakeSubjects) -> None:
        assert [subject.take for subject in subjects("fake", most=1)] == ["amy", ""]

    def test_a_replay_without_recordings_has_an_item_for_each_recorded_take(
        self, subjects: MakeSubjects, tmp_path: Path
    ) -> None:
        lines = [f'{{"task": "files/nothing-listed", "take": "{take}", "transcript": "x"}}\n' for take in ("1", "2")]
        (tmp_path / "asr.jsonl").write_text("".join(lines), encoding="utf-8")
        found = [s.take for s in subjects(f"transcripts:{tmp_path / 'asr.jsonl'}") if s.task.id.endswith("listed")]
        assert found == ["1", "2"]

    def test_a_condition_knows_its_spec_without_its_label(self, subjects: MakeSubjects) -> None:
        (labelled, *_), (plain, *_) = subjects("rc=fake:new"), subjects("fake:new")
        assert (labelled.condition.label, labelled.condition.text) == ("rc", "fake:new")
        assert plain.condition.text == "fake:new"
        assert labelled.condition.fingerprint == plain.condition.fingerprint

    def test_a_wrong_spec_is_refused_at_once(self, subjects: MakeSubjects) -> None:
        with pytest.raises(InterfaceError, match="takes no model"):
            subjects("text:large")


class TestTranscripts:
    def test_only_what_hears_is_asked_for_and_each_once(self, subjects: MakeSubjects) -> None:
        asked: list[Job] = []
        evaluation = Evaluation(StubJudge(), Policy())
        every = [*subjects("fake"), *subjects("text")]
        evaluation.start([*every, *every], lambda jobs, mailbox, again: asked.extend(jobs))
        assert [job.utterance.take for job in asked] == ["amy", "joe", ""]

    def test_controls_start_nothing(self, subjects: MakeSubjects) -> None:
        evaluation = Evaluation(StubJudge(), Policy())
        assert evaluation.start(subjects("text", "script"), lambda jobs, mailbox, again: pytest.fail("started")) == {}
        evaluation.judge_as_ready({})
        said = [evaluation.transcript(subject).text for subject in subjects("text", "script")[::2]]
        assert said == ["Set the port to 8080 and restart nginx.", "set the port to eighty eighty and restart nginx"]

    def test_a_transcript_that_was_never_begun_is_an_error(self, subjects: MakeSubjects) -> None:
        with pytest.raises(TranscriptionError, match=r"files/set-port\[fake-amy\]: no transcription was begun"):
            Evaluation(StubJudge(), Policy()).transcript(subjects("fake")[0])

    def test_each_transcript_is_judged_once(self, subjects: MakeSubjects) -> None:
        judge = StubJudge()
        evaluation = Evaluation(judge, Policy())
        every = subjects("fake")[:2]
        evaluation.judge_as_ready(evaluation.start(every, filled))
        for subject in every:
            evaluation.retention(subject)
            evaluation.judgement(subject)
        assert judge.heard == ["take amy", "take joe"]

    def test_a_recording_that_failed_leaves_the_others_judged(self, subjects: MakeSubjects) -> None:
        judge = StubJudge()
        evaluation = Evaluation(judge, Policy())
        every = subjects("fake")[:2]
        evaluation.judge_as_ready(evaluation.start(every, partial(filled, amy="no such recording")))
        assert judge.heard == ["take joe"]
        with pytest.raises(TranscriptionError, match="no such recording"):
            evaluation.judgement(every[0])

    def test_a_judge_that_fails_fails_its_items_not_the_pass(self, subjects: MakeSubjects) -> None:
        judge = StubJudge(RuntimeError("no answer"))
        evaluation = Evaluation(judge, Policy())
        every = subjects("fake")[:2]
        evaluation.judge_as_ready(evaluation.start(every, filled))
        assert len(judge.heard) == 2
        with pytest.raises(RuntimeError, match="no answer"):
            evaluation.judgement(every[0])


def result_of(subject: Subject, judged: Judgement, policy: Policy | None = None) -> TaskResult:
    held_to = policy or Policy()
    evaluation = Evaluation(StubJudge(judged), held_to)
    evaluation.start([subject], filled)
    return evaluation.result(subject, f"tasks.yaml::{subject.name}", held_to.limits(subject))


class TestTriedAgain:
    def test_what_failed_is_asked_for_again_and_what_did_not_is_not(self, subjects: MakeSubjects) -> None:
        evaluation = Evaluation(StubJudge(), Policy())
        every = subjects("fake")[:2]
        asked: list[tuple[str, bool]] = []

        def begin(jobs: Sequence[Job], mailbox: Mailbox, *, again: bool) -> None:
            asked.extend((job.utterance.take, again) for job in jobs)
            filled(jobs, mailbox, again=again, **({} if again else {"amy": "the provider is down"}))

        evaluation.start(every, begin)
        with pytest.raises(TranscriptionError, match="the provider is down"):
            evaluation.transcript(every[0])
        for subject in every:
            evaluation.ask_again(subject)
        assert asked == [("amy", False), ("joe", False), ("amy", True)]
        assert evaluation.transcript(every[0]).text == "take amy"

    def test_a_judge_that_failed_is_asked_again(self, subjects: MakeSubjects) -> None:
        judge = StubJudge(RuntimeError("no answer"))
        evaluation = Evaluation(judge, Policy())
        subject = subjects("fake")[0]
        evaluation.start([subject], filled)
        for _ in range(2):
            with pytest.raises(RuntimeError):
                evaluation.judgement(subject)
        evaluation.ask_again(subject)
        with pytest.raises(RuntimeError):
            evaluation.judgement(subject)
        assert len(judge.heard) == 2

    def test_what_is_prepared_waits_and_keeps_its_faults_for_the_item(self, subjects: MakeSubjects) -> None:
        judge = StubJudge(RuntimeError("no answer"))
        evaluation = Evaluation(judge, Policy())
        subject = subjects("fake")[0]
        evaluation.start([subject], filled)
        evaluation.prepare(subject, judged=False)
        assert judge.heard == []
        evaluation.prepare(subject, judged=True)
        assert len(judge.heard) == 1
        with pytest.raises(RuntimeError, match="no answer"):
            evaluation.judgement(subject)


class TestResult:
    def test_a_result_has_everything(self, subjects: MakeSubjects) -> None:
        subject = subjects("rc=fake:new")[0]
        row = result_of(subject, judgement({"port": KEPT, "service": OPEN}))
        assert (row.key, row.condition, row.spec) == ("files/set-port[amy]", "rc", "fake:new")
        assert row.transcript.text == "take amy"
        assert row.retention.native == interval("1/2", "1")
        assert row.weights == {"port": Fraction(1, 2), "service": Fraction(1, 2)}
        assert row.verdict.outcome is Outcome.INCONCLUSIVE
        assert row.task_sha256 == subject.task.content_hash

    def test_critical_intentions_of_the_task_count(self, subjects: MakeSubjects) -> None:
        no_limits = Policy(Rules({"native": Fraction(0), "shapley": Fraction(0)}))
        row = result_of(subjects("fake")[0], judgement({"port": CHANGED, "service": KEPT}), no_limits)
        assert row.verdict.reasons == ("critical intention port changed",)

    def test_a_result_without_a_recording_has_no_audio(self, subjects: MakeSubjects) -> None:
        row = result_of(subjects("text")[0], judgement())
        assert row.audio is None
        assert row.transcript.audio_sha256 is None


def base_of(path: Path, *rows: TaskResult) -> Baseline:
    return Baseline(path, JUDGE).updated(rows, JUDGE, only_new=False)


class TestLimits:
    def test_one_is_the_default(self, subjects: MakeSubjects) -> None:
        assert Policy().limits(subjects("fake")[0]).thresholds == {"native": 1, "shapley": 1}

    def test_the_run_says_otherwise_and_the_task_again(self, subjects: MakeSubjects) -> None:
        policy = Policy(Rules({"native": Fraction("0.9"), "shapley": Fraction("0.8")}))
        assert policy.limits(subjects("fake")[0]).thresholds == {"native": Fraction("0.9"), "shapley": Fraction("0.8")}
        assert policy.limits(subjects("fake")[2]).thresholds == {"native": Fraction("0.9"), "shapley": Fraction("0.25")}

    def test_a_run_that_sets_the_baseline_has_no_default(self, subjects: MakeSubjects) -> None:
        assert Policy(accepts=True).limits(subjects("fake")[0]).thresholds == {}
        assert Policy(accepts=True).limits(subjects("fake")[2]).thresholds == {"shapley": Fraction("0.25")}

    def test_a_baseline_takes_the_place_of_the_default(self, subjects: MakeSubjects, tmp_path: Path) -> None:
        subject = subjects("fake")[0]
        base = base_of(tmp_path, result_of(subject, judgement({"port": CHANGED, "service": KEPT})))
        rules = Rules(tolerance=Fraction(1, 10))
        limits = Policy(rules, baseline=base, references={"fake": "fake"}).limits(subject)
        assert limits.thresholds == {}
        assert limits.baseline == {"native": interval("1/2"), "shapley": interval("1/2")}
        assert limits.tolerance == Fraction(1, 10)

    def test_an_item_that_the_baseline_lacks_has_none(self, subjects: MakeSubjects, tmp_path: Path) -> None:
        amy, joe, _ = subjects("fake")
        policy = Policy(baseline=base_of(tmp_path, result_of(amy, judgement())), references={"fake": "fake"})
        assert policy.limits(joe).baseline is None

    def test_a_condition_without_a_reference_is_compared_with_nothing(
        self, subjects: MakeSubjects, tmp_path: Path
    ) -> None:
        base = base_of(tmp_path, result_of(subjects("fake")[0], judgement()))
        limits = Policy(baseline=base).limits(subjects("rc=fake:new")[0])
        assert (limits.thresholds, limits.baseline) == ({}, None)


class TestComparison:
    @pytest.fixture
    def base(self, subjects: MakeSubjects, tmp_path: Path) -> Baseline:
        """A baseline of the first task, both takes, heard by ``fake``."""
        return base_of(tmp_path / "base.json", *(result_of(one, judgement()) for one in subjects("fake")[:2]))

    def test_without_a_baseline_there_is_nothing_to_refer_to(self, subjects: MakeSubjects) -> None:
        assert references_of(None, subjects("fake"), JUDGE, new=False) == {}

    def test_a_candidate_is_held_against_the_only_condition(self, subjects: MakeSubjects, base: Baseline) -> None:
        every = [*subjects("fake")[:2], *subjects("rc=fake:new")[:2]]
        assert references_of(base, every, JUDGE, new=False) == {"fake": "fake", "rc": "fake"}

    def test_a_new_item_is_refused_unless_it_is_to_be_added(self, subjects: MakeSubjects, base: Baseline) -> None:
        with pytest.raises(BaselineError, match=r"not in the baseline: files/nothing-listed\[\]"):
            references_of(base, subjects("fake"), JUDGE, new=False)
        assert references_of(base, subjects("fake"), JUDGE, new=True) == {"fake": "fake"}

    def test_a_new_condition_is_left_out_where_it_is_to_be_added(self, subjects: MakeSubjects, base: Baseline) -> None:
        assert references_of(base, subjects("rc=fake:new"), JUDGE, new=True) == {}

    def test_another_judge_is_refused_even_for_new_items(self, subjects: MakeSubjects, base: Baseline) -> None:
        with pytest.raises(BaselineError, match="made by judge"):
            references_of(base, subjects("fake"), "other/1", new=True)

    def test_another_build_of_the_same_name_is_refused(self, subjects: MakeSubjects, base: Baseline) -> None:
        every = subjects("fake")[:2]
        identify = attrgetter("identity")
        pins = every[0].condition.pins_of(every[0].condition.identity)
        policy = Policy(baseline=replace(base, conditions={"fake": pins}), references={"fake": "fake"})
        refuse_other_builds(policy, every, identify)
        older = replace(pins, fingerprint="0", identity={"name": "fake"})
        policy = replace(policy, baseline=replace(base, conditions={"fake": older}))
        with pytest.raises(BaselineError, match="another build of fake: model none -> good"):
            refuse_other_builds(policy, every, identify)

    def test_a_build_that_cannot_be_loaded_is_left_to_its_items(self, subjects: MakeSubjects, base: Baseline) -> None:
        def missing(condition: Condition) -> dict[str, str]:
            raise InterfaceError("no model")

        refuse_other_builds(Policy(baseline=base, references={"fake": "fake"}), subjects("fake")[:2], missing)

    def test_another_recording_is_refused_once_it_was_heard(self, subjects: MakeSubjects, base: Baseline) -> None:
        subject = subjects("fake")[0]
        policy = Policy(baseline=base, references={"fake": "fake"})
        policy.refuse_what_differs(subject, transcript(), retention())
        with pytest.raises(BaselineError, match=r"recording changed: files/set-port\[amy\] aaaaaaaa -> bbbbbbbb"):
            policy.refuse_what_differs(subject, transcript(audio_sha256="b" * 64), retention())

    @pytest.mark.parametrize("rules", [Rules(), Rules(margin={"native": Fraction(1, 10)})])
    def test_a_baseline_without_the_scores_of_an_item_is_no_limit_that_it_passes(
        self, subjects: MakeSubjects, base: Baseline, rules: Rules
    ) -> None:
        (key, entry), *_ = base.items["fake"].items()
        empty = replace(base, items={"fake": {key: replace(entry, native=None, shapley=None, scored=False)}})
        policy = Policy(rules, baseline=empty, references={"fake": "fake"})
        with pytest.raises(
            BaselineError, match=r"files/set-port\[amy\]: no native, shapley in the baseline; the task is"
        ):
            result_of(subjects("fake")[0], judgement({"port": CHANGED, "service": CHANGED}), policy)

    def test_another_recording_is_refused_with_a_margin_too(self, subjects: MakeSubjects, base: Baseline) -> None:
        (key, entry), *_ = base.items["fake"].items()
        other = replace(base, items={"fake": {key: replace(entry, audio_sha256="b" * 64)}})
        policy = Policy(Rules(margin={"native": Fraction(1, 10)}), baseline=other, references={"fake": "fake"})
        with pytest.raises(BaselineError, match="recording changed: files/set-port"):
            result_of(subjects("fake")[0], judgement(), policy)

    def test_a_result_is_not_compared_with_that_of_another_recording(
        self, subjects: MakeSubjects, base: Baseline
    ) -> None:
        policy = Policy(baseline=base, references={"fake": "fake"})
        entry = base.items["fake"]["files/set-port[amy]"]
        other = replace(base, items={"fake": {"files/set-port[amy]": replace(entry, audio_sha256="b" * 64)}})
        subject = subjects("fake")[0]
        assert result_of(subject, judgement(), policy).verdict.outcome is Outcome.PASSED
        with pytest.raises(BaselineError, match="recording changed: files/set-port"):
            result_of(subject, judgement(), replace(policy, baseline=other))

    def test_before_it_is_heard_only_the_declared_hash_is_known(self, subjects: MakeSubjects) -> None:
        found = candidate_of(subjects("fake")[0])
        assert (found.condition, found.key, found.audio_sha256) == ("fake", "files/set-port[amy]", None)

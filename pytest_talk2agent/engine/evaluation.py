"""From a subject to its result: transcript, labels, scores, verdict. Knows nothing of pytest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from pytest_talk2agent.context.decoys import inserted
from pytest_talk2agent.context.vocabulary import ContextError
from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.condition_pass import hypothesis_of
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.engine.subject import Subject
from pytest_talk2agent.grading.retention import Retention
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.judging.judge import Judge, case_of
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.results.baseline import Baseline, BaselineError, Candidate
from pytest_talk2agent.results.task_result import VERSION, TaskResult, Visible
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.verdict import Limits, Rules, decide
from pytest_talk2agent.tasks.task import Task


class Begin(Protocol):
    """Starts to transcribe jobs into a mailbox; with ``again``, jobs that failed are tried once more."""

    def __call__(self, jobs: Sequence[Job], mailbox: Mailbox, *, again: bool) -> object:
        """Begin, and return at once."""


@dataclass(frozen=True)
class Policy:
    """What items are held to, beyond what their task says: the rules of the run, and its baseline.

    ``references`` maps a condition's label to the condition of the baseline that it is compared with; a label that is
    absent has none. ``accepts`` says that this run sets the baseline, so that no default threshold applies.
    """

    rules: Rules = field(default_factory=Rules)
    baseline: Baseline | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    accepts: bool = False

    def limits(self, subject: Subject) -> Limits:
        """The limits of one item, from its task, the rules of the run and the baseline."""
        task, before = subject.task, None
        reference = self.references.get(subject.condition.label)
        if self.baseline is not None and reference is not None:
            entry = self.baseline.items[reference].get(subject.key)
            before = None if entry is None else entry.intervals()
        return self.rules.limits(
            {} if task.thresholds is None else task.thresholds.given(),
            before,
            must_pass=self.rules.pins(task.id, task.tags),
            compared=self.baseline is not None or self.accepts,
        )

    def refuse_what_differs(self, subject: Subject, transcript: Transcript, retention: Retention) -> None:
        """Raise BaselineError where the baseline has another recording of an item, or other scores than it can have."""
        reference = self.references.get(subject.condition.label)
        if self.baseline is None or reference is None or subject.key not in self.baseline.items[reference]:
            return
        item = replace(candidate_of(subject), audio_sha256=transcript.audio_sha256)
        self.baseline.refuse_other_suite(self.references, [item], self.baseline.judge)
        self.baseline.refuse_other_scores(reference, subject.key, retention.intervals())


class Evaluation:
    """The transcripts and judgements of one process, each made once.

    `start` must be called with every subject whose interface hears before its transcript is asked for.
    """

    def __init__(self, judge: Judge, policy: Policy) -> None:
        self.judge = judge
        self.policy = policy
        self._mailbox: Mailbox | None = None
        self._begin: Begin | None = None
        self._judging = threading.Lock()
        self._judgements: dict[tuple[Path, str, str, str], Future[Judgement]] = {}
        self._refused: dict[Subject, str] = {}

    def start(self, subjects: Sequence[Subject], begin: Begin) -> dict[str, Subject]:
        """Begin to transcribe what these subjects need; returns them by the key of their job."""
        self._begin = begin
        by_key, jobs = {}, {}
        for subject in subjects:
            if not subject.condition.engine_asked:
                continue
            try:
                job = subject.job
            except ContextError as error:
                self._refused[subject] = str(error)
                continue
            by_key[job.key], jobs[job.key] = subject, job
        if by_key:
            self._mailbox = Mailbox()
            begin(list(jobs.values()), self._mailbox, again=False)
        return by_key

    def judge_as_ready(self, by_key: Mapping[str, Subject]) -> None:
        """Judge each transcript while the next is made; returns when the last one has come."""
        if self._mailbox is None:
            return
        arrivals = (by_key[key] for key in self._mailbox.arrivals() if key in by_key)
        at_once = self.judge.concurrency
        if at_once == 1:
            for subject in arrivals:
                self._judge_ahead(subject)
            return
        pool = ThreadPoolExecutor(at_once, thread_name_prefix="t2a-judge")
        try:
            for subject in arrivals:
                pool.submit(self._judge_ahead, subject)
            pool.shutdown(wait=True)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _judge_ahead(self, subject: Subject) -> None:
        """Judge what an item will ask for; a missing transcript or a judge's error is reported by the item itself."""
        with suppress(Exception):
            self.judgement(subject)
            self.raw_judgement(subject)

    def transcript(self, subject: Subject) -> Transcript:
        """The transcript of a subject, as soon as there is one; raises TranscriptionError where there will be none."""
        if subject in self._refused:
            raise TranscriptionError(self._refused[subject])
        interface = subject.condition.interface
        if subject.condition.engine_asked:
            if self._mailbox is None:
                raise TranscriptionError(f"{subject.name}: no transcription was begun")
            return self._mailbox.get(subject.job)
        outcome = hypothesis_of(interface.transcribe([subject.utterance])[0], subject.job)
        return Transcript(
            text=outcome.text,
            fingerprint=subject.condition.fingerprint,
            identity=dict(interface.identity()),
            version=VERSION,
            detail=dict(outcome.detail),
        )

    def ask_again(self, subject: Subject) -> None:
        """Forget a transcript or judgement that failed, before its item is tried once more."""
        with self._judging:
            for place, known in list(self._judgements.items()):
                if place[:2] == (subject.task.path, subject.task.id) and known.done() and known.exception():
                    del self._judgements[place]
        if not subject.condition.engine_asked or subject in self._refused:
            return
        assert self._mailbox is not None
        assert self._begin is not None
        if self._mailbox.forget_failure(subject.job):
            self._begin([subject.job], self._mailbox, again=True)

    def prepare(self, subject: Subject, *, judged: bool) -> None:
        """Wait for what an item will ask for, outside the item; errors are raised again when the item asks."""
        if subject.condition.engine_asked and subject not in self._refused and self._mailbox is not None:
            self._mailbox.wait(subject.job)
        if judged:
            self._judge_ahead(subject)

    def judgement(self, subject: Subject) -> Judgement:
        """The labels of a subject's transcript; takes that were heard alike are judged once. Safe for threads.

        Raises JudgeError where the judge fails, TranscriptionError where there is no transcript.
        """
        transcript = self.transcript(subject)
        return self._judged(subject.task, transcript.text, transcript.state)

    def raw_judgement(self, subject: Subject) -> Judgement | None:
        """The labels of the transcript before its repair; None where there was none."""
        transcript = self.transcript(subject)
        return None if transcript.raw is None else self._judged(subject.task, transcript.raw, transcript.state)

    def _judged(self, task: Task, text: str, state: str) -> Judgement:
        place = (task.path, task.id, text, state)
        with self._judging:
            known = self._judgements.get(place)
            first = known is None
            if known is None:
                known = self._judgements[place] = Future()
        if first:
            try:
                known.set_result(undecided(self.judge.judge(case_of(task, text)), state))
            except BaseException as error:  # other threads wait for this result
                known.set_exception(error)
        return known.result()

    def retention(self, subject: Subject) -> Retention:
        """What is left of the task's value, exactly."""
        labels = self.judgement(subject).labels()
        return subject.task.grader().retention(
            retained=[name for name, label in labels.items() if label is Label.RETAINED],
            unresolved=[name for name, label in labels.items() if label is Label.UNRESOLVED],
        )

    def result(self, subject: Subject, node: str, limits: Limits) -> TaskResult:
        """Everything about one item, decided; raises TaskFileError where the grader has no exact answer."""
        task = subject.task
        transcript, judgement = self.transcript(subject), self.judgement(subject)
        with task.locating_errors():
            retention, weights = self.retention(subject), task.grader().shapley()
        self.policy.refuse_what_differs(subject, transcript, retention)
        critical = [name for name, intention in task.intentions.items() if intention.critical]
        return TaskResult(
            node=node,
            suite=task.suite,
            task=task.id,
            task_sha256=task.content_hash,
            take=subject.take,
            condition=subject.condition.label,
            spec=subject.condition.text,
            value=task.value,
            polarity=task.polarity,
            said=task.spoken,
            audio=None if subject.recording is None else str(subject.recording.audio),
            transcript=transcript,
            judgement=judgement,
            retention=retention,
            weights=weights,
            limits=limits,
            verdict=decide(retention, judgement, critical, limits, transcript.state),
            version=VERSION,
            kinds={name: intention.kind for name, intention in task.intentions.items()},
            raw=self.raw_judgement(subject),
            visible=visible_of(subject, transcript.text),
            critical=tuple(critical),
            grader=task.grader_source,
            proposed=task.source.status == "proposed",
        )


def visible_of(subject: Subject, text: str) -> Visible | None:
    """What the agent could see, and what of it got into the transcript unspoken; None where nothing made use of it."""
    visible = subject.visible
    if visible is None:
        return None
    spoken = [subject.task.instruction, subject.task.spoken]
    return Visible(
        decoys=visible.decoys,
        inserted=inserted(visible.terms, spoken, text),
        overlap=visible.overlap,
        checked=visible.checked,
        roots=visible.roots,
        rejected=visible.rejected,
    )


def undecided(judgement: Judgement, state: str) -> Judgement:
    """The labels where the state says there is no usable transcript: a refused or truncated one omits nothing."""
    if state == "transcribed":
        return judgement
    findings = {
        name: finding
        if state == "truncated" and finding.label is not Label.OMITTED
        else replace(finding, label=Label.UNRESOLVED, reason=f"the transcript is {state}")
        for name, finding in judgement.findings.items()
    }
    return replace(judgement, findings=findings)


def candidate_of(subject: Subject) -> Candidate:
    """What a baseline needs to know of a subject before it is transcribed: of its recording, the declared hash."""
    return Candidate(
        condition=subject.condition.label,
        key=subject.key,
        task_sha256=subject.task.content_hash,
        audio_sha256=None if subject.recording is None else subject.recording.sha256,
    )


def references_of(baseline: Baseline | None, subjects: Sequence[Subject], judge: str, *, new: bool) -> dict[str, str]:
    """Map each condition of a run to the one of the baseline that it is held against, after checking that they compare.

    With ``new``, conditions and items that the baseline lacks are left out instead of refused. Builds are compared by
    `refuse_other_builds`, since to know a build may mean to load it. Raises BaselineError.
    """
    if baseline is None:
        return {}
    conditions = {subject.condition.label: subject.condition for subject in subjects}
    references = {
        label: baseline.reference(label, condition.text)
        for label, condition in conditions.items()
        if not new or label in baseline.conditions
    }
    candidates = []
    for subject in subjects:
        reference = references.get(subject.condition.label)
        candidate = candidate_of(subject)
        if reference is not None and not (new and candidate.key not in baseline.items[reference]):
            candidates.append(candidate)
    baseline.refuse_other_suite(references, candidates, judge)
    return references


def refuse_other_builds(
    policy: Policy, subjects: Sequence[Subject], identify: Callable[[Condition], Mapping[str, str]]
) -> None:
    """Raise BaselineError where a condition is another build than the one of the same spec in the baseline.

    ``identify`` says what a condition is; it may raise InterfaceError.
    """
    conditions = {subject.condition.label: subject.condition for subject in subjects}
    for label in policy.references:
        if policy.baseline is None:
            continue
        try:
            pins = conditions[label].pins_of(identify(conditions[label]))
        except InterfaceError:
            continue  # what cannot be loaded has no build; each of its items will say so
        policy.baseline.refuse_other_build(label, pins)


def refuse_same_keys(path: Path, subjects: Sequence[Subject]) -> None:
    """Raise BaselineError where two tasks have one id: the baseline at ``path`` would hold only one of them."""
    first: dict[str, Subject] = {}
    for subject in subjects:
        other = first.setdefault(subject.key, subject).task
        if (other.path, other.line) != (subject.task.path, subject.task.line):
            places = f"{other.path}:{other.line} and {subject.task.path}:{subject.task.line}"
            raise BaselineError(f"{path}: two tasks are called {subject.task.id} ({places}); change the id of one")

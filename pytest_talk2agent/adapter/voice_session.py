"""What one pytest process knows of this plugin: settings, conditions, and the evaluation of its items."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.adapter.options import SUFFIXES

if TYPE_CHECKING:
    from pytest_talk2agent.engine.condition import Condition
    from pytest_talk2agent.engine.evaluation import Evaluation, Policy
    from pytest_talk2agent.engine.job import Job, Setup
    from pytest_talk2agent.engine.job_client import Mailbox, ServerAddress
    from pytest_talk2agent.engine.owner import ServerOwner
    from pytest_talk2agent.engine.progress import Progress
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.judging.judge import Judge
    from pytest_talk2agent.reporting.terminal import ProgressLine
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.results.store import Store
    from pytest_talk2agent.tasks.binding import Checkouts
    from pytest_talk2agent.tasks.manifest import Manifest
    from pytest_talk2agent.tasks.task import Task


class VoiceSession:
    """Made at most once a process, when an option names it or the first task file is met.

    ``worker`` is what the controller told an xdist worker. ``refusal`` says why a worker began no evaluation;
    ``stored`` is what was done where the store had everything; ``wordless`` has, by file, the tasks that were found and
    have their words in a checkout that was not named; ``cut_takes`` has, by condition, the keys of the recordings that
    ``--t2a-takes`` cuts off; ``notes`` say what the run leaves out, and why.
    """

    def __init__(self, config: pytest.Config) -> None:
        from pytest_talk2agent.adapter.settings import settings_of

        self.config = config
        self.settings = settings_of(config)
        self.worker: dict[str, Any] | None = (_worker_input(config) or {}).get("t2a")
        self._process = os.getpid()
        self.owner: ServerOwner | None = None
        self.stored: Progress | None = None
        self.policy: Policy | None = None
        self.evaluation: Evaluation | None = None
        self.refusal: str | None = None
        self.wordless: dict[Path, list[Task]] = {}
        self.cut_takes: dict[str, set[str]] = {}
        self.notes: list[str] = []

    @property
    def decides_here(self) -> bool:
        """Whether this process decides the run: no xdist worker does, nor a fork that is made for a test."""
        return self.worker is None and os.getpid() == self._process

    @cached_property
    def interfaces(self) -> dict[str, str]:
        """What hooks add to the built-in interfaces; raises pytest.UsageError where one fails or returns no names."""
        from pytest_talk2agent.interfaces.batch import one_line

        try:
            answers = self.config.hook.pytest_t2a_interfaces(config=self.config)
        except Exception as error:
            raise pytest.UsageError(f"a pytest_t2a_interfaces hook failed: {one_line(error)}") from error
        return _merged(answers)

    @cached_property
    def setup(self) -> Setup:
        """What a transcription pass needs besides its jobs."""
        from pytest_talk2agent.engine.job import Setup

        settings = self.settings
        return Setup(self.interfaces, settings.budget, settings.engine, settings.frozen, settings.refresh)

    @cached_property
    def conditions(self) -> list[Condition]:
        """The conditions of the run, checked; raises InterfaceError with one line."""
        from pytest_talk2agent.engine.condition import Condition
        from pytest_talk2agent.interfaces.registry import Registry

        registry = Registry()
        for name, target in self.interfaces.items():
            registry.register(name, target)
        return [Condition(spec, registry, frozen=self.settings.frozen) for spec in self.settings.specs]

    @cached_property
    def store(self) -> Store:
        """The store, as this process reads and writes it; the model server has one of its own."""
        from pytest_talk2agent.results.store import Store

        return Store(self.settings.store)

    @cached_property
    def judge(self) -> Judge:
        """The judge of the run; raises JudgeError with one line."""
        from pytest_talk2agent.judging.judge import JudgeError
        from pytest_talk2agent.judging.kept import KeptJudge
        from pytest_talk2agent.judging.lexical import LexicalJudge
        from pytest_talk2agent.judging.registry import make_judge

        judge = make_judge(self.settings.judge, _merged(self.config.hook.pytest_t2a_judges(config=self.config)))
        if isinstance(judge, LexicalJudge):
            return KeptJudge(judge, self.store, anew=self.settings.refresh)
        judge.keep_in(self.store, frozen=self.settings.frozen)
        judge.check()
        if self.settings.budget is not None and judge.unlimited:
            raise JudgeError(
                f"judge {self.settings.judge.partition('?')[0]!r}: --t2a-budget is for interfaces; say what the judge"
                " may cost, too: add budget=AMOUNT and its prices to its options"
            )
        return judge

    @cached_property
    def baseline(self) -> Baseline | None:
        """The baseline that items are compared with; None without one, or where this run replaces it."""
        from pytest_talk2agent.results.baseline import Baseline

        path = self.settings.baseline
        if path is None or self.settings.update == "all" or (self.settings.update == "new" and not path.exists()):
            return None
        return Baseline.load(path)

    @cached_property
    def stored_baseline(self) -> Baseline | None:
        """The baseline file on disk, even where the run replaces it; None where it is missing or unreadable."""
        from pytest_talk2agent.results.baseline import Baseline, BaselineError

        try:
            return self.baseline or (None if self.settings.baseline is None else Baseline.load(self.settings.baseline))
        except BaselineError:
            return None

    @cached_property
    def checkouts(self) -> Checkouts:
        """The checkouts of other benchmarks; raises ValueError for one that is unknown or named twice."""
        from pytest_talk2agent.tasks.binding import checkouts_of

        return checkouts_of(self.settings.checkouts)

    @cached_property
    def manifest(self) -> Manifest | None:
        """What supplies recordings and scripts, if anything does; raises TaskFileError."""
        from pytest_talk2agent.tasks.importers.dataset import recordings_at

        path = self.settings.manifest
        return None if path is None else recordings_at(path, (*self.settings.audio, *self.settings.roots))

    def subjects(self, path: Path, *, named: bool = True) -> list[Subject]:
        """Every subject of a task file; raises TaskFileError.

        Tasks whose words are not at hand are an error where the file was ``named``; one that was found in a folder goes
        on without them.
        """
        from pytest_talk2agent.engine.subject import refuse_bad_graders, refuse_unbound, subjects_of
        from pytest_talk2agent.tasks.binding import can_be_bound
        from pytest_talk2agent.tasks.importers.draft import proposed_tasks
        from pytest_talk2agent.tasks.importers.registry import format_of
        from pytest_talk2agent.tasks.loader import load_tasks

        foreign = None if path.suffix in SUFFIXES else format_of(path)
        tasks = proposed_tasks(path, foreign) if foreign else load_tasks(path, self.settings.audio, self.settings.roots)
        tasks = self.checkouts.bind(tasks)
        if self.manifest is not None:
            tasks = self.manifest.supply(tasks)
        if not named:
            self.wordless[path] = [task for task in tasks if not task.is_bound and can_be_bound(task)]
            tasks = [task for task in tasks if task.is_bound or not can_be_bound(task)]
        refuse_unbound(tasks)
        refuse_bad_graders(tasks)
        self._let_modify(path, tasks)
        every = subjects_of(tasks, self.conditions, None)
        most = self.settings.takes
        if most is None:
            return every
        kept = subjects_of(tasks, self.conditions, most)
        names = {subject.name for subject in kept}
        for subject in every:
            if subject.name not in names:
                self.cut_takes.setdefault(subject.condition.label, set()).add(subject.key)
        return kept

    def _let_modify(self, path: Path, tasks: list[Task]) -> None:
        """Ask the hooks; raises pytest.UsageError where one fails or leaves something else than tasks."""
        from pytest_talk2agent.interfaces.batch import one_line
        from pytest_talk2agent.tasks.task import Task

        try:
            self.config.hook.pytest_t2a_modify_tasks(config=self.config, path=path, tasks=tasks)
        except Exception as error:
            raise pytest.UsageError(f"{path}: a pytest_t2a_modify_tasks hook failed: {one_line(error)}") from error
        odd = [one for one in tasks if not isinstance(one, Task)]
        if odd:
            raise pytest.UsageError(f"{path}: a pytest_t2a_modify_tasks hook left {odd[0]!r:.80}, which is no task")

    def note(self, lines: Iterable[str]) -> None:
        """Say with the verdict what the run leaves out, in place of what was noted before."""
        self.notes = list(lines)

    def refuse(self, reason: str) -> None:
        """Begin no evaluation: every item fails for this reason."""
        self.refusal = reason

    def hold(self, subjects: Sequence[Subject]) -> None:
        """Set what the items of the run are held to; raises BaselineError as `make_policy`."""
        self.policy = self.make_policy(subjects) if subjects else None

    def make_policy(self, subjects: Sequence[Subject]) -> Policy:
        """What these subjects are held to; raises BaselineError where they must not be compared with the baseline."""
        from pytest_talk2agent.engine.evaluation import Policy, references_of, refuse_other_builds, refuse_same_keys

        if self.settings.baseline is not None:
            refuse_same_keys(self.settings.baseline, subjects)
        new = self.settings.update == "new"
        policy = Policy(
            rules=self.settings.rules,
            baseline=self.baseline,
            references=references_of(self.baseline, subjects, self.judge.fingerprint, new=new),
            accepts=self.settings.update is not None,
        )
        if policy.references:
            refuse_other_builds(policy, subjects, self.identify)
        return policy

    def identify(self, condition: Condition) -> Mapping[str, str]:
        """What a condition is; raises InterfaceError. Where that may load a model, the model server is asked."""
        if not condition.engine_asked or (self.worker is None and condition.inspectable):
            return condition.identity
        from pytest_talk2agent.engine.job_client import identity_of

        return identity_of(condition.spec.text, self.server)

    @cached_property
    def progress(self) -> ProgressLine:
        """Where the progress of the transcription is shown."""
        from pytest_talk2agent.reporting.terminal import ProgressLine

        return ProgressLine(self.config, beside_items=bool(self.config.getoption("tx", default=None)))

    @property
    def done(self) -> Progress | None:
        """What has been transcribed or found so far; None before the first request."""
        heard = None if self.owner is None else self.owner.progress
        return self.stored + heard if self.stored and heard else self.stored or heard

    @property
    def server(self) -> ServerAddress:
        """Where the model server answers; outside xdist workers it is owned here, and begins to listen now."""
        if self.worker is not None:
            from pytest_talk2agent.engine.job_client import ServerAddress

            return ServerAddress(**{name: self.worker[name] for name in ("port", "key", "log")})
        if self.owner is None:
            from pytest_talk2agent.engine.owner import ServerOwner

            self.owner = ServerOwner(self.settings.store, self.setup, self.progress.show)
        return self.owner.address

    def begin(self, subjects: Sequence[Subject], judged: Collection[int]) -> None:
        """Transcribe what the selected subjects need, and judge those that are ``judged`` (by id).

        Where the store has everything, nothing is heard; else the model server hears what is lacking. An xdist worker
        goes on at once: it waits for each transcript when its item comes.
        """
        from pytest_talk2agent.engine.evaluation import Evaluation

        assert self.policy is not None, "a plan was made"
        self.evaluation = Evaluation(self.judge, self.policy)
        by_key = self.evaluation.start(subjects, self._transcribe)
        if self.worker is None:
            self.evaluation.judge_as_ready({key: s for key, s in by_key.items() if id(s) in judged})
            done = self.done
            if done is not None:
                self.progress.show(done)
                self.progress.close()

    def _transcribe(self, jobs: Sequence[Job], mailbox: Mailbox, *, again: bool) -> None:
        """Start to fill a mailbox; where the store has everything, at once and without a model server."""
        if self.worker is None and not again and not self.settings.refresh:
            from pytest_talk2agent.engine.transcription import answer_stored

            _ = self.progress  # it counts the seconds from here
            interfaces = {condition.spec.text: condition.interface for condition in self.conditions}
            self.stored = answer_stored(jobs, interfaces, self.store, self.setup, mailbox)
            if self.stored is not None:
                return
        from pytest_talk2agent.engine.job_client import start_remote

        start_remote(jobs, self.server, mailbox, again=again)

    def pytest_unconfigure(self) -> None:
        """End the model server."""
        if self.owner is not None:
            self.owner.stop()
            self.owner = None


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return _worker_input(config) is not None


def _worker_input(config: pytest.Config) -> dict[str, Any] | None:
    """What xdist gives to the configuration of a worker; None elsewhere."""
    return getattr(config, "workerinput", None)


voice_key = pytest.StashKey[VoiceSession]()


def voice_of(config: pytest.Config) -> VoiceSession:
    """The session object of this process, which `opening.begin` has made."""
    return config.stash[voice_key]


def _merged(answers: Sequence[object]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for answer in reversed(answers):
        names = dict(answer) if isinstance(answer, Mapping) else None
        if names is None or not all(isinstance(text, str) for pair in names.items() for text in pair):
            raise pytest.UsageError(
                f"a pytest_t2a_interfaces hook returned {answer!r:.80}; return a mapping of names to 'module:attribute'"
            )
        merged.update(names)
    return merged

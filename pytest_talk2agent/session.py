"""What one pytest process knows of this plugin: settings, conditions, and the evaluation of its items."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_talk2agent.engine.conditions import Condition
    from pytest_talk2agent.engine.evaluation import Evaluation, Policy
    from pytest_talk2agent.engine.job import Job
    from pytest_talk2agent.engine.mailbox import Mailbox
    from pytest_talk2agent.engine.setup import Setup
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.judging.judge import Judge
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.tasks.binding import Checkouts
    from pytest_talk2agent.tasks.manifest import Manifest
    from pytest_talk2agent.tasks.task import Task

SUFFIXES = (".yaml", ".yml")
"""Of our own task files."""


class VoiceSession:
    """Made at most once a process, when an option names it or the first task file is met.

    ``refusal`` says why an xdist worker began no evaluation; ``wordless`` has, by file, the tasks that were found and
    have their words in a checkout that was not named; ``notes`` say what the run leaves out, and why.
    """

    def __init__(self, config: pytest.Config) -> None:
        from pytest_talk2agent.settings import settings_of

        self.config = config
        self.settings = settings_of(config)
        self.evaluation: Evaluation | None = None
        self.refusal: str | None = None
        self.wordless: dict[Path, list[Task]] = {}
        self.notes: list[str] = []

    @cached_property
    def interfaces(self) -> dict[str, str]:
        """What hooks add to the built-in interfaces."""
        return _merged(self.config.hook.pytest_t2a_interfaces(config=self.config))

    @cached_property
    def setup(self) -> Setup:
        """What a transcription pass needs besides its jobs."""
        from pytest_talk2agent.engine.setup import Setup

        settings = self.settings
        return Setup(self.interfaces, settings.budget, settings.engine, settings.frozen)

    @cached_property
    def conditions(self) -> list[Condition]:
        """The conditions of the run, checked; raises InterfaceError with one line."""
        from pytest_talk2agent.engine.conditions import Condition
        from pytest_talk2agent.interfaces.registry import Registry

        registry = Registry()
        for name, target in self.interfaces.items():
            registry.register(name, target)
        return [Condition(spec, registry, frozen=self.settings.frozen) for spec in self.settings.specs]

    @cached_property
    def judge(self) -> Judge:
        """The judge of the run; raises JudgeError with one line."""
        from pytest_talk2agent.judging.errors import JudgeError
        from pytest_talk2agent.judging.registry import make_judge

        judge = make_judge(self.settings.judge, _merged(self.config.hook.pytest_t2a_judges(config=self.config)))
        if hasattr(judge, "keep_in"):
            from pytest_talk2agent.results.store import Store

            judge.keep_in(Store(self.settings.store), frozen=self.settings.frozen)
        if hasattr(judge, "check"):
            judge.check()
        if self.settings.budget is not None and getattr(judge, "unlimited", False):
            raise JudgeError(
                f"judge {self.settings.judge.partition('?')[0]!r}: --t2a-budget is for interfaces; say what the judge"
                " may cost, too: add budget=AMOUNT and its prices to its options"
            )
        return judge

    @cached_property
    def baseline(self) -> Baseline | None:
        """The baseline that items are held against; None without one, or where the run sets it anew."""
        from pytest_talk2agent.results.baseline import Baseline

        path = self.settings.baseline
        if path is None or self.settings.update == "all" or (self.settings.update == "new" and not path.exists()):
            return None
        return Baseline.load(path)

    @cached_property
    def checkouts(self) -> Checkouts:
        """The checkouts of other benchmarks."""
        from pytest_talk2agent.tasks.binding import OPTIONS, Checkouts

        given = self.settings.checkouts
        return Checkouts({name: given[option] for name, option in OPTIONS.items() if option in given})

    @cached_property
    def manifest(self) -> Manifest | None:
        """What supplies recordings and scripts, if anything does; raises TaskFileError."""
        from pytest_talk2agent.tasks.importers.dataset import recordings_at

        path = self.settings.manifest
        return None if path is None else recordings_at(path, self.settings.audio)

    def check(self) -> None:
        """Make everything that the options name; raises pytest.UsageError with one line for the first that is wrong."""
        from pytest_talk2agent.interfaces.utterance import InterfaceError
        from pytest_talk2agent.judging.errors import JudgeError
        from pytest_talk2agent.results.baseline import Baseline, BaselineError
        from pytest_talk2agent.tasks.errors import TaskFileError

        try:
            _ = self.conditions, self.judge, self.baseline, self.manifest
            for benchmark in self.checkouts.paths:
                self.checkouts.of(benchmark)
            if self.settings.engine != "local" and not self.settings.frozen:
                from pytest_talk2agent.engine.ray import check_ray

                check_ray([(condition.text, condition.interface) for condition in self.conditions])
            if self.settings.update and self.settings.baseline and self.settings.baseline.exists():
                Baseline.load(self.settings.baseline)  # a file that cannot be updated is better known before the run
        except (InterfaceError, JudgeError, BaselineError, TaskFileError) as error:
            raise pytest.UsageError(str(error)) from None
        directory = self.settings.report
        try:
            if directory is not None and not self.config.option.collectonly:
                directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise pytest.UsageError(f"--t2a-report: cannot make the folder {directory}: {error.strerror}") from None

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
        tasks = proposed_tasks(path, foreign) if foreign else load_tasks(path, self.settings.audio)
        tasks = self.checkouts.bind(tasks)
        if self.manifest is not None:
            tasks = self.manifest.supply(tasks)
        if not named:
            self.wordless[path] = [task for task in tasks if not task.is_bound and can_be_bound(task)]
            tasks = [task for task in tasks if task.is_bound or not can_be_bound(task)]
        refuse_unbound(tasks)
        refuse_bad_graders(tasks)
        self.config.hook.pytest_t2a_modify_tasks(config=self.config, path=path, tasks=tasks)
        return subjects_of(tasks, self.conditions, self.settings.takes)

    def policy(self, subjects: Sequence[Subject]) -> Policy:
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
        if not hasattr(self.config, "workerinput"):
            refuse_other_builds(policy, subjects)
        return policy

    def begin(self, subjects: Sequence[Subject], policy: Policy) -> None:
        """Transcribe what the selected subjects need: here, or on the model server where this is an xdist worker."""
        from pytest_talk2agent.engine.evaluation import Evaluation

        self.evaluation = Evaluation(self.judge, policy)
        remote = getattr(self.config, "workerinput", {}).get("t2a")
        if remote is not None:
            from pytest_talk2agent.engine.client import ServerAddress, start_remote

            self.evaluation.start(subjects, lambda jobs: start_remote(jobs, ServerAddress(**remote)))
            return
        from pytest_talk2agent.reporting.progress import ProgressLine

        line = ProgressLine(self.config)

        def begin(jobs: Sequence[Job]) -> Mailbox:
            from pytest_talk2agent.engine.local import start_local
            from pytest_talk2agent.results.store import Store

            line.open(len(jobs))
            return start_local(jobs, Store(self.settings.store), self.setup, line.show)

        by_key = self.evaluation.start(subjects, begin)
        self.evaluation.judge_as_ready(by_key)
        line.close()


voice_key = pytest.StashKey[VoiceSession]()


def voice_of(config: pytest.Config) -> VoiceSession:
    """The one session object of this process."""
    if voice_key not in config.stash:
        config.stash[voice_key] = VoiceSession(config)
    return config.stash[voice_key]


def _merged(answers: Sequence[object]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for answer in reversed(answers):
        if isinstance(answer, dict):
            merged.update(answer)
    return merged

"""An item for each round in which an agent acts on a transcript, and what makes its result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.adapter.items import SpokenItem, file_of, identity_of, located_failure, rerun_of
from pytest_talk2agent.adapter.voice_session import voice_of
from pytest_talk2agent.reporting.properties import PREFIX, TRIAL, TRIAL_ITEM

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.execution.agents.agent_spec import AgentSpec
    from pytest_talk2agent.execution.record import Ledger, TrialRecord
    from pytest_talk2agent.execution.trial import Trials
    from pytest_talk2agent.execution.trial_result import TrialResult
    from pytest_talk2agent.remote.purse import SharedBudget
    from pytest_talk2agent.tasks.task import Task

FOLDER = "trials"
"""Where the store keeps the records of trials."""


class ExecutionError(AssertionError):
    """An agent did not reach what a trial is held to. Carries the result that says what it did."""

    def __init__(self, result: TrialResult) -> None:
        from pytest_talk2agent.reporting.trial_report import trial_headline

        super().__init__(trial_headline(result))
        self.result = result


def hold_against_limit(request: pytest.FixtureRequest) -> None:
    """The body of every trial."""
    item = request.node
    assert isinstance(item, TrialItem)
    assert item.result is not None, "it was set up"
    if item.result.fails:
        raise ExecutionError(item.result)


class TrialItem(SpokenItem):
    """One task, one recording, one condition, one agent, one round."""

    def __init__(self, *, agent: AgentSpec | None, round_: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.agent = agent
        self.round = round_
        self.result: TrialResult | None = None
        for mark in ("t2a", "t2a_execution", "slow"):
            self.add_marker(mark)

    def setup(self) -> None:
        """Run the trial before the test: what has no score is an error and no failure."""
        super().setup()
        if not self.config.option.setupplan:
            self.result = result_of(self)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Say what the agent did; a fault of ours or of a fixture keeps its traceback."""
        if not isinstance(excinfo.value, ExecutionError):
            return super().repr_failure(excinfo)
        from pytest_talk2agent.reporting.trial_report import trial_headline, trial_text

        result = excinfo.value.result
        text = trial_text(result, rerun_of(self.config).words(result))
        return located_failure(self, text, trial_headline(result))


def trial_items(parent: pytest.Collector, subjects: Sequence[Subject]) -> Iterator[TrialItem]:
    """The trials of some subjects, conditions outermost, rounds innermost.

    The agent is named where there are several. Without an agent there is one item for each round, to be deselected.
    """
    settings = voice_of(parent.config).settings
    agents: Sequence[AgentSpec | None] = settings.agents or (None,)
    fixtures = None
    for subject in subjects:
        if subject.task.execution is None:
            continue
        for agent in agents:
            for round_ in range(1, settings.rounds + 1):
                label = f"-{agent.label}" if agent is not None and len(agents) > 1 else ""
                item = TrialItem.from_parent(
                    parent,
                    name=f"{subject.name.removesuffix(']')}{label}-{round_}]",
                    callobj=hold_against_limit,
                    fixtureinfo=fixtures,
                    subject=subject,
                    agent=agent,
                    round_=round_,
                )
                fixtures = item._fixtureinfo
                yield item


def result_of(item: TrialItem) -> TrialResult:
    """Run a trial, or take its record from the ledger; fails the item's set-up where there is no score."""
    from pytest_talk2agent.adapter.fixtures import evaluation, fail, judgement_of, transcript_of
    from pytest_talk2agent.execution.agents.agent import AgentError
    from pytest_talk2agent.execution.sandbox import SandboxError
    from pytest_talk2agent.judging.judge import JudgeError
    from pytest_talk2agent.tasks.errors import TaskFileError

    voice, subject = voice_of(item.config), item.subject
    heard, judgement = transcript_of(item, subject), judgement_of(item, subject)
    making = evaluation(item.config)
    assert item.agent is not None, "others are deselected"
    try:
        retention = making.retention(subject)
        record, stored = executor_of(item.config).run(subject.task, heard.text, item.agent, item.round)
    except (AgentError, SandboxError, JudgeError, TaskFileError, ValueError) as error:
        fault = str(error)
    except OSError as error:
        fault = (
            f"the records of trials in {executor_of(item.config).folder} cannot be read or written ({error.strerror})"
        )
    else:
        result = _result(item, record, stored=stored, heard=heard.text, retention=retention, labels=judgement.labels())
        _set_properties(item, result, travels=not voice.decides_here)
        if result.score is not None:
            return result
        fault = f"no score after {record.attempts} attempts: {record.reason}"
    fail(fault)


def _result(
    item: TrialItem, record: TrialRecord, *, stored: bool, heard: str, retention: Any, labels: Any
) -> TrialResult:
    from pytest_talk2agent.execution.trial_gate import trial_limit
    from pytest_talk2agent.execution.trial_result import TrialResult, projected

    voice, subject = voice_of(item.config), item.subject
    task, settings = subject.task, voice.settings
    assert item.agent is not None
    retained = [name for name, label in labels.items() if label.value == "retained"]
    compared = settings.baseline is not None
    must_pass = settings.rules.pins(task.id, task.tags)
    return TrialResult(
        node=identity_of(item),
        suite=task.suite,
        task_sha256=task.content_hash,
        take=subject.take,
        condition=subject.condition.label,
        spec=subject.condition.text,
        agent=item.agent.label,
        polarity=task.polarity,
        said=task.spoken,
        heard=heard,
        record=record,
        native=retention.native,
        shapley=retention.shapley,
        predicted=projected(task, retention, retained),
        labels={name: label.value for name, label in labels.items()},
        limit=trial_limit(settings.rules, must_pass=must_pass, compared=compared),
        must_pass=must_pass,
        stored=stored,
    )


def _set_properties(item: TrialItem, result: TrialResult, *, travels: bool) -> None:
    from pytest_talk2agent.reporting.trial_report import trial_properties

    kept = [pair for pair in item.user_properties if not pair[0].startswith(PREFIX) or pair[0] == TRIAL_ITEM]
    record = json.dumps(result.to_json()) if travels else result
    item.user_properties[:] = [*kept, *trial_properties(result), (TRIAL, record)]


executor_key = pytest.StashKey["Executor"]()


def executor_of(config: pytest.Config) -> Executor:
    """What runs the trials of this process; raises pytest.UsageError where an agent or the sandbox cannot be had."""
    if executor_key not in config.stash:
        try:
            config.stash[executor_key] = Executor(voice_of(config))
        except ValueError as error:  # AgentError, SandboxError
            raise pytest.UsageError(f"--t2a-execute: {error}") from None
    return config.stash[executor_key]


class Executor:
    """Runs the trials of one process; all processes of a run share ledger and budget.

    Raises AgentError for an agent that cannot be had, SandboxError where bubblewrap cannot be had.
    """

    def __init__(self, voice: VoiceSession) -> None:
        from pytest_talk2agent.execution.bubblewrap import form
        from pytest_talk2agent.execution.record import Ledger
        from pytest_talk2agent.execution.trial import Trials

        form()
        budget = _shared_budget(voice)
        self.folder: Path = voice.settings.store / FOLDER
        self._ledger: Ledger = Ledger(self.folder)
        self._trials: dict[str, Trials] = {
            agent.label: Trials(agent.text, self._ledger, voice.settings.frozen, budget)
            for agent in voice.settings.agents
        }
        for trials in self._trials.values():
            _ = trials.agent
        self._refusals: dict[str, str | None] = {}

    def run(self, task: Task, transcript: str, agent: AgentSpec, round_: int) -> tuple[TrialRecord, bool]:
        """The record of a trial, and whether an earlier run has made it.

        Raises ValueError for a task that its controls refuse, or that has no record where only stored ones count, and
        as `Trials.run`.
        """
        if agent.text not in ("oracle", "nop") and (why := self._refusal(task)) is not None:
            place = ":".join(map(str, (task.path, *task.place("execution"))))
            raise ValueError(f"{place}: {task.id} is not fit to be executed: {why}")
        trials = self._trials[agent.label]
        known = trials.known(task, transcript, round_)
        return (trials.run(task, transcript, round_), False) if known is None else (known, True)

    def identity(self, agent: AgentSpec) -> Mapping[str, str]:
        """All that can change what an agent does."""
        return self._trials[agent.label].agent.identity()

    @property
    def rejected(self) -> Iterable[str]:
        """One line for each line of the ledger that is no whole record."""
        return self._ledger.rejected

    def _refusal(self, task: Task) -> str | None:
        from pytest_talk2agent.execution.trial import refusal, task_sha256

        digest = task_sha256(task)
        if digest not in self._refusals:
            self._refusals[digest] = refusal(task, self._ledger)
        return self._refusals[digest]


def _shared_budget(voice: VoiceSession) -> SharedBudget | None:
    """What agents may spend together with the model server and all other processes of the run; None without a limit."""
    amount = voice.settings.budget
    if amount is None:
        return None
    from decimal import Decimal

    from pytest_talk2agent.remote.purse import SharedBudget

    return SharedBudget(Path(voice.server.log).with_name("purse.json"), Decimal(amount))


def trial_keys(items: Iterable[pytest.Item]) -> dict[tuple[str, str, str], str]:
    """Condition, agent and key of every trial among some items, with its file."""
    return {
        (item.subject.condition.label, item.agent.label, item.subject.key): file_of(item)
        for item in items
        if isinstance(item, TrialItem) and item.agent is not None
    }


def refuse_other_executions(voice: VoiceSession, items: Iterable[pytest.Item]) -> None:
    """Raise BaselineError where what is to be executed must not be compared with the baseline of the run."""
    baseline = voice.baseline
    if baseline is None or not voice.settings.execute:
        return
    from pytest_talk2agent.execution.trial import task_sha256
    from pytest_talk2agent.execution.trial_gate import entry_before

    new = voice.settings.update == "new"
    for item in items:
        if isinstance(item, TrialItem) and item.agent is not None:
            subject, identity = item.subject, executor_of(voice.config).identity(item.agent)
            place = (subject.condition.label, subject.condition.text, item.agent.label, identity)
            entry_before(baseline, *place, subject.key, task_sha256(subject.task), new=new)

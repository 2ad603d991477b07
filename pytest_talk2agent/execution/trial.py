"""One trial: a fresh workspace, its set-up, the agent, the checks, the record."""

from __future__ import annotations

import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from typing import Protocol

from pytest_talk2agent.execution.agents.agent import Assignment, Control
from pytest_talk2agent.execution.agents.registry import AnyAgent, make_agent
from pytest_talk2agent.execution.bubblewrap import form
from pytest_talk2agent.execution.checking import ENDED, Finding, check_workspace, open_grader, score_of, sources_of
from pytest_talk2agent.execution.record import Ledger, State, TrialKey, TrialRecord
from pytest_talk2agent.execution.sandbox import SandboxError
from pytest_talk2agent.execution.session import (
    AGENT_LIMITS,
    KILLED,
    AgentFailedError,
    AgentKilledError,
    InfrastructureError,
    Session,
    TimedOutError,
    text_sha256,
)
from pytest_talk2agent.execution.workspace import Workspace, commands_of
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.results.task_result import VERSION
from pytest_talk2agent.tasks.executable import Execution
from pytest_talk2agent.tasks.task import Task

RETRIES = 2
"""How often a trial is tried again whose infrastructure failed."""
SETUP_SECONDS = 60


class Runs(Protocol):
    """Runs trials, each once, wherever that is."""

    def prepare(self) -> None:
        """Make what all trials share, before there are threads; raises as `run`."""
        ...

    def run(self, task: Task, transcript: str, round_: int = 1) -> TrialRecord:
        """Run a trial, or give the record of an earlier run."""
        ...


@dataclass(frozen=True)
class Trials:
    """Runs trials of one agent, each once.

    Attributes:
        spec: of the agent, as `make_agent` takes it.
        ledger: where records are kept; None keeps none, so that every trial is run.
        frozen: whether records that are kept are all that is used.
        budget: what a served model may spend besides the budget of its own options; None is no further limit.
    """

    spec: str
    ledger: Ledger | None = None
    frozen: bool = False
    budget: Budget | None = None

    @cached_property
    def agent(self) -> AnyAgent:
        """The agent; one for all trials, as they share its budget.

        Raises:
            AgentError: for a spec that names no agent.
        """
        return make_agent(self.spec, self.budget)

    def key(self, task: Task, transcript: str, round_: int) -> TrialKey:
        """What a trial is; raises as `run`."""
        sha256 = content_key(dict(self.agent.identity()))
        return TrialKey(task.id, task_sha256(task), text_sha256(transcript), sha256, round_)

    def known(self, task: Task, transcript: str, round_: int) -> TrialRecord | None:
        """The record of a trial that has a score already.

        Raises:
            ValueError: where there is none and only such count; and as `run`.
        """
        known = None if self.ledger is None else self.ledger.finished(self.key(task, transcript, round_))
        if known is None and self.frozen:
            raise ValueError(f"round {round_} of {task.id} by {self.spec} is not stored; run once without --t2a-frozen")
        return known

    def prepare(self) -> None:
        """Make the agent; raises AgentError."""
        _ = self.agent

    def run(self, task: Task, transcript: str, round_: int = 1) -> TrialRecord:
        """Run a trial, or give the record of an earlier run.

        Raises:
            AgentError: for a spec that names no agent.
            SandboxError: where bubblewrap cannot be had.
            ValueError: for a task that has no execution, or whose value leaves its range.
        """
        execution = execution_of(task)
        open_grader(task)
        form()
        agent = self.agent
        key = self.key(task, transcript, round_)
        return run_once(
            self.ledger, key, lambda: _survived(lambda: _run(task, execution, agent, transcript, key, self.spec))
        )


def run_once(ledger: Ledger | None, key: TrialKey, attempt: Callable[[], TrialRecord]) -> TrialRecord:
    """Run a trial that has no score yet, again where its infrastructure fails, and keep what came of it.

    Raises what ``attempt`` does; OSError where the ledger cannot be written.
    """
    if ledger is None:
        return _tried(attempt)
    known = ledger.finished(key)
    if known is not None:
        return known
    with ledger.claim(key) as known:
        if known is not None:
            return known
        record = _tried(attempt)
        ledger.append(record)
        return record


def _survived(attempt: Callable[[], tuple[TrialRecord, bool]]) -> TrialRecord:
    """Run a trial again in which something was killed: it may be no doing of the agent's. What it does each time is."""
    record, killed = attempt()
    for number in range(2, 2 + RETRIES):
        if not killed:
            break
        record, killed = attempt()
        record = replace(record, attempts=number)
    return record


def _tried(attempt: Callable[[], TrialRecord]) -> TrialRecord:
    record = attempt()
    for number in range(2, 2 + RETRIES):
        if record.finished:
            break
        record = replace(attempt(), attempts=number)
    return record


def execution_of(task: Task) -> Execution:
    """How a task is run; raises ValueError where it does not say so."""
    if task.execution is None:
        raise ValueError(f"{task.path}:{task.line}: {task.id} has no `execution`, so no agent can run it; write one")
    return task.execution


def task_sha256(task: Task) -> str:
    """SHA-256 (hexadecimal) over all of a task that can change a trial."""
    execution = execution_of(task)
    return content_key(task.content_hash, execution.model_dump(by_alias=True), sources_of(task, execution))


_REFUSALS: dict[str, str | None] = {}
"""By the digest of the task: what is known of its controls in this process."""


def refusal(task: Task, ledger: Ledger | None = None) -> str | None:
    """Why a task is not fit to be run: its solution must reach 1, and doing nothing must not. None where it is fit.

    Both controls are run once for a task in a process, or in all that share a ledger. Raises as `Trials.run`.
    """
    if ledger is not None:  # which knows them, or is to know them
        return _refused(task, ledger)
    digest = task_sha256(task)
    if digest not in _REFUSALS:
        _REFUSALS[digest] = _refused(task, None)
    return _REFUSALS[digest]


def _refused(task: Task, ledger: Ledger | None) -> str | None:
    oracle, nop = (Trials(spec, ledger).run(task, task.instruction) for spec in ("oracle", "nop"))
    if oracle.score != 1 or not oracle.finished or oracle.reason:
        lost = [f"`{name}`: {oracle.criteria[name].why or 'not satisfied'}" for name in oracle.failed_criteria]
        why = oracle.reason or "; ".join(lost)
        return f"the reference solution reaches {_number(oracle)}, not 1 ({why}); mend `solution` or `checks`"
    if lost := oracle.failed_criteria:
        return f"the reference solution does not satisfy `{lost[0]}` ({oracle.criteria[lost[0]].why}); mend one of them"
    if nop.score is None or nop.score >= 1:
        return f"an agent that does nothing reaches {_number(nop)}; mend `checks` or `files`"
    return None


def _run(
    task: Task, execution: Execution, agent: AnyAgent, transcript: str, key: TrialKey, spec: str
) -> tuple[TrialRecord, bool]:
    """One attempt, and whether something in it was killed."""
    began = time.monotonic()
    state: State = "scored"
    reason = ""
    killed = False
    session: Session | None = None
    criteria: dict[str, Finding] = {}
    score = None
    try:
        with Workspace(execution, agent.mounts) as workspace:
            sandbox = workspace.sandbox()
            _set_up(execution, Session(sandbox, SETUP_SECONDS))
            session = Session(sandbox, execution.time_limit)
            try:
                if isinstance(agent, Control):
                    agent.act(Assignment(task.id, execution.solution), transcript, session)
                else:
                    agent.act(transcript, session)
            except AgentFailedError as error:
                state, reason, killed = "agent_failed", str(error), isinstance(error, AgentKilledError)
            except TimedOutError as error:
                state, reason = "timed_out", str(error)
            if session.received_sha256 not in (None, key.transcript_sha256):
                raise InfrastructureError("the agent received another text than the transcript")
            if session.received_sha256 is None and state == "scored":
                raise InfrastructureError("the agent did not receive the transcript")
            criteria = check_workspace(task, execution, workspace)
            score = score_of(task, criteria)
    except (InfrastructureError, SandboxError, OSError) as error:
        state, reason, score, criteria = "infrastructure_failed", str(error), None, {}
    steps = tuple(session.steps) if session else ()
    killed = killed or any(step.status == KILLED for step in steps)
    killed = killed or any(finding.why == f"{ENDED}status {KILLED}" for finding in criteria.values())
    record = TrialRecord(
        key=key,
        agent=spec,
        identity=dict(agent.identity()),
        state=state,
        score=score,
        criteria=criteria,
        reason=" ".join(reason.split()),
        received_sha256=session.received_sha256 if session else None,
        steps=steps,
        seconds=round(time.monotonic() - began, 3),
        cost=dict(session.cost) if session else {},
        sandbox=_sandbox(),
        versions=_versions(),
    )
    return record, killed and record.finished


def _set_up(execution: Execution, session: Session) -> None:
    for command in (*commands_of(execution.git), *execution.setup):
        try:
            step = session.run(command)
        except (AgentFailedError, TimedOutError) as error:
            raise InfrastructureError(f"the set-up failed: {error}") from None
        if step.status:
            raise InfrastructureError(f"the set-up {step.ending}")


def _number(record: TrialRecord) -> str:
    return "no score" if record.score is None else str(record.score)


def _sandbox() -> Mapping[str, object]:
    found = form()
    return {"kind": "bubblewrap", "strict": found.strict, "proc": found.fresh_proc, "limits": asdict(AGENT_LIMITS)}


@cache
def _versions() -> Mapping[str, str]:
    said = subprocess.run([form().program, "--version"], capture_output=True, encoding="utf-8", check=False).stdout
    return {"pytest-talk2agent": VERSION, "python": platform.python_version(), "bubblewrap": said.split()[-1]}

"""Trials of Harbor tasks: the same records and states as those of this project's own sandbox, in the same ledger."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.agents.registry import make_agent
from pytest_talk2agent.execution.foreign import ask
from pytest_talk2agent.execution.harbor import run
from pytest_talk2agent.execution.harbor.engines import configuration
from pytest_talk2agent.execution.harbor.folder import HarborTask, HarborTasks
from pytest_talk2agent.execution.harbor.outcome import Outcome, outcome_of, steps_of
from pytest_talk2agent.execution.record import Ledger, Step, TrialKey, TrialRecord
from pytest_talk2agent.execution.scratch import ScratchFolder
from pytest_talk2agent.execution.session import InfrastructureError, text_sha256
from pytest_talk2agent.execution.trial import run_once
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.results.task_result import VERSION
from pytest_talk2agent.tasks.task import Task

_OWN = "pytest_talk2agent.execution.harbor.agent:OwnAgent"
_CONTROLS = ("oracle", "nop")
_AWKWARD = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class HarborAgent:
    """Who acts: an agent of Harbor's (``name``, or ``module:Class``), or one of this project by its ``spec``."""

    spec: str

    @property
    def _named(self) -> tuple[str, dict[str, str]] | None:
        """Name and options of an agent of Harbor's; None for one of this project."""
        if self.spec in _CONTROLS:
            return self.spec, {}
        kind, _, text = self.spec.partition(":")
        if kind != "harbor":
            return None
        name, _, options = text.partition("?")
        if not name:
            raise AgentError("agent harbor: which one? write harbor:NAME, or harbor:module:Class")
        return name, dict(parse_qsl(options, keep_blank_values=True, strict_parsing=bool(options)))

    def identity(self) -> Mapping[str, str]:
        """All that can change what it does, the version of Harbor with it. Raises AgentError."""
        version = {"harbor": importlib.metadata.version("harbor")}
        if self._named is None:
            return {**make_agent(self.spec).identity(), **version}
        name, options = self._named
        return {"name": "harbor", "agent": name, **options, **version}

    def configuration(self, task: Task, seconds: float) -> Mapping[str, Any]:
        """What Harbor's configuration calls it; the option ``model`` is its model, all others are its own."""
        if self._named is None:
            return {"import_path": _OWN, "kwargs": {"spec": self.spec, "task": task.id, "seconds": seconds}}
        name, options = self._named
        model = options.pop("model", None)
        who = "import_path" if ":" in name else "name"
        return {who: name, "model_name": model, "kwargs": options}


@dataclass(frozen=True)
class HarborTrials:
    """Runs trials of Harbor tasks, each once, each in a process of Harbor's own.

    Attributes:
        spec: of the agent: ``harbor:NAME[?model=..]``, ``harbor:module:Class``, or one of this project's.
        tasks: the task folders.
        ledger: where records, and beside them Harbor's own folders, are kept; None keeps neither.
        environment: ``bubblewrap``, or the name of an environment of Harbor's.
        settings: further keys of Harbor's configuration of an environment.
        reward: the reward that counts, where tests give several.
    """

    spec: str
    tasks: HarborTasks
    ledger: Ledger | None = None
    environment: str = "bubblewrap"
    settings: Mapping[str, Any] = field(default_factory=dict)
    reward: str = ""

    @cached_property
    def agent(self) -> HarborAgent:
        """Who acts."""
        return HarborAgent(self.spec)

    def prepare(self) -> None:
        """See that Harbor is there and the agent can be had; raises ValueError, AgentError."""
        check_harbor()
        _ = self.agent.identity()

    def key(self, task: Task, transcript: str, round_: int) -> TrialKey:
        """What a trial is; raises as `run`."""
        digest = content_key("harbor", task.content_hash, self._folder(task).digest)
        return TrialKey(task.id, digest, text_sha256(transcript), content_key(dict(self._identity)), round_)

    def run(self, task: Task, transcript: str, round_: int = 1) -> TrialRecord:
        """Run a trial, or give the record of an earlier run.

        Raises:
            AgentError: for a spec that names no agent.
            TaskFileError: for a task folder that cannot be read.
            ValueError: for a task that has no folder, or another one than it was compiled from.
        """
        check_harbor()
        folder = self._folder(task)
        key = self.key(task, transcript, round_)
        return run_once(self.ledger, key, lambda: self._run(task, folder, transcript, key, self._identity))

    def _folder(self, task: Task) -> HarborTask:
        folder = self.tasks.of(task)
        if folder is None:
            raise ValueError(
                f"{task.path}:{task.line}: {task.id} was compiled from no Harbor task; see docs/execution.md"
            )
        return folder

    @property
    def _identity(self) -> Mapping[str, str]:
        found = {**self.agent.identity(), "environment": self.environment}
        if self.settings or self.reward:
            found["settings"] = content_key(dict(self.settings), self.reward)
        return found

    def refusal(self, task: Task) -> str | None:
        """Why a task cannot tell good work from none; None where it can, or has no solution to show that it can.

        Raises as `run`.
        """
        controls = {
            name: HarborTrials(name, self.tasks, self.ledger, self.environment, self.settings, self.reward)
            for name in _CONTROLS
        }
        folder = self.tasks.of(task)
        if folder is not None and folder.has_solution:
            oracle = controls["oracle"].run(task, task.instruction)
            if oracle.score != 1:
                return f"its solution reaches {_shown(oracle)}, not 1"
        nop = controls["nop"].run(task, task.instruction)
        return f"an agent that does nothing reaches {_shown(nop)}" if nop.score is None or nop.score >= 1 else None

    def _run(
        self, task: Task, folder: HarborTask, transcript: str, key: TrialKey, identity: Mapping[str, str]
    ) -> TrialRecord:
        began = time.monotonic()
        received: str | None = None
        ended: dict[str, Any] = {}
        steps: tuple[Step, ...] = ()
        name = f"{_AWKWARD.sub('-', folder.folder.name)}-{key.digest[:12]}"
        scratch = ScratchFolder()
        jobs = scratch.path / "jobs" if self.ledger is None else self.ledger.folder / "harbor" / str(time.time_ns())
        try:
            jobs.mkdir(parents=True)
            copy = scratch.path / name
            folder.copy(copy, transcript)
            request = {
                "name": name,
                "jobs": str(jobs.absolute()),
                "folder": str(copy),
                "preamble": folder.preamble,
                "agent": self.agent.configuration(task, folder.agent_seconds),
                "environment": {**configuration(self.environment), **self.settings},
            }
            words = [sys.executable, "-m", run.__name__]
            told = ask("Harbor", words, request, folder.seconds, jobs / "harbor.log")
            if told.end is None:
                raise InfrastructureError(f"Harbor took more than {folder.seconds:g} s")
            received, ended = told.received, dict(told.end)
            steps = tuple(Step(**step) for step in ended["steps"]) or tuple(steps_of(jobs / name / ended["trial"]))
            outcome = outcome_of(ended, self.reward)
            if received != key.transcript_sha256 and outcome.score is not None:
                what = (
                    "did not receive the transcript"
                    if received is None
                    else "received another text than the transcript"
                )
                raise InfrastructureError(f"the agent {what}")
        except (InfrastructureError, OSError) as error:
            outcome = Outcome("infrastructure_failed", reason=" ".join(str(error).split()))
        finally:
            scratch.delete()
        return TrialRecord(
            key=key,
            agent=self.spec,
            identity=identity,
            state=outcome.state,
            score=outcome.score,
            criteria=outcome.criteria or {},
            reason=outcome.reason,
            received_sha256=received,
            steps=steps,
            seconds=round(time.monotonic() - began, 3),
            cost=_cost(ended.get("used", {})),
            sandbox={
                "kind": "harbor",
                "environment": self.environment,
                **({} if self.ledger is None else {"folder": f"harbor/{jobs.name}"}),
            },
            versions={
                "pytest-talk2agent": VERSION,
                "python": platform.python_version(),
                "harbor": str(identity["harbor"]),
                **({"agent": str(ended["agent_version"])} if ended else {}),
            },
        )


def check_harbor() -> None:
    """Raise ValueError where Harbor cannot be had."""
    if sys.version_info < (3, 12) or importlib.util.find_spec("harbor") is None:
        version = platform.python_version()
        raise ValueError(
            f'--harbor needs Harbor, which needs Python 3.12 or newer: pip install "pytest-talk2agent[harbor]" there, '
            f"and execute a saved run with --run; this is Python {version}"
        )


def _cost(used: Mapping[str, float]) -> dict[str, float]:
    """Tokens and money, as other agents count them."""
    tokens = [used[name] for name in ("input", "output") if name in used]
    return {**({"tokens": sum(tokens)} if tokens else {}), **({"money": used["money"]} if "money" in used else {})}


def _shown(record: TrialRecord) -> str:
    return f"no score ({record.reason})" if record.score is None else str(record.score)

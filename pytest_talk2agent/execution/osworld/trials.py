"""Trials of OSWorld tasks in the user's ``desktop_env``: the same records and states as all others.

The instruction of a task's configuration is the transcript; the evaluator never reads it.
"""

from __future__ import annotations

import json
import math
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.foreign import Told, ask
from pytest_talk2agent.execution.record import MOST_STEPS, Ledger, State, Step, TrialKey, TrialRecord, clipped
from pytest_talk2agent.execution.scratch import ScratchFolder
from pytest_talk2agent.execution.session import InfrastructureError, text_sha256
from pytest_talk2agent.execution.trial import run_once
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.results.task_result import VERSION
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.tasks.importers import osworld
from pytest_talk2agent.tasks.importers.original import Checkout
from pytest_talk2agent.tasks.task import Task

_RUN = Path(__file__).with_name("run.py")


class Settings(BaseModel):
    """How episodes are run.

    Attributes:
        python: the interpreter that ``desktop_env`` and the agent are installed for.
        class_: ``module:Class`` of the environment.
        environment: what it is made with, such as ``provider_name`` and ``path_to_vm``.
        steps: the most predictions of one episode, as OSWorld's own runner counts them.
        pause, settle, settle_end: seconds after an action, after the reset, and before the evaluation.
        seconds: the most that a whole episode may take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    python: str = sys.executable
    class_: str = Field(default="desktop_env.desktop_env:DesktopEnv", alias="class", pattern=r"^[\w.]+:\w+$")
    environment: Mapping[str, Any] = {}
    steps: int = Field(default=15, ge=1, le=MOST_STEPS)
    pause: float = Field(default=2.0, ge=0)
    settle: float = Field(default=60.0, ge=0)
    settle_end: float = Field(default=20.0, ge=0)
    seconds: float = Field(default=3600.0, gt=0)


def read_settings(path: Path | None) -> Settings:
    """Read settings from a JSON file; raises ValueError with one line."""
    try:
        return Settings.model_validate_json(b"{}" if path is None else path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{path}: {'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}") from None


@dataclass(frozen=True)
class OsworldTrials:
    """Runs episodes, each once, each in a process of its own.

    Attributes:
        spec: ``nop``, or ``osworld:MODULE:CLASS[?option=value&..]``: a class with ``reset()`` and
            ``predict(instruction, observation)``, which returns what it said and its actions.
        root: the checkout, with ``desktop_env`` and ``evaluation_examples``.
        ledger: where records are kept; None keeps none.
        settings: how episodes are run.
    """

    spec: str
    root: Path
    ledger: Ledger | None = None
    settings: Settings = field(default_factory=Settings)

    def prepare(self) -> None:
        """See that the agent can be named; raises AgentError."""
        _ = self._agent

    @property
    def _agent(self) -> tuple[str | None, dict[str, str]]:
        """The class of the agent and its options; no class for the one that does nothing."""
        if self.spec == "nop":
            return None, {}
        kind, _, text = self.spec.partition(":")
        name, _, options = text.partition("?")
        if kind != "osworld" or name.count(":") != 1:
            raise AgentError(f"agent {self.spec}: in OSWorld there are nop and osworld:MODULE:CLASS[?option=value&..]")
        return name, dict(parse_qsl(options, keep_blank_values=True, strict_parsing=bool(options)))

    def run(self, task: Task, transcript: str, round_: int = 1) -> TrialRecord:
        """Run an episode, or give the record of an earlier one.

        Raises:
            AgentError: for a spec that names no agent.
            ValueError: for a task that is none of the checkout's.
        """
        name, options = self._agent
        found = config_of(task, self.root)
        identity = {"name": "osworld", "agent": name or "nop", **options}
        identity["settings"] = content_key(self.settings.model_dump(exclude={"python"}, mode="json"))
        digest = content_key("osworld", task.content_hash, {key: found[key] for key in found if key != "instruction"})
        key = TrialKey(task.id, digest, text_sha256(transcript), content_key(identity), round_)
        return run_once(self.ledger, key, lambda: self._run(found, transcript, key, identity))

    def refusal(self, task: Task) -> str | None:
        """Why a task cannot tell good work from none, as far as doing nothing shows it; raises as `run`."""
        nop = OsworldTrials("nop", self.root, self.ledger, self.settings).run(task, task.instruction)
        if nop.score is None:
            return f"an agent that does nothing has no score ({nop.reason})"
        return None if nop.score < 1 else "an agent that does nothing reaches 1"

    def _run(
        self, config: Mapping[str, Any], transcript: str, key: TrialKey, identity: Mapping[str, str]
    ) -> TrialRecord:
        began = time.monotonic()
        name, options = self._agent
        settings = self.settings
        request = {
            "folders": [str(Path.cwd()), str(self.root.absolute())],
            "class": settings.class_,
            "environment": settings.environment,
            "task": {**config, "instruction": transcript},
            "agent": name,
            "agent_options": options,
            **{each: vars(settings)[each] for each in ("steps", "pause", "settle", "settle_end")},
        }
        told = Told(None, (), None)
        scratch = ScratchFolder()
        score: Fraction | None = None
        try:
            told = ask("desktop_env", [settings.python, str(_RUN)], request, settings.seconds, scratch.path / "log")
            state, score, reason = _outcome(told, key, settings)
        except (InfrastructureError, OSError) as error:
            state, reason = "infrastructure_failed", " ".join(str(error).split())
        finally:
            scratch.delete()
        return TrialRecord(
            key=key,
            agent=self.spec,
            identity=identity,
            state=state,
            score=score,
            reason=reason,
            received_sha256=told.received,
            steps=tuple(Step(clipped(action), None) for action in told.steps[:MOST_STEPS]),
            seconds=round(time.monotonic() - began, 3),
            sandbox={"kind": "osworld", "class": settings.class_},
            versions={"pytest-talk2agent": VERSION, "python": platform.python_version()},
        )


def config_of(task: Task, root: Path) -> dict[str, Any]:
    """The configuration of a task in the checkout; raises ValueError where it has none, or another instruction."""
    where = f"{task.path}:{task.line}: {task.id}"
    if task.source.benchmark != osworld.BENCHMARK or not task.source.task:
        raise ValueError(f"{where} was compiled from no task of OSWorld; see docs/execution.md")
    original = _checkout(root).originals.get(task.source.task)
    if original is None:
        raise ValueError(f"{where}: {root} has no task {task.source.task}; name another checkout")
    for part, own, found in (
        ("instruction", task.source.prompt_sha256, original.prompt_sha256),
        ("evaluator", task.source.grader_sha256, original.grader_sha256),
    ):
        if own not in (None, found):
            raise ValueError(f"{where}: the {part} in {original.path} is another one than it was compiled from")
    config: dict[str, Any] = json.loads(read_utf8(original.path))
    return config


@cache
def _checkout(root: Path) -> Checkout:
    """A checkout, read once in a process."""
    return osworld.read_checkout(root)


def _outcome(told: Told, key: TrialKey, settings: Settings) -> tuple[State, Fraction | None, str]:
    if told.end is None:
        raise InfrastructureError(f"the episode took more than {settings.seconds:g} s")
    if told.received != key.transcript_sha256:
        raise InfrastructureError("the environment was told another text than the transcript")
    result = told.end["result"]
    if isinstance(result, bool):
        result = int(result)
    if not isinstance(result, int | float) or not math.isfinite(result) or not 0 <= result <= 1:
        raise InfrastructureError(f"the evaluator returned {result!r:.40}, which is no number from 0 to 1")
    score = Fraction(str(result))
    return (
        ("scored", score, "") if told.end["done"] else ("agent_failed", score, f"the agent took {settings.steps} steps")
    )

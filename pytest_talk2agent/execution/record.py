"""The record of one trial: one task, one transcript, one agent, one round, and each command that the agent gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

from pytest_talk2agent.execution.checking import Finding
from pytest_talk2agent.grading.retention import read_fraction
from pytest_talk2agent.results import ledger
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.results.untrusted import mapping

SCHEMA = 1
State = Literal["scored", "agent_failed", "timed_out", "infrastructure_failed"]
STATES: tuple[State, ...] = get_args(State)
MOST_SHOWN = 2000
MOST_STEPS = 500
_MOST_SAID = 300


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        command: as the agent gave it.
        status: its exit status; None where it was ended.
        output: what it printed on both streams, clipped.
        stopped: why it was ended.
    """

    command: str
    status: int | None
    output: str = ""
    stopped: str = ""

    @property
    def ending(self) -> str:
        """How it ended, with the last of what it printed, on one line."""
        said = " ".join(self.output.split())[-_MOST_SAID:]
        return f"ended with status {self.status}{': ' if said else ''}{said}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"command": self.command, "status": self.status, "output": self.output, "stopped": self.stopped}


def clipped(text: str, most: int = MOST_SHOWN) -> str:
    """A text whose middle is left out where it is long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters]\n{text[-half:]}"


@dataclass(frozen=True)
class TrialKey:
    """What a trial is. Two with the same key are the same trial, and it is run once.

    ``task_sha256`` covers the task's words, its grader and its whole execution; ``agent_sha256`` the agent's identity.
    """

    task: str
    task_sha256: str
    transcript_sha256: str
    agent_sha256: str
    round: int

    @property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the key."""
        return content_key(*vars(self).values())


@dataclass(frozen=True)
class TrialRecord:
    """What came of a trial.

    Attributes:
        agent: the agent's spec.
        identity: all that ``agent_sha256`` of the key was computed from.
        state: ``scored`` where the agent came to its end; ``agent_failed`` and ``timed_out`` where it did not, and what
            it left was scored; ``infrastructure_failed`` where nobody knows, and there is no score.
        score: in [0, 1], exact; None where the infrastructure failed.
        criteria: what was found of every intention and fixed criterion.
        reason: one line on a state that is not ``scored``.
        received_sha256: of the text that the agent was given.
        steps: the commands of the agent.
        seconds: from the first command of the set-up to the last check.
        cost: what the agent used: tokens, money and the like.
        sandbox: the kind of the sandbox and its limits.
        versions: of what took part.
        attempts: how often it was tried before this record was made.
    """

    key: TrialKey
    agent: str
    identity: Mapping[str, str]
    state: State
    score: Fraction | None
    criteria: Mapping[str, Finding] = field(default_factory=dict)
    reason: str = ""
    received_sha256: str | None = None
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    cost: Mapping[str, float] = field(default_factory=dict)
    sandbox: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 1

    @property
    def finished(self) -> bool:
        """Whether the trial has a score, so that it is never run again."""
        return self.state != "infrastructure_failed"

    @property
    def failed_criteria(self) -> list[str]:
        """What was not satisfied."""
        return [name for name, finding in self.criteria.items() if not finding.held]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = dict(vars(self))
        plain["key"] = vars(self.key)
        plain["score"] = None if self.score is None else str(self.score)
        plain["criteria"] = {name: vars(finding) for name, finding in self.criteria.items()}
        plain["steps"] = [step.to_json() for step in self.steps]
        return {"schema": SCHEMA, **plain}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrialRecord:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for what is no record."""
        values = dict(data)
        if (schema := values.pop("schema")) != SCHEMA:
            raise ValueError(f"it is of schema {schema!r:.20}; this version reads {SCHEMA}")
        if values["state"] not in STATES:
            raise ValueError(f"{values['state']!r:.40} is no state")
        score = None if values["score"] is None else read_fraction(values["score"])
        if (score is None) != (values["state"] == "infrastructure_failed") or not 0 <= (score or 0) <= 1:
            raise ValueError("its score does not go with its state")
        values.update(
            key=TrialKey(**mapping(values["key"], "key")),
            score=score,
            criteria={name: Finding(**mapping(finding, name)) for name, finding in values["criteria"].items()},
            steps=tuple(Step(**mapping(step, "step")) for step in values["steps"]),
        )
        return cls(**values)


class Ledger(ledger.Ledger[TrialRecord]):
    """The records of trials below a folder; raises OSError where it cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, TrialRecord.from_json, "trials")

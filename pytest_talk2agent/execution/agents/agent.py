"""What an agent is: it gets a transcript and a session, and acts. And the two controls: they know the task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pytest_talk2agent.execution.sandbox import Mount
from pytest_talk2agent.execution.session import AgentFailedError, Session


class AgentError(ValueError):
    """An agent cannot be had as it was asked for. One clear line."""


class Agent(Protocol):
    """Acts on a transcript; of the task it knows nothing else.

    Attributes:
        mounts: files of the host that it brings into the sandbox, read-only.
    """

    mounts: tuple[Mount, ...]

    def identity(self) -> Mapping[str, str]:
        """All that can change what it does."""
        ...

    def act(self, transcript: str, session: Session) -> None:
        """Act until it is done.

        Raises:
            AgentFailedError: where it cannot go on.
            TimedOutError: where its time is over.
            InfrastructureError: where something else fails, so that nobody knows what it would have done.
        """
        ...


@dataclass(frozen=True)
class Assignment:
    """What a control may know of the task besides the transcript."""

    task: str
    solution: tuple[str, ...]


class Control(ABC):
    """An agent that knows the task, so that its scores say something about the task and nothing about a transcript."""

    mounts: tuple[Mount, ...] = ()

    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """All that can change what it does."""

    @abstractmethod
    def act(self, assignment: Assignment, transcript: str, session: Session) -> None:
        """Act until it is done; raises as an `Agent` does."""


class Oracle(Control):
    """Runs the reference solution of the task, whatever was heard: its score must be 1."""

    def identity(self) -> Mapping[str, str]:
        """Its name; the solution is a part of the task."""
        return {"name": "oracle"}

    def act(self, assignment: Assignment, transcript: str, session: Session) -> None:
        """Run the solution, each command in its turn."""
        session.receive(transcript)
        for command in assignment.solution:
            step = session.run(command)
            if step.status:
                raise AgentFailedError(f"the solution {step.ending}")


class Nop(Control):
    """Does nothing: its score must be below 1."""

    def identity(self) -> Mapping[str, str]:
        """Its name."""
        return {"name": "nop"}

    def act(self, assignment: Assignment, transcript: str, session: Session) -> None:
        """Do nothing."""
        session.receive(transcript)

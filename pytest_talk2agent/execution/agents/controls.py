"""The two controls: one that solves every task, and one that does nothing."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_talk2agent.execution.agents.agent import Assignment, Control
from pytest_talk2agent.execution.session import AgentFailedError, Session


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

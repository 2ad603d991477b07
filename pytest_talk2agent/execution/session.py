"""What an agent acts through: commands in the sandbox of its workspace, while its time lasts."""

from __future__ import annotations

import dataclasses
import hashlib
import signal
import time
from collections.abc import Sequence
from typing import Protocol

from pytest_talk2agent.execution.record import MOST_STEPS, Step, clipped
from pytest_talk2agent.execution.sandbox import Ended, Limits

AGENT_LIMITS = Limits(address_space=16 << 30, output=1 << 20)
"""What one command of an agent may use; its time is that of the task."""
KILLED = 128 + signal.SIGKILL
"""The status of a command that was killed, by whomsoever."""


def text_sha256(text: str) -> str:
    """SHA-256 (hexadecimal) of a text; halves of characters count as they are."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class AgentFailedError(Exception):
    """The agent did something that ends it: it exits with an error, or meets a limit. One clear line."""


class AgentKilledError(AgentFailedError):
    """Somebody killed the agent: itself, or somebody outside, who is no part of the trial. One clear line."""


class InfrastructureError(Exception):
    """Something failed that is neither the agent's nor the transcript's doing. One clear line."""


class TimedOutError(Exception):
    """The agent's time was over before it had ended."""


class Runner(Protocol):
    """Runs a program in a sandbox."""

    def call(self, words: Sequence[str], given: bytes, limits: Limits) -> Ended:
        """Run it to its end, or to a limit."""
        ...


class Session:
    """Commands of one agent, one after another.

    Attributes:
        steps: what has been done.
        received_sha256: of the text that the agent was given, when it was given one.
        cost: what the agent has used so far: tokens, money and the like.
    """

    def __init__(self, sandbox: Runner, seconds: float, limits: Limits = AGENT_LIMITS) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self.steps: list[Step] = []
        self.received_sha256: str | None = None
        self.cost: dict[str, float] = {}

    def receive(self, text: str) -> None:
        """Take note of the text that is handed to the agent, at the place where it is."""
        self.received_sha256 = text_sha256(text)

    @property
    def left(self) -> float:
        """Seconds that the agent still has."""
        return max(0.0, self._end - time.monotonic())

    def run(self, command: str) -> Step:
        """Run a shell command.

        Raises:
            TimedOutError: where the agent's time is over.
            AgentFailedError: where the command meets another limit, or there were too many commands.
            InfrastructureError: where the sandbox itself fails.
        """
        return self.call(["bash", "-c", command], b"", command)

    def call(self, words: Sequence[str], given: bytes, shown: str) -> Step:
        """Run a program with ``given`` on its standard input; raises as `run`."""
        if len(self.steps) >= MOST_STEPS:
            raise AgentFailedError(f"the agent ran more than {MOST_STEPS} commands")
        if not self.left:
            raise TimedOutError(self._over())
        ended = self._sandbox.call(words, given, dataclasses.replace(self._limits, seconds=self.left))
        if ended.broken:
            raise InfrastructureError(ended.broken)
        step = Step(shown, ended.status, clipped(ended.output or ended.errors), ended.stopped)
        self.steps.append(step)
        if ended.late:
            raise TimedOutError(self._over())
        if ended.stopped:
            raise AgentFailedError(f"{clipped(shown, 80)}: {ended.stopped}")
        return step

    def _over(self) -> str:
        return f"the agent's {self._seconds:g} s were over"

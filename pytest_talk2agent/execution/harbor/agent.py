"""An agent of this project inside Harbor: what it runs in its session, it runs in Harbor's environment."""

from __future__ import annotations

import asyncio
import math
import shlex
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from harbor.agents.base import BaseAgent

from pytest_talk2agent.execution.agents.agent import Assignment, Control
from pytest_talk2agent.execution.agents.registry import make_agent
from pytest_talk2agent.execution.sandbox import Ended, Limits
from pytest_talk2agent.execution.session import Session
from pytest_talk2agent.results.task_result import VERSION

_INPUT = "/tmp/t2a-input"
SESSIONS: list[Session] = []
"""Those of the agents that ran in this process, of which there is one a trial."""

Found = TypeVar("Found")


class OwnAgent(BaseAgent):  # type: ignore[misc]  # Harbor may not be installed where this is checked
    """The agent that ``spec`` names; ``task`` is the id that a control may know, ``seconds`` the time of the task."""

    def __init__(self, *arguments: Any, spec: str, task: str, seconds: float, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._agent = make_agent(spec)
        self._task = task
        self._seconds = seconds

    @staticmethod
    def name() -> str:
        """What Harbor calls it."""
        return "talk2agent"

    def version(self) -> str:
        """That of this package."""
        return VERSION

    async def setup(self, environment: Any) -> None:
        """Bring the agent's files along."""
        for mount in self._agent.mounts:
            await environment.upload_file(mount.source, mount.target)

    async def run(self, instruction: str, environment: Any, context: Any) -> None:
        """Act in a thread, since agents of this project wait for their commands.

        Raises what an `Agent` does; `outcome` knows these errors by their names.
        """
        session = Session(_Commands(environment, asyncio.get_running_loop()), self._seconds)
        SESSIONS.append(session)
        await asyncio.to_thread(self._act, instruction, session)

    def _act(self, instruction: str, session: Session) -> None:
        if isinstance(self._agent, Control):
            self._agent.act(Assignment(self._task, ()), instruction, session)
        else:
            self._agent.act(instruction, session)


class _Commands:
    """Runs programs in Harbor's environment from another thread than that of its loop."""

    def __init__(self, environment: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._environment = environment
        self._loop = loop

    def call(self, words: Sequence[str], given: bytes, limits: Limits) -> Ended:
        """Run a program; what ends it before its time is over is the environment's doing."""
        command = shlex.join(words)
        if given:
            with tempfile.NamedTemporaryFile() as file:
                file.write(given)
                file.flush()
                self._await(self._environment.upload_file(Path(file.name), _INPUT))
            command = f"{command} < {_INPUT}"
        seconds = max(1, math.ceil(limits.seconds))
        try:
            done = self._await(self._environment.exec(command, timeout_sec=seconds))
        except RuntimeError as error:
            late = "timed out" in str(error)
            if not late:
                raise
            return Ended("", "", None, str(error), late=True)
        return Ended(f"{done.stdout or ''}{done.stderr or ''}", "", done.return_code)

    def _await(self, work: Coroutine[Any, Any, Found]) -> Found:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

"""``python:MODULE:CLASS``: a Python class as the agent, in a process of its own that speaks the protocol of `command`.

    from pytest_talk2agent.workflows.agents.host import HostedAgent

    class Clerk(HostedAgent):
        def reply(self, turn):
            return {"text": "How can I help?", "calls": [{"name": "kb_search", "args": {"query": "prices"}}]}

A process of its own, so that a class that hangs or leaks costs its session and nothing else. What it prints goes to
the standard error.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pytest_talk2agent.workflows.agents.command import REPLY_SECONDS, Command
from pytest_talk2agent.workflows.agents.protocol import AgentError


class HostedAgent:
    """What a class of an agent is; each session has an object of its own.

    ``stop_ms`` and ``stops_for`` say how it takes the user's voice over its own, as in the protocol of `command`.
    """

    stop_ms: ClassVar[int | None] = 240
    stops_for: ClassVar[str] = "barge_in"

    def start(self, briefing: dict[str, Any]) -> None:
        """The session begins: ``instructions``, ``title``, ``tools``, ``seed``, ``repetition``."""

    def reply(self, turn: dict[str, Any]) -> Mapping[str, Any]:
        """Give ``text``, ``calls`` (each ``name`` and ``args``), ``end_call`` and ``think_ms``; all are optional."""
        raise NotImplementedError

    def close(self) -> None:
        """The session is over."""


class PythonAgent(Command):
    """``python:MODULE:CLASS``. The module is looked for in the current folder, then where Python looks.

    Raises:
        AgentError: for a spec of another form, or a module that is not there.
    """

    def __init__(self, text: str, *, seconds: float = REPLY_SECONDS) -> None:
        module, _, name = text.partition(":")
        if not module or not name.isidentifier():
            raise AgentError(f"agent python:{text}: write python:MODULE:CLASS")
        sys.path.insert(0, folder := str(Path.cwd()))
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            found = None
        finally:
            sys.path.remove(folder)
        if found is None or found.origin is None:
            raise AgentError(f"agent python:{text}: there is no module {module} here ({folder})")
        super().__init__(shlex.join([sys.executable, "-m", __name__, module, name]), seconds=seconds)
        self._origin, self._class = Path(found.origin), f"{module}:{name}"

    def identity(self) -> Mapping[str, str]:
        """Its name, and the SHA-256 of the module's file; what that imports is not known."""
        digest = hashlib.sha256(self._origin.read_bytes()).hexdigest()
        return {"name": "python", "class": self._class, "module_sha256": digest}


def main() -> None:
    """Be the process: the class of the arguments between standard input and output."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    module, name = sys.argv[1:3]
    kind = vars(importlib.import_module(module)).get(name)
    if not isinstance(kind, type) or not issubclass(kind, HostedAgent):
        raise SystemExit(f"{module}:{name} is no class that inherits HostedAgent")
    agent = kind()

    def send(message: Mapping[str, Any]) -> None:
        out.write(f"{json.dumps(message)}\n")
        out.flush()

    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            agent.start(message)
            send({"type": "ready", "stop_ms": kind.stop_ms, "stops_for": kind.stops_for})
        elif message["type"] == "turn":
            reply = agent.reply(message)
            if reply.get("text"):
                send({"type": "say", "text": reply["text"]})
            for number, call in enumerate(reply.get("calls") or ()):
                send({"type": "call", "id": f"c{message['turn']}.{number}", **call})
            send({"type": "done", "end_call": bool(reply.get("end_call")), "think_ms": reply.get("think_ms")})
        else:
            break
    agent.close()


if __name__ == "__main__":
    # As the module that agents import, not as __main__: there is one HostedAgent.
    importlib.import_module("pytest_talk2agent.workflows.agents.host").main()

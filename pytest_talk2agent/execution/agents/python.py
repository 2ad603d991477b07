"""A Python function as the agent: ``function(transcript, workspace)``, in a process of its own outside of the sandbox.

The function is the user's own code and has the user's rights, as a test has. What it has the workspace do runs in the
sandbox. When it is done, or its time is over, it is ended with all that it started.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.agents import python_run
from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.sandbox import Mount
from pytest_talk2agent.execution.session import AgentFailedError, AgentKilledError, Session, TimedOutError
from pytest_talk2agent.execution.usage import processes_of

_MOST_MESSAGE = 16 << 20
_SECONDS_TO_END = 5


class PythonAgent:
    """``python:MODULE:FUNCTION``.

    Raises:
        AgentError: for a spec of another form, or a module that is not there.
    """

    mounts: tuple[Mount, ...] = ()

    def __init__(self, text: str) -> None:
        self._module, _, self._function = text.partition(":")
        if not self._module or not self._function.isidentifier():
            raise AgentError(f"agent python:{text}: write python:MODULE:FUNCTION")
        folder = str(Path.cwd())
        sys.path.insert(0, folder)  # where the process of the agent looks first, too
        try:
            found = importlib.util.find_spec(self._module)
        except (ImportError, ValueError):
            found = None
        finally:
            sys.path.remove(folder)
        if found is None or found.origin is None:
            raise AgentError(f"agent python:{text}: there is no module {self._module} here ({folder})")
        self._origin = Path(found.origin)

    def identity(self) -> Mapping[str, str]:
        """Its name, and the SHA-256 of the module's file; what that imports is not known."""
        digest = hashlib.sha256(self._origin.read_bytes()).hexdigest()
        return {"name": "python", "function": f"{self._module}:{self._function}", "module_sha256": digest}

    def act(self, transcript: str, session: Session) -> None:
        """Call the function and do in the sandbox what it asks for, until it returns."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                words = [sys.executable, "-m", python_run.__name__, str(theirs.fileno())]
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), start_new_session=True
                )
            try:
                task = {"module": self._module, "function": self._function, "transcript": transcript}
                ours.sendall(json.dumps(task).encode() + b"\n")
                _serve(ours, session)
            except (BrokenPipeError, ConnectionResetError, EOFError):
                raise _gone(process) from None
            finally:
                _end(process)


def _serve(ours: socket.socket, session: Session) -> None:
    buffer = b""
    while True:
        while b"\n" not in buffer:
            if not select.select([ours], [], [], session.left)[0]:
                raise TimedOutError("the agent's time was over")
            part = ours.recv(1 << 16)
            buffer += part
            if not part:
                raise EOFError
            if len(buffer) > _MOST_MESSAGE:
                raise AgentFailedError(f"the agent's process wrote a message of more than {_MOST_MESSAGE >> 20} MB")
        line, _, buffer = buffer.partition(b"\n")
        try:
            message: dict[str, Any] = json.loads(line)
            kind = message["kind"]
            if kind == "received":
                session.received_sha256 = str(message["sha256"])
            elif kind == "run":
                step = session.run(str(message["command"]))
                ours.sendall(json.dumps({"status": step.status, "output": step.output}).encode() + b"\n")
            elif kind == "failed":
                raise AgentFailedError(str(message["why"])[-500:])
            else:
                return
        except (ValueError, KeyError, TypeError) as error:
            raise AgentFailedError(f"the agent's process wrote something else than messages ({error})") from None


def _gone(process: subprocess.Popen[bytes]) -> AgentFailedError:
    """Why an agent's process no longer answers."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_END)
    if process.returncode is not None and process.returncode < 0:
        return AgentKilledError(f"the agent's process was ended by signal {-process.returncode}")
    return AgentFailedError("the agent's process ended before it was done")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the agent with all that it started; orphans hang on its first process."""
    end = time.monotonic() + _SECONDS_TO_END
    while time.monotonic() < end and (started := [pid for pid in processes_of(process.pid) if pid != process.pid]):
        for pid in started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()

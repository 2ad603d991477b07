"""A workspace in which a chosen set of criteria holds, for a grader to be run on.

A world is a module with a function ``build(world)``; it lays out what an agent would leave behind that was told exactly
the intentions that hold. It never computes a score: that is the grader's part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

WORKSPACE = Path("/tmp_workspace")
PROGRAMS = Path("/tmp/talk2agent/bin")

Reply: TypeAlias = "dict[str, Any] | list[Any] | str"
JudgeReply: TypeAlias = "Reply | Callable[[str], Reply]"
ServerReply: TypeAlias = "Reply | Callable[[str, bytes | None], Reply]"


class World:
    """One workspace while it is laid out.

    Attributes:
        root: the workspace. Its folders ``results`` and ``gt`` are there and empty.
        transcript: the messages that the grader gets as the agent's, in order.
        grader: the source text of the grader, for what it expects and no world may repeat. To be read, never run.
        modules: name to the attributes of the Python modules that stand in for those of the container.
    """

    def __init__(
        self, states: Mapping[str, bool], grader: str = "", root: Path = WORKSPACE, programs: Path = PROGRAMS
    ) -> None:
        self._states = states
        self._programs = programs
        self._judge: JudgeReply = "{}"
        self._servers: list[tuple[str, ServerReply]] = []
        self.grader = grader
        self.root = root
        self.transcript: list[dict[str, Any]] = []
        self.modules: dict[str, dict[str, Any]] = {}

    def holds(self, name: str) -> bool:
        """Whether an intention is retained, or a fixed criterion satisfied."""
        if name not in self._states:
            raise KeyError(f"{name} is no intention and no fixed criterion of the task; it has {list(self._states)}")
        return self._states[name]

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file of the workspace; ``path`` is relative to it."""
        self.place(self.root / path, content)

    def place(self, path: str | Path, content: str | bytes) -> None:
        """Write a file anywhere that is writable: the workspace, ``/root``, ``/claude_code`` or ``/tmp``."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def judge(self, reply: JudgeReply) -> None:
        """Answer every chat completion with ``reply``, or with what it returns for the texts of the request."""
        self._judge = reply

    def say(self, text: str, commands: Sequence[str] = ()) -> None:
        """Append a message of the agent to the transcript, with the shell commands it ran."""
        uses = [{"type": "tool_use", "name": "exec", "input": {"command": command}} for command in commands]
        content = [{"type": "text", "text": text}, *uses]
        self.transcript.append({"type": "message", "message": {"role": "assistant", "content": content}})

    def serve(self, prefix: str, reply: ServerReply) -> None:
        """Answer requests to addresses that begin with ``prefix``, or with what ``reply(url, body)`` returns."""
        self._servers.append((prefix, reply))

    def program(self, name: str, script: str) -> None:
        """Put an executable on PATH, such as a stand-in for ffprobe."""
        self.place(self._programs / name, script)
        (self._programs / name).chmod(0o755)

    def module(self, name: str, **attributes: Any) -> None:
        """Put a Python module with these attributes in the place of one that is not installed."""
        self.modules[name] = attributes

    def completion(self, prompt: str) -> str:
        """What the judge answers to a prompt."""
        return _text(self._judge(prompt) if callable(self._judge) else self._judge)

    def response(self, url: str, body: bytes | None) -> bytes | None:
        """What a server answers; None where there is none at this address."""
        for prefix, reply in self._servers:
            if url.startswith(prefix):
                return _text(reply(url, body) if callable(reply) else reply).encode()
        return None


def _text(reply: Reply) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)

"""A program of anybody's as the agent: it runs inside the sandbox, and gets the transcript on its standard input.

A file of its own, as every agent is.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.bubblewrap import readable
from pytest_talk2agent.execution.sandbox import Mount
from pytest_talk2agent.execution.session import AgentFailedError, Session
from pytest_talk2agent.speech.audio import file_sha256

_FOLDER = "/agent"


class Command:
    """``command:WORDS``. A word that is a file here is brought into the sandbox, read-only.

    Raises:
        AgentError: for no words, or a quote that is not closed.
    """

    def __init__(self, text: str) -> None:
        try:
            self._given = shlex.split(text)
        except ValueError as error:
            raise AgentError(f"agent command:{text}: {error}; close the quote") from None
        if not self._given:
            raise AgentError("agent command: which program? write command:WORDS")
        self._files = {word: Path(word).resolve() for word in self._given if _is_brought(word)}
        if len({path.name for path in self._files.values()}) < len(self._files):
            raise AgentError(f"agent command:{text}: two of these files have one name; rename one")
        self.mounts = tuple(Mount(path, _inside(path)) for path in self._files.values())

    def identity(self) -> Mapping[str, str]:
        """The words, and the SHA-256 of every file among them."""
        files = {f"sha256 of {word}": file_sha256(path) for word, path in self._files.items()}
        return {"name": "command", "words": shlex.join(self._given), **files}

    def act(self, transcript: str, session: Session) -> None:
        """Run the program to its end."""
        words = [_inside(self._files[word]) if word in self._files else word for word in self._given]
        session.receive(transcript)
        step = session.call(words, transcript.encode(), shlex.join(self._given))
        if step.status:
            raise AgentFailedError(f"the agent {step.ending}")


def _is_brought(word: str) -> bool:
    """Whether a word is a file here that the sandbox does not show anyway."""
    path = Path(word)
    return path.is_file() and not any(path.resolve().is_relative_to(shown) for _, shown in readable())


def _inside(path: Path) -> str:
    return f"{_FOLDER}/{path.name}"

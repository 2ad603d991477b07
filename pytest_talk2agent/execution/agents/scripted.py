"""An agent whose commands are written down: for a task, or for a transcript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.agents.agent import AgentError, Assignment, Control
from pytest_talk2agent.execution.session import AgentFailedError, Session
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.tasks.document import Text, as_text, read_documents
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.files import read_utf8

_KEYS = {"task", "transcript", "commands"}


class Scripted(Control):
    """Does what a file says: rows with ``commands`` and the ``task`` or the ``transcript`` that they are for.

    A row for a transcript goes before one for a task. The file is JSON Lines, or YAML with a list of rows.

    Raises:
        AgentError: for a file that cannot be read or holds other things.
    """

    def __init__(self, path: Path) -> None:
        self._rows = dict(_row(row, f"{path}, row {number}") for number, row in enumerate(_rows(path), 1))

    def identity(self) -> Mapping[str, str]:
        """Its name, and the SHA-256 of what the file says."""
        rows = [[*place, list(commands)] for place, commands in sorted(self._rows.items())]
        return {"name": "scripted", "script_sha256": content_key(rows)}

    def act(self, assignment: Assignment, transcript: str, session: Session) -> None:
        """Run the commands for this transcript, or for this task."""
        session.receive(transcript)
        commands = self._rows.get(("transcript", transcript)) or self._rows.get(("task", assignment.task))
        if commands is None:
            raise AgentFailedError(f"the script has no row for this transcript, and none for {assignment.task}")
        for command in commands:
            session.run(command)


def _rows(path: Path) -> list[Any]:
    try:
        text = read_utf8(path)
    except TaskFileError as error:
        raise AgentError(f"scripted: {error}") from None
    if path.suffix == ".jsonl":
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise AgentError(f"scripted: {path} is no JSON Lines: {error}") from None
    faults: list[str] = []
    documents = list(read_documents(text, lambda line, column, what: faults.append(f"{path}:{line}:{column}: {what}")))
    if faults:
        raise AgentError(f"scripted: {faults[0]}")
    rows = [as_text(document) for document in documents if not isinstance(document, Text)]
    if len(rows) != 1 or not isinstance(rows[0], list):
        raise AgentError(f"scripted: {path} must be one list of rows, such as `- {{task: ID, commands: [..]}}`")
    return rows[0]


def _row(row: Any, where: str) -> tuple[tuple[str, str], tuple[str, ...]]:
    if not isinstance(row, dict) or not row.keys() <= _KEYS or len(row) != 2 or "commands" not in row:
        raise AgentError(f"scripted: {where} must have `commands`, and one of `task` and `transcript`")
    commands = [row["commands"]] if isinstance(row["commands"], str) else row["commands"]
    (name,) = row.keys() - {"commands"}
    if not isinstance(commands, list) or not all(isinstance(text, str) for text in [row[name], *commands]):
        raise AgentError(f"scripted: {where}: `{name}` is a text, and `commands` a list of texts")
    return (name, row[name]), tuple(commands)

"""A database of one session: what every kind of it can do, and the values that each takes and gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal, Protocol

from pytest_talk2agent.workflows.state.rows import Row, Snapshot

SQLITE = "sqlite:"
MOST_ROWS = 1000
"""Rows that one statement may give; an answer that is cut would be another answer, so more is an error."""

Reason = Literal["constraint", "value", "limit", "statement"]
"""Why a statement failed: a constraint refused it, a value does not fit its column, it took or gave too much, or the
statement itself is wrong. The last is the fault of the package, the others may be the agent's."""


class StatementError(Exception):
    """A statement that failed. ``reason`` is the same for every kind of database; the text is the database's own."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason: Reason = reason


class Connection(Protocol):
    """An open database. Statements name their parameters with a colon and run one at a time."""

    def script(self, text: str) -> None:
        """Run the statements of a script, all or none. Raises StatementError."""

    def run(self, sql: str, parameters: Mapping[str, Any]) -> tuple[list[Row], int]:
        """Run one statement: its rows, and how many it gave or changed. Raises StatementError."""
        ...

    def check(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """Let the database plan a statement without running it. Raises StatementError."""

    def begin(self) -> None:
        """Begin a transaction."""

    def wrote(self) -> bool:
        """Whether the transaction so far wrote anything."""
        ...

    def end(self, *, commit: bool) -> None:
        """End it: commit, or take everything back. Raises StatementError where the commit is refused."""

    def snapshot(self) -> Snapshot:
        """Everything in the database. Raises StatementError where a value is not of the type of its column."""
        ...

    def close(self) -> None:
        """Remove the session's database and disconnect. May be called twice."""


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    shown = re.sub(r"(//[^:@/]*):[^@/]*@", r"\1:...@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1...", shown)


def plain(value: Any) -> Any:
    """A value of a database as a plain one, the same from each kind of database.

    Truth values are 1 and 0, exact decimals that are whole are whole numbers, dates and times are texts in ISO 8601.
    Raises StatementError for what has no plain form.
    """
    if value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise StatementError("statement", f"a column of the type {type(value).__name__} has no plain value; use a text")


def bound(sql: str, names: tuple[str, ...], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a statement names. What no database could take alike is refused for each.

    Lists and objects become JSON text, truth values 1 and 0. Raises StatementError.
    """
    given: dict[str, Any] = {}
    for name in names:
        if name not in parameters:
            raise StatementError("statement", f"nothing is called :{name} in `{sql.strip()}`")
        value = parameters[name]
        if isinstance(value, dict | list):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        if isinstance(value, bool):
            value = int(value)
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise StatementError("value", f"the number for `{name}` has more than 64 bits")
        if isinstance(value, str) and ("\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value)):
            raise StatementError("value", f"the text for `{name}` holds what is no character")
        given[name] = value
    return given

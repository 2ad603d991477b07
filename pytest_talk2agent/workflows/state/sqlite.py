"""SQLite in memory: the database of a session where no other is asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pytest_talk2agent.workflows.state.connection import MOST_ROWS, Reason, StatementError, bound, plain
from pytest_talk2agent.workflows.state.rows import Row, Snapshot, Table, sorted_table
from pytest_talk2agent.workflows.state.statement import parameters as named

_STEPS, _MOST = 100_000, 500
"""A statement may take so many times so many steps of SQLite's machine: some seconds, on any machine the same."""
_FOREIGN = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}


class SqliteConnection:
    """A database in memory. It reads and writes no file: other databases cannot be attached."""

    def __init__(self) -> None:
        # The session may run its tools in a thread of its own, one call at a time.
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA foreign_keys = ON")
        self._database.execute("PRAGMA case_sensitive_like = ON")  # as in PostgreSQL
        self._database.create_collation("C", lambda left, right: (left > right) - (left < right))  # likewise
        self._database.set_authorizer(_authorize)
        self._taken = 0
        self._written = 0
        self._open = True

    def script(self, text: str) -> None:
        """Run the statements of a script, all or none. Raises StatementError."""
        with self._failing():
            try:
                self._database.executescript(f"BEGIN;\n{text}\n;COMMIT;")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def run(self, sql: str, parameters: Mapping[str, Any]) -> tuple[list[Row], int]:
        """Run one statement: its rows, and how many it gave or changed. Raises StatementError."""
        given = bound(sql, named(sql), parameters)
        with self._failing():
            cursor = self._database.execute(sql, given)
            if cursor.description is None:
                return [], max(cursor.rowcount, 0)
            found = cursor.fetchmany(MOST_ROWS + 1)
        if len(found) > MOST_ROWS:
            raise StatementError("limit", f"the statement gives more than {MOST_ROWS} rows")
        columns = [entry[0] for entry in cursor.description]
        return [dict(zip(columns, map(plain, row), strict=True)) for row in found], len(found)

    def check(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """Let the database plan a statement without running it. Raises StatementError."""
        given = bound(sql, named(sql), parameters)
        with self._failing():
            self._database.execute(f"EXPLAIN {sql}", given).fetchall()

    def begin(self) -> None:
        """Begin a transaction."""
        self._written = self._database.total_changes
        self._database.execute("BEGIN")

    def wrote(self) -> bool:
        """Whether the transaction so far wrote anything."""
        return self._database.total_changes != self._written

    def end(self, *, commit: bool) -> None:
        """End it: commit, or take everything back. Raises StatementError where the commit is refused."""
        with self._failing():
            if self._database.in_transaction:
                self._database.execute("COMMIT" if commit else "ROLLBACK")

    def snapshot(self) -> Snapshot:
        """Everything in the database. Raises StatementError where a value is not of the type of its column."""
        names = self._database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
        ).fetchall()
        return Snapshot({name: self._table(name) for (name,) in names})

    def _table(self, name: str) -> Table:
        quoted = '"' + name.replace('"', '""') + '"'
        columns = self._database.execute(f"PRAGMA table_info({quoted})").fetchall()
        key = tuple(column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5])
        names = [column[1] for column in columns]
        types = {column[1]: _accepted(column[2]) for column in columns}
        rows = [
            dict(zip(names, map(plain, row), strict=True)) for row in self._database.execute(f"SELECT * FROM {quoted}")
        ]
        for row in rows:
            for column, value in row.items():
                if value is not None and not isinstance(value, types[column]):
                    raise StatementError("value", f"{name}.{column} cannot hold {value!r}")
        return sorted_table(key, rows)

    def close(self) -> None:
        """Forget everything. May be called twice."""
        if self._open:
            self._open = False
            self._database.close()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        self._taken = 0
        self._database.set_progress_handler(self._tick, _STEPS)
        try:
            yield
        except (sqlite3.Error, OverflowError) as error:
            raise StatementError(self._reason(error), str(error)) from None
        finally:
            self._database.set_progress_handler(None, 0)

    def _tick(self) -> bool:
        self._taken += 1
        return self._taken > _MOST

    def _reason(self, error: Exception) -> Reason:
        if self._taken > _MOST:
            return "limit"
        if isinstance(error, sqlite3.IntegrityError):
            return "constraint"
        return "value" if isinstance(error, sqlite3.DataError | OverflowError) else "statement"


def _accepted(declared: str) -> tuple[type, ...]:
    """The Python types of a column's values; SQLite itself takes anything anywhere. By the rules of its affinities."""
    declared = declared.upper()
    if "INT" in declared or "BOOL" in declared:
        return (int,)
    if any(part in declared for part in ("CHAR", "CLOB", "TEXT", "DATE", "TIME")):
        return (str,)
    return (int, float) if declared and declared != "ANY" else (int, float, str)


def _authorize(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_DENY if action in _FOREIGN else sqlite3.SQLITE_OK

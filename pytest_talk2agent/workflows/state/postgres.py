"""PostgreSQL: a schema of its own for each session, removed at its end, or by the next session where it was killed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from pytest_talk2agent.workflows.state.connection import (
    MOST_ROWS,
    Reason,
    StatementError,
    bound,
    plain,
    without_password,
)
from pytest_talk2agent.workflows.state.rows import Row, Snapshot, Table, sorted_table
from pytest_talk2agent.workflows.state.statement import for_psycopg
from pytest_talk2agent.workflows.state.statement import parameters as named
from pytest_talk2agent.workflows.workbench.backend import StateError

INSTALL: Final = "pip install 'pytest-talk2agent[postgres]'"
_MARK = "session of pytest-talk2agent"
"""The comment on each schema of ours, so that nothing else is ever removed."""
_SPACE = 0x7432_61
"""The first half of our advisory locks. A session holds that of its schema, and loses it with its connection."""
_SECONDS = 10
_TABLES = """\
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY c.relname COLLATE "C\""""
_KEY = """\
SELECT a.attname FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indisprimary AND i.indrelid = to_regclass(quote_ident(%(table)s)) ORDER BY k.place"""
_ABANDONED = """\
SELECT nspname FROM pg_namespace
WHERE nspname LIKE 't2a!_%%' ESCAPE '!' AND obj_description(oid, 'pg_namespace') = %(mark)s ORDER BY nspname"""


class PostgresConnection:
    """A new schema in the database of the URL, the only one on the search path."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise StateError(f"PostgreSQL needs psycopg; install it with: {INSTALL}") from None
        self._psycopg = psycopg
        try:
            # Values are written into the statement by the client, as SQLite takes them: without a type of their own.
            self._database = psycopg.connect(
                url, autocommit=True, cursor_factory=psycopg.ClientCursor, connect_timeout=_SECONDS
            )
        except psycopg.Error as error:
            text = " ".join(str(error).split())
            raise StateError(f"{without_password(url)} cannot be used: {text}") from None
        self._open = True
        self.schema = f"t2a_{secrets.token_hex(8)}"
        try:
            self._create()
        except psycopg.Error as error:
            self._database.close()
            text = " ".join(str(error).split())
            raise StateError(f"{without_password(url)}: no schema can be created there: {text}") from None

    def _create(self) -> None:
        execute = self._database.execute
        self._remove_abandoned()
        execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (_SPACE, self.schema))
        with self._database.transaction():
            execute(f'CREATE SCHEMA "{self.schema}"')
            execute(f"COMMENT ON SCHEMA \"{self.schema}\" IS '{_MARK}'")
        execute(f'SET search_path TO "{self.schema}"')
        execute(f"SET statement_timeout TO '{_SECONDS}s'")
        execute("SET TimeZone TO 'UTC'")

    def _remove_abandoned(self) -> None:
        """Remove schemas of sessions that were killed: those whose lock nobody holds."""
        for (schema,) in self._database.execute(_ABANDONED, {"mark": _MARK}).fetchall():
            lock = (_SPACE, schema)
            free = self._database.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", lock).fetchone()
            if free is not None and free[0]:
                with suppress(self._psycopg.Error):  # another session may remove it in this moment
                    self._database.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
                self._database.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", lock)

    def script(self, text: str) -> None:
        """Run the statements of a script, all or none. Raises StatementError."""
        with self._failing(), self._database.transaction():
            self._database.execute(text.encode())

    def run(self, sql: str, parameters: Mapping[str, Any]) -> tuple[list[Row], int]:
        """Run one statement: its rows, and how many it gave or changed. Raises StatementError."""
        given = bound(sql, named(sql), parameters)
        with self._failing():
            cursor = self._database.execute(for_psycopg(sql).encode(), given)
            if cursor.description is None:
                return [], max(cursor.rowcount, 0)
            found = cursor.fetchmany(MOST_ROWS + 1)
        if len(found) > MOST_ROWS:
            raise StatementError("limit", f"the statement gives more than {MOST_ROWS} rows")
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, map(plain, row), strict=True)) for row in found], len(found)

    def check(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """Let the database plan a statement without running it. Raises StatementError."""
        given = bound(sql, named(sql), parameters)
        with self._failing():
            self._database.execute(b"EXPLAIN " + for_psycopg(sql).encode(), given).fetchall()

    def begin(self) -> None:
        """Begin a transaction."""
        self._database.execute("BEGIN")

    def wrote(self) -> bool:
        """Whether the transaction so far wrote anything."""
        with self._failing():
            row = self._database.execute("SELECT pg_current_xact_id_if_assigned()").fetchone()
        return row is not None and row[0] is not None

    def end(self, *, commit: bool) -> None:
        """End it: commit, or take everything back. Raises StatementError where the commit is refused."""
        with self._failing():
            self._database.execute("COMMIT" if commit else "ROLLBACK")

    def snapshot(self) -> Snapshot:
        """Everything in the schema. Raises StatementError where a value has no plain form."""
        with self._failing():
            return Snapshot({name: self._table(name) for (name,) in self._database.execute(_TABLES).fetchall()})

    def _table(self, name: str) -> Table:
        quoted = '"' + name.replace('"', '""') + '"'
        key = tuple(column for (column,) in self._database.execute(_KEY, {"table": name}).fetchall())
        cursor = self._database.execute(f"SELECT * FROM {quoted}".encode())
        assert cursor.description is not None
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, map(plain, row), strict=True)) for row in cursor.fetchall()]
        return sorted_table(key, rows)

    def close(self) -> None:
        """Drop the schema and disconnect. May be called twice, and when the server is gone."""
        if self._open:
            self._open = False
            with suppress(self._psycopg.Error):
                self._database.rollback()
                self._database.execute(f'DROP SCHEMA IF EXISTS "{self.schema}" CASCADE')
            self._database.close()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            if self._database.closed:
                raise StateError(f"the database was lost: {' '.join(str(error).split())}") from None
            raise StatementError(self._reason(error), str(error).partition("\n")[0]) from None

    def _reason(self, error: Exception) -> Reason:
        if isinstance(error, self._psycopg.IntegrityError):
            return "constraint"
        if isinstance(error, self._psycopg.DataError):
            return "value"
        return "limit" if isinstance(error, self._psycopg.errors.QueryCanceled) else "statement"

"""The SQL state of one session: seeded at its begin, asked by its tools, and removed at its end."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal

from pytest_talk2agent.workflows.state.connection import (
    SQLITE,
    Connection,
    StatementError,
    without_password,
)
from pytest_talk2agent.workflows.state.functions import Functions, RefusedError, Work, place_of
from pytest_talk2agent.workflows.state.rows import Change, Row, Snapshot
from pytest_talk2agent.workflows.state.spec import FILE, Fault, Refusal, SqlTool, StateSpec
from pytest_talk2agent.workflows.state.statement import Ran, parameters
from pytest_talk2agent.workflows.workbench.backend import StateError

Outcome = Literal["done", "refused", "failed", "hung"]

_TOLD = {
    "constraint": "the database refused the change: a constraint forbids it",
    "value": "the database refused a value: it does not fit its column",
    "limit": "the request takes or gives too much",
}
_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def connect(url: str = SQLITE) -> Connection:
    """Open an empty database of its own: ``sqlite:`` in memory, or ``postgresql://...`` in a new schema.

    Raises StateError where it cannot be had; the message never holds a password.
    """
    if url in (SQLITE, ""):
        from pytest_talk2agent.workflows.state.sqlite import SqliteConnection

        return SqliteConnection()
    if url.startswith(("postgresql://", "postgres://")):
        from pytest_talk2agent.workflows.state.postgres import PostgresConnection

        return PostgresConnection(url)
    raise StateError(f"{without_password(url)!r} is no database; write {SQLITE!r} or postgresql://USER@HOST/NAME")


@dataclass(frozen=True)
class StateAnswer:
    """What a tool with a state did.

    ``refused``: a rule of the world, or the database, says no. ``failed``: the package is at fault, and ``fault`` says
    where; the agent is told no more than that the tool failed. ``hung``: no answer came in time, whether or not
    anything was written. ``delay_ms`` comes on top of the tool's own latency. ``changes`` are the rows that changed.
    """

    outcome: Outcome
    result: Any = None
    error: str | None = None
    delay_ms: int = 0
    changes: tuple[Change, ...] = ()
    statements: tuple[Ran, ...] = ()
    fault: str = ""
    injected: str = ""

    @property
    def ok(self) -> bool:
        """Whether the tool did what it was asked for."""
        return self.outcome == "done"

    def to_json(self) -> dict[str, Any]:
        """What a session's log holds of it, besides the result that the agent gets."""
        return {
            "outcome": self.outcome,
            "changes": [change.to_json() for change in self.changes],
            "statements": [ran.to_json() for ran in self.statements],
            "fault": self.fault,
            "injected": self.injected,
        }


class SqlState:
    """The database of one session.

    ``files`` are the scripts and programs of the package by name; ``faults`` come on top of the specification's.

    Raises:
        StateError: the database cannot be had, or schema, seed or a function of the package is wrong.
    """

    def __init__(
        self, spec: StateSpec, files: Mapping[str, str], url: str = SQLITE, faults: tuple[Fault, ...] = ()
    ) -> None:
        self.spec = spec
        self._faults = (*spec.faults, *faults)
        self._calls: Counter[str] = Counter()
        self._connection: Connection = connect(url)
        try:
            for script in (spec.tables, *spec.seed):
                if script not in files:
                    raise StateError(f"state/{script} is missing; write it, or correct its name in state/{FILE}")
                try:
                    self._connection.script(files[script])
                    self.seeded: Snapshot = self._connection.snapshot()
                except StatementError as error:
                    raise StateError(f"state/{script}: {error}") from None
            functions = Functions(files)
            self._functions = {
                name: functions[tool.python] for name, tool in spec.tools.items() if tool.python is not None
            }
            for name, table in self.seeded.tables.items():
                if not table.key:
                    raise StateError(f"state/{spec.tables}: the table {name!r} has no primary key; give it one")
        except BaseException:
            self._connection.close()
            raise
        self._now = self.seeded

    def __enter__(self) -> SqlState:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Remove the database. May be called twice."""
        self._connection.close()

    @property
    def now(self) -> Snapshot:
        """The rows as they stand."""
        return self._now

    def check(self) -> Iterator[tuple[str, str]]:
        """Statements that the database does not take, each with its place in the specification."""
        clock = dict.fromkeys(self.spec.clock.parameters(), "")
        for name, tool in self.spec.tools.items():
            for place, sql in tool.statements():
                yield from ((f"tools.{name}.{place}", problem) for problem in self._check(sql, clock))
        for index, refusal in enumerate(self.spec.gate):
            yield from ((f"gate.{index}", problem) for problem in self._check(refusal.query, clock))

    def _check(self, sql: str, clock: Mapping[str, Any]) -> Iterator[str]:
        try:
            self._connection.check(sql, dict.fromkeys(parameters(sql)) | {**clock})
        except StatementError as error:
            yield str(error)

    def put(self, table: str, key: Row, column: str, value: Any) -> tuple[Change, ...]:
        """Set one column of a row, as events of a package do; what changed. Raises StateError where that cannot be."""
        rows = self._now.tables[table].rows
        if not any(key and key.items() <= row.items() and column in row for row in rows):
            raise StateError(f"there is no column {column!r} of a row {dict(key)} in the table {table!r} to be changed")
        where = " AND ".join(f"{_quoted(name)} = :{name}" for name in key)
        sql = f"UPDATE {_quoted(table)} SET {_quoted(column)} = :new_value_ WHERE {where}"
        self._connection.begin()
        try:
            self._connection.run(sql, {**key, "new_value_": value})
            after = self._connection.snapshot()
            self._connection.end(commit=True)
        except StatementError as error:
            self._connection.end(commit=False)
            raise StateError(f"{table}.{column} cannot be {value!r}: {error}") from None
        changes, self._now = self._now.changes_to(after), after
        return changes

    def call(self, name: str, args: Mapping[str, Any]) -> StateAnswer:
        """Call a tool with arguments that fit its schema. Never raises for what an agent sends.

        Raises StateError where the database is lost, and KeyError for a tool that the specification does not have.
        """
        tool = self.spec.tools[name]
        self._calls[name] += 1
        found = [fault for fault in self._faults if fault.hits(name, self._calls[name])]
        delay = sum(fault.ms for fault in found if fault.kind == "latency")
        breaking = next((fault for fault in found if fault.kind != "latency"), None)
        injected = ", ".join(fault.kind for fault in found)
        if breaking is not None and breaking.kind == "decline":
            return StateAnswer("refused", error=breaking.say, delay_ms=delay, injected=injected)
        keeps = breaking is None or breaking.kind == "hang_after_commit"
        answer = _Call(self, tool, name, args).answer(keeps=keeps)
        if breaking is not None:
            error = f"no answer within {breaking.ms} ms"
            answer = replace(answer, outcome="hung", result=None, error=error)
            delay += breaking.ms
        return replace(answer, delay_ms=delay, injected=injected)


class _Call:
    """One call, in one transaction."""

    def __init__(self, state: SqlState, tool: SqlTool, name: str, args: Mapping[str, Any]) -> None:
        self._state, self._tool, self._name = state, tool, name
        self._connection = state._connection
        self._statements: list[Ran] = []
        self._clock = state.spec.clock.parameters()
        # An argument that was left out is null, so that statements can name it.
        named = {name: None for _, sql in tool.statements() for name in parameters(sql)}
        self._values: dict[str, Any] = {**named, **args}

    def answer(self, *, keeps: bool) -> StateAnswer:
        self._connection.begin()
        changes: tuple[Change, ...] = ()
        try:
            try:
                result = self._work()
                if keeps and self._connection.wrote():
                    after = self._connection.snapshot()
                    changes = self._state._now.changes_to(after)
                    self._connection.end(commit=True)
                    self._state._now = after
                else:
                    self._connection.end(commit=False)
            except BaseException:
                self._connection.end(commit=False)
                raise
        except RefusedError as refusal:
            return self._answer("refused", error=str(refusal))
        except StatementError as error:
            if error.reason != "statement":
                return self._answer("refused", error=_TOLD[error.reason])
            return self._failed(str(error))
        except StateError:
            raise
        except Exception as error:
            return self._failed(f"{place_of(error)}{type(error).__name__}: {error}")
        return self._answer("done", result=result, changes=changes)

    def _failed(self, why: str) -> StateAnswer:
        return self._answer("failed", error="the tool failed", fault=f"{FILE}: tools.{self._name}: {why}")

    def _answer(self, outcome: Outcome, **rest: Any) -> StateAnswer:
        return StateAnswer(outcome, statements=tuple(self._statements), **rest)

    def _run(self, sql: str, values: Mapping[str, Any]) -> tuple[list[Row], int]:
        given = {name: values[name] for name in parameters(sql) if name in values}
        try:
            rows, count = self._connection.run(sql, values)
        except StatementError as error:
            self._statements.append(Ran(sql.strip(), given, 0, error.reason))
            raise
        self._statements.append(Ran(sql.strip(), given, count))
        return rows, count

    def _query(self, sql: str) -> list[Row]:
        return self._run(sql, {**self._values, **self._clock})[0]

    def _work(self) -> Any:
        for refusal in self._state.spec.gate if self._tool.gate else ():
            self._decide(refusal)
        for name, sql in self._tool.let.items():
            rows = self._query(sql)
            self._values[name] = next(iter(rows[0].values())) if rows else None
        for refusal in self._tool.refuse:
            self._decide(refusal)
        if self._tool.python is not None:
            work = Work(self._values, self._state.spec.clock, self._run)
            return _checked(self._state._functions[self._name](work))
        for sql in self._tool.do:
            self._query(sql)
        return {name: self._shaped(name) for name in self._tool.result}

    def _decide(self, refusal: Refusal) -> None:
        if bool(self._query(refusal.query)) == (refusal.when is not None):
            values = {**self._values, **self._clock}
            raise RefusedError(_BRACES.sub(lambda found: str(values.get(found[1], found[0])), refusal.say))

    def _shaped(self, name: str) -> Any:
        query = self._tool.result[name]
        rows = [dict(row) for row in self._query(query.sql)]
        if query.shape == "all":
            return rows
        if query.shape == "one" and len(rows) != 1:
            raise StatementError("statement", f"result.{name} gives {len(rows)} rows, not one")
        if not rows:
            return None
        return rows[0] if query.shape in ("one", "first") else next(iter(rows[0].values()))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _checked(result: Any) -> Any:
    """The result of a function, which must be plain. Raises TypeError or ValueError."""
    return json.loads(json.dumps(result, allow_nan=False, default=dict))

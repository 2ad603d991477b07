"""The SQL state as what stands behind the tools of a session: tools with the handler ``sql:NAME``.

Its world is ``{table: {key: {column: value}}}``, beside what the package's initial state holds; the parts of a compound
key are joined by a comma.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError, Source, read_source
from pytest_talk2agent.workflows.package.work import ToolSpec
from pytest_talk2agent.workflows.stable import canonical
from pytest_talk2agent.workflows.state.clock import FrozenClock
from pytest_talk2agent.workflows.state.connection import SQLITE
from pytest_talk2agent.workflows.state.rows import Change as RowChange
from pytest_talk2agent.workflows.state.rows import Row, Snapshot, Table
from pytest_talk2agent.workflows.state.spec import FILE, FOLDER, Fault, StateSpec
from pytest_talk2agent.workflows.state.state import SqlState
from pytest_talk2agent.workflows.state.statement import Ran
from pytest_talk2agent.workflows.workbench.backend import Change, DictState, Done, StateBackend

KIND = "sql:"
"""What a handler begins with that leads here; the rest is the name of the tool in ``state/state.yaml``."""


class SqlBackend:
    """What is behind the tools of a package with a state, for one session.

    Raises:
        StateError: the database cannot be had, or the package's part of it is wrong.
    """

    def __init__(
        self,
        spec: StateSpec,
        files: Mapping[str, str],
        initial: Mapping[str, Any],
        url: str = SQLITE,
        faults: tuple[Fault, ...] = (),
    ) -> None:
        self._state = SqlState(spec, files, url, faults)
        self._rest = DictState(initial)

    def handles(self, handler: str) -> bool:
        """Whether a handler leads here."""
        return handler.startswith(KIND) and handler.removeprefix(KIND) in self._state.spec.tools

    def call(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int) -> Done:
        """Do a tool, in one transaction. What its rules refuse is an error that the agent is told."""
        answer = self._state.call((tool.handler or "").removeprefix(KIND), args)
        return Done(
            answer.ok,
            answer.result,
            answer.error,
            _paths(answer.changes),
            tuple(map(_logged, answer.statements)),
            delay_ms=answer.delay_ms,
            note="; ".join(filter(None, (answer.fault, answer.injected and f"injected: {answer.injected}"))),
        )

    def get(self, path: str) -> Any:
        """The value at a dotted path, None where there is none."""
        table, _, rest = path.partition(".")
        if table not in self._state.now.tables:
            return self._rest.get(path)
        rows = _keyed(self._state.now.tables[table])
        if not rest:
            return {key: dict(row) for key, row in rows.items()}
        if rest in rows:
            return dict(rows[rest])
        key, _, column = rest.rpartition(".")
        return rows.get(key, {}).get(column)

    def put(self, path: str, value: Any) -> Sequence[Change]:
        """Set one column of one row, or a value beside the tables. Raises StateError where there is no such row."""
        table = path.partition(".")[0]
        if table not in self._state.now.tables:
            return self._rest.put(path, value)
        key, _, column = path.removeprefix(f"{table}.").rpartition(".")
        return _paths(self._state.put(table, _row_key(self._state.now.tables[table], key), column, value))

    def snapshot(self) -> dict[str, Any]:
        """All rows, and what is beside the tables."""
        return {**self._rest.snapshot(), **world_of(self._state.now)}

    def check(self) -> Iterator[tuple[str, str]]:
        """Statements that the database does not take, each with its place in `state/state.yaml`."""
        return self._state.check()

    def close(self) -> None:
        """Remove the database."""
        self._state.close()


def state_of(package: Package) -> StateSpec | None:
    """What `state/state.yaml` of a package says, or None where it has none.

    Raises:
        PackageError: with everything that is wrong in it, by line, and with tools that it does not do.
    """
    if package.state is None:
        return None
    source = Source(package.folder / FOLDER / FILE, package.state)
    with suppress(PackageError):  # a package from a log has no folder; then faults have no lines
        source.root = read_source(source.path).root
    spec = source.validate(StateSpec)
    if spec is not None:
        arguments = {
            tool.handler.removeprefix(KIND): tuple(param.name for param in tool.params)
            for tool in package.tools.tools
            if tool.handler is not None and tool.handler.startswith(KIND)
        }
        for place, problem in spec.problems(arguments):
            source.fault(tuple(int(part) if part.isdigit() else part for part in place.split(".")), problem)
        for name in sorted(arguments.keys() - spec.tools.keys()):
            source.fault(("tools",), f"nothing is said of {name!r}, the handler {KIND}{name} of tools/tool_spec.yaml")
    if source.problems or spec is None:
        raise PackageError(source.problems)
    return spec


def clock_of(package: Package) -> FrozenClock | None:
    """The clock that tools and agent share; None where the package has no state. Raises PackageError as `state_of`."""
    spec = state_of(package)
    return None if spec is None else spec.clock


def open_state(package: Package, url: str = SQLITE, faults: tuple[Fault, ...] = ()) -> StateBackend:
    """What is behind the tools of a package: its database, or its initial state as a dictionary.

    Raises:
        PackageError: `state/state.yaml` is wrong.
        StateError: the database cannot be had, or does not take the package's schema or seed.
    """
    spec = state_of(package)
    if spec is None:
        return DictState(package.initial_state)
    return SqlBackend(spec, package.state_files, package.initial_state, url, faults)


def world_of(snapshot: Snapshot) -> dict[str, Any]:
    """The rows as ``{table: {key: {column: value}}}``."""
    return {
        name: {key: dict(row) for key, row in _keyed(table).items()} for name, table in sorted(snapshot.tables.items())
    }


def _key(values: Sequence[Any]) -> str:
    return ",".join(map(str, values))


def _keyed(table: Table) -> dict[str, Row]:
    return {_key(table.of(row)): row for row in table.rows}


def _row_key(table: Table, key: str) -> Mapping[str, Any]:
    row = _keyed(table).get(key, {})
    return {column: row[column] for column in table.key if column in row}


def _paths(changes: Sequence[RowChange]) -> tuple[Change, ...]:
    found: list[Change] = []
    for change in changes:
        place = (change.table, _key(tuple(change.key.values())))
        if change.before is None or change.after is None:
            before = None if change.before is None else dict(change.before)
            after = None if change.after is None else dict(change.after)
            found.append(Change(place, before, after, had=before is not None, has=after is not None))
        else:
            found.extend(
                Change((*place, column), change.before[column], change.after[column]) for column in change.columns
            )
    return tuple(found)


def _logged(ran: Ran) -> str:
    """A statement as one line of a log: its text, what it was given, and what came of it."""
    came = ran.error or f"{ran.rows} row{'' if ran.rows == 1 else 's'}"
    given = f" {canonical(dict(ran.parameters))}" if ran.parameters else ""
    return f"{' '.join(ran.sql.split())}{given} -> {came}"

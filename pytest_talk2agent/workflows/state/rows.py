"""What stands in a database, and what changed in it: tables of rows as plain values, and the difference of two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Row = Mapping[str, Any]
"""A row: column to a plain value (None, whole number, number, text), in the order of the table."""

Kind = Literal["inserted", "updated", "deleted"]


@dataclass(frozen=True)
class Table:
    """The rows of one table, in the order of their primary keys."""

    key: tuple[str, ...]
    rows: tuple[Row, ...]

    def of(self, row: Row) -> tuple[Any, ...]:
        """What identifies a row: the values of its key."""
        return tuple(row[column] for column in self.key)


@dataclass(frozen=True)
class Change:
    """One row that was inserted, updated or deleted, as it was ``before`` and is ``after`` (None: not there).

    ``key`` is the row's primary key.
    """

    table: str
    key: Row
    before: Row | None
    after: Row | None

    @property
    def kind(self) -> Kind:
        """What became of the row."""
        return "inserted" if self.before is None else "deleted" if self.after is None else "updated"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values differ; all of them where the row is new or gone."""
        if self.before is None or self.after is None:
            return tuple(self.after or self.before or ())
        return tuple(column for column, value in self.after.items() if self.before.get(column) != value)

    def to_json(self) -> dict[str, Any]:
        """Plain values, as they stand in a session's log."""
        return {
            "table": self.table,
            "key": dict(self.key),
            "before": None if self.before is None else dict(self.before),
            "after": None if self.after is None else dict(self.after),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        """The inverse of `to_json`."""
        return cls(data["table"], data["key"], data["before"], data["after"])

    def __str__(self) -> str:
        row = self.after or self.before or {}
        if self.before is None or self.after is None:
            return f"{self.table}: {self.kind} {_shown(row)}"
        changed = ", ".join(f"{column} {self.before[column]!r} -> {row[column]!r}" for column in self.columns)
        return f"{self.table}: updated {_shown(self.key)}: {changed}"


def _shown(row: Row) -> str:
    return ", ".join(f"{column}={value!r}" for column, value in row.items())


@dataclass(frozen=True)
class Snapshot:
    """All tables of a database by name, in the order of their names."""

    tables: Mapping[str, Table]

    def to_json(self) -> dict[str, Any]:
        """Plain values, as they stand in a session's log."""
        return {
            name: {"key": list(table.key), "rows": [dict(row) for row in table.rows]}
            for name, table in self.tables.items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Snapshot:
        """The inverse of `to_json`."""
        return cls({name: Table(tuple(entry["key"]), tuple(entry["rows"])) for name, entry in data.items()})

    def changes_to(self, after: Snapshot) -> tuple[Change, ...]:
        """What turns this snapshot into ``after``: by table, then by key."""
        empty = Table((), ())
        found: list[Change] = []
        for name in sorted({*self.tables, *after.tables}):
            old, new = self.tables.get(name, empty), after.tables.get(name, empty)
            found.extend(_changes(name, old, new))
        return tuple(found)

    def after(self, changes: Sequence[Change]) -> Snapshot:
        """The snapshot with ``changes`` made in their order.

        Raises ValueError where a change does not fit: a row to be changed that is not there as it was.
        """
        rows = {name: list(table.rows) for name, table in self.tables.items()}
        for change in changes:
            if change.table not in rows:
                raise ValueError(f"there is no table {change.table!r} to change")
            table = rows[change.table]
            if change.before is not None:
                try:
                    table.remove(change.before)
                except ValueError:
                    raise ValueError(f"the row of {change.table} that changes is not there: {change.before}") from None
            if change.after is not None:
                table.append(change.after)
        return Snapshot({name: sorted_table(table.key, rows[name]) for name, table in self.tables.items()})


def sorted_table(key: tuple[str, ...], rows: Iterable[Row]) -> Table:
    """A table with its rows in the order of their keys."""
    table = Table(key, ())
    return Table(key, tuple(sorted(rows, key=lambda row: in_order(table.of(row)))))


def in_order(values: Iterable[Any]) -> tuple[tuple[int, Any], ...]:
    """A key to sort rows by that no mixture of types breaks: nothing, then numbers, then texts by code point."""
    return tuple((0, 0) if value is None else (2, value) if isinstance(value, str) else (1, value) for value in values)


def _changes(name: str, old: Table, new: Table) -> Iterable[Change]:
    table = new if new.key else old
    before, after = {table.of(row): row for row in old.rows}, {table.of(row): row for row in new.rows}
    for key in sorted({*before, *after}, key=in_order):
        was, now = before.get(key), after.get(key)
        if was != now:
            yield Change(name, dict(zip(table.key, key, strict=True)), was, now)

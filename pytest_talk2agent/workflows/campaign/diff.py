"""What a session left behind: its artifacts against gold, field by field, and its world against the one it found.

Both come from the log alone. What is right was decided by the score, whose problems are in the record; nothing is
graded again here, so that no judge is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_talk2agent.workflows.campaign.record import ProblemRecord, ScoreRecord
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import ArtifactExpectation
from pytest_talk2agent.workflows.scoring.grade import is_blank, plain
from pytest_talk2agent.workflows.scoring.trace import ArtifactState, RowChange, Trace

Mark = Literal["wrong", "unjudged", "right", "optional"]
"""``optional``: gold names the field and does not require it, so that nothing hangs on it."""
_ORDER: Sequence[Mark] = ("wrong", "unjudged", "right", "optional")

NOTHING = "nothing"
WORLD = "world"
"""Stands for the table where a world is no database."""


@dataclass(frozen=True)
class FieldDiff:
    """One field of an artifact, or its lifecycle, or a claim: what gold wanted and what stood there, as texts.

    ``stale``: it was not written again after what it depends on changed.
    """

    field: str
    mark: Mark
    wanted: str
    found: str
    stale: bool = False


@dataclass(frozen=True)
class ArtifactDiff:
    """An artifact of gold: ``fields`` begin with what is wrong, ``unasked`` are fields that gold does not name."""

    artifact_id: str
    fields: tuple[FieldDiff, ...]
    unasked: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether anything in it is wrong or open."""
        return any(one.mark in ("wrong", "unjudged") for one in self.fields)

    def count(self, *marks: Mark) -> int:
        """How many fields have one of these marks."""
        return sum(one.mark in marks for one in self.fields)


@dataclass(frozen=True)
class Cell:
    """A column of a row, or a path of a world, with its value before and after; None where it was not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class RowDiff:
    """A row that a session left otherwise than it found it; of a changed row only the cells that differ."""

    table: str
    key: str
    kind: Literal["inserted", "changed", "deleted"]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class SessionDiff:
    """What a session left behind; ``tables`` are those of its database, if it has one."""

    artifacts: tuple[ArtifactDiff, ...] = ()
    rows: tuple[RowDiff, ...] = ()
    tables: tuple[str, ...] = ()


def session_diff(
    package: Package, trace: Trace, score: ScoreRecord | None, tables: tuple[str, ...] = ()
) -> SessionDiff:
    """The diffs of a session; without a score, as where the infrastructure failed, those of the world alone."""
    found = () if score is None else tuple(_artifacts(package, trace, score.problems))
    return SessionDiff(
        found, (*map(_row, trace.rows), *_paths(trace, {*tables, *(row.table for row in trace.rows)})), tables
    )


def _artifacts(package: Package, trace: Trace, problems: Sequence[ProblemRecord]) -> Iterator[ArtifactDiff]:
    against = {problem.id: problem for problem in problems if problem.rule == "artifact"}
    for expected in package.gold.artifact_expectations:
        state = trace.artifacts.get(expected.artifact_id)
        fields = sorted(_fields(expected, state, against), key=lambda one: _ORDER.index(one.mark))
        named = {one.field for one in expected.fields}
        unasked = tuple(sorted((state.fields if state is not None else {}).keys() - named))
        yield ArtifactDiff(expected.artifact_id, tuple(fields), unasked)


def _fields(
    expected: ArtifactExpectation, state: ArtifactState | None, against: Mapping[str, ProblemRecord]
) -> Iterator[FieldDiff]:
    """Fields in the order of gold, after what is against the artifact besides them."""
    name = expected.artifact_id
    claims = [
        claim.id
        for claims in (expected.required_claims, expected.forbidden_claims, expected.required_caveats)
        for claim in claims
    ]
    fields = {one.field for one in expected.fields}
    for other in ("", "@lifecycle", *(claim for claim in claims if claim not in fields)):
        problem = against.get(f"{name}.{other}" if other else name)
        if problem is not None:
            yield FieldDiff(other, _mark(problem), problem.wanted, problem.found)
    for one in expected.fields:
        problem = against.get(f"{name}.{one.field}")
        value = None if state is None else state.fields.get(one.field)
        stale = state is not None and one.field in state.stale
        if problem is not None:
            yield FieldDiff(one.field, _mark(problem), problem.wanted, problem.found, stale)
        else:
            wanted = "anything" if one.expected is None else repr(plain(one.expected))
            found = NOTHING if is_blank(value) else repr(plain(value))
            yield FieldDiff(one.field, "right" if one.required else "optional", wanted, found, stale)


def _mark(problem: ProblemRecord) -> Mark:
    return "unjudged" if problem.open else "wrong"


def _row(row: RowChange) -> RowDiff:
    before, after = row.before or {}, row.after or {}
    both = row.before is not None and row.after is not None
    cells = tuple(
        Cell(name, _text(before, name), _text(after, name))
        for name in dict.fromkeys([*before, *after])
        if not both or before.get(name) != after.get(name) or (name in before) != (name in after)
    )
    key = ", ".join(plain(value) for value in row.key.values())
    return RowDiff(row.table, key, "changed" if both else "deleted" if row.after is None else "inserted", cells)


def _text(values: Mapping[str, Any], name: str) -> str | None:
    return repr(values[name]) if name in values else None


def _paths(trace: Trace, tables: set[str]) -> Iterator[RowDiff]:
    """Changes of a world besides the tables of a database, first and last value of each path."""
    first: dict[str, Any] = {}
    last: dict[str, Any] = {}
    for change in trace.world_changes:
        if change.path.partition(".")[0] not in tables:
            first.setdefault(change.path, change.old)
            last[change.path] = change.new
    cells = tuple(Cell(path, repr(old), repr(last[path])) for path, old in first.items() if old != last[path])
    if cells:
        yield RowDiff(WORLD, "", "changed", cells)

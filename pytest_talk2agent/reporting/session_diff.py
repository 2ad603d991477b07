"""What a session left behind, as lines of its failure: artifacts that differ from gold, and the rows that changed.

Short: what is left out is counted. The values are data of agents and packages; whoever prints the lines makes them
visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.diff import WORLD, ArtifactDiff, Cell, FieldDiff, Mark, SessionDiff

ARTIFACTS, FIELDS, ROWS, CELLS = 3, 12, 8, 6
"""So many artifacts, fields of one, rows, and cells of one are shown."""
LONGEST = 60
"""Characters of a value."""
_MARKS: Mapping[Mark, str] = {"wrong": "!", "unjudged": "?", "right": "=", "optional": "-"}


def diff_lines(diff: SessionDiff) -> list[str]:
    """The lines, each part after an empty one; none where nothing differs."""
    differing = [one for one in diff.artifacts if one.differs]
    lines: list[str] = []
    for artifact in differing[:ARTIFACTS]:
        lines += ["", *_artifact(artifact)]
    lines += _left(len(differing) - ARTIFACTS, "artifact")
    return [*lines, *_rows(diff)]


def _artifact(one: ArtifactDiff) -> Iterator[str]:
    wrong, open_ = one.count("wrong"), one.count("unjudged")
    counts = [f"{wrong} wrong"] * (wrong > 0) + [f"{open_} unjudged"] * (open_ > 0)
    yield f"artifact {one.artifact_id} against gold: {', '.join(counts)} of {len(one.fields)}"
    rows = [[f" {_MARKS[f.mark]}", f.field or "artifact", cut(f.wanted), found_of(f)] for f in one.fields[:FIELDS]]
    yield from (f"  {line}" for line in table(["", "field", "wanted", "stood there"], rows))
    yield from _left(len(one.fields) - FIELDS, "field")
    if one.unasked:
        names = ", ".join(map(cut, one.unasked[:CELLS]))
        more = len(one.unasked) - CELLS
        yield f"   not in gold: {names}{f' and {more} more' if more > 0 else ''}"


def found_of(one: FieldDiff) -> str:
    """What stood in a field, and that it was not written again."""
    stale = " (not rewritten)" if one.mark in ("right", "optional") else " (stale)"
    return f"{cut(one.found)}{stale if one.stale else ''}"


def _rows(diff: SessionDiff) -> Iterator[str]:
    rows = diff.rows
    if rows or diff.tables:
        yield ""
    if diff.tables:
        yield rows_headline(diff)
    for row in rows[:ROWS]:
        cells = ", ".join(cell_text(cell) for cell in row.cells[:CELLS])
        more = len(row.cells) - CELLS
        name = "world, before -> after:" if row.table == WORLD else f"   {row.table} {cut(row.key)} {row.kind}:"
        yield f"{name} {cells}{f' and {more} more' if more > 0 else ''}"
    yield from _left(len(rows) - ROWS, "row")


def rows_headline(diff: SessionDiff) -> str:
    """How many rows of the database the session changed."""
    number = sum(row.table != WORLD for row in diff.rows)
    return f"{counted(number, 'row')} changed, before -> after" if number else "no row changed"


def cell_text(cell: Cell) -> str:
    """A cell with its value before and after, or the one that there is."""
    values = [cut(value) for value in (cell.before, cell.after) if value is not None]
    return f"{cell.name} {' -> '.join(values)}"


def _left(number: int, noun: str) -> list[str]:
    return [f"   and {counted(number, noun)} more"] if number > 0 else []


def cut(text: str, longest: int = LONGEST) -> str:
    """A text of a bounded length, with two dots where something is left out."""
    return text if len(text) <= longest else f"{text[:longest]}.."

"""The comparison with a baseline as rows of cells."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_talk2agent.results.release import Comparison, Difference, KindChange
from pytest_talk2agent.results.verdict import show

_HEAD = ["metric", "baseline", "candidate", "difference", "95 % interval", "margin", "verdict"]
_KIND_HEAD = ["kind", "intentions", "lost before", "lost now", "newly lost", "no longer", "undecided", "p (Holm)", ""]


def release_tables(comparisons: Sequence[Comparison]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Two tables for each comparison, a title, a head and rows each: its metrics, and its kinds where any changed."""
    tables = []
    for found in comparisons:
        names = f"{found.condition} against {found.reference}"
        left_out = [
            f"{count} only in the {where}"
            for count, where in ((found.only_before, "baseline"), (found.only_after, "candidate"))
            if count
        ]
        size = ", ".join([f"{found.tasks} tasks", f"{found.items} items", *left_out])
        rows = [_row(row) for row in found.differences]
        tables.append((f"{names}: means over tasks ({size})", list(_HEAD), rows))
        changed = [kind for kind in found.kinds if kind.worse or kind.better or kind.undecided]
        if changed:
            title = f"{names}: intentions lost, by kind"
            tables.append((title, list(_KIND_HEAD), [_kind_row(kind) for kind in changed]))
    return tables


def _row(row: Difference) -> list[str]:
    sign = "+" if row.metric == "lost" else "-"
    return [
        row.metric,
        _ends(row.before, ""),
        _ends(row.after, ""),
        _ends(row.difference, "+"),
        "none: fewer than two tasks" if row.interval is None else _ends(row.interval, "+"),
        "" if row.margin is None else f"{sign}{show(row.margin)}" if row.margin else "0",
        "" if row.change is None else row.change.value,
    ]


def _ends(ends: tuple[float, float], sign: str) -> str:
    # Adding 0 turns the minus zero of a rounded difference into zero.
    low, high = (f"{round(end, 3) + 0.0:{sign}.3f}" for end in ends)
    return low if low == high else f"[{low}, {high}]"


def _kind_row(kind: KindChange) -> list[str]:
    return [
        kind.kind,
        str(kind.intentions),
        str(kind.lost_before),
        str(kind.lost_after),
        str(kind.worse),
        str(kind.better),
        str(kind.undecided),
        f"{kind.adjusted:.2g}",
        "regressed" if kind.regressed else "",
    ]

"""The table of synthetic and human callers in words; a short module, as the figures are made elsewhere."""

from __future__ import annotations

from typing import Any

from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate
from pytest_talk2agent.workflows.campaign.transfer import MEASURES, Transfer, TransferRow

HEAD = ["agent", "workflow", "", "synthetic", "human", "human - synthetic"]
ALL = "all"


def transfer_rows(found: Transfer) -> list[list[str]]:
    """A row for each gate and success, of each workflow and of all."""
    rows = []
    for row in found.rows:
        for name in MEASURES:
            cell = row.cells[name]
            difference = "n/a" if cell.gap is None else str(cell.gap)
            rows.append([row.agent, row.package or ALL, name, str(cell.synthetic), str(cell.human), difference])
    return rows


def transfer_notes(found: Transfer) -> list[str]:
    """What the table leaves out, one line each."""
    notes = []
    for row in found.rows:
        if not row.package and any(row.missing):
            synthetic, human = row.missing
            notes.append(f"{row.agent}: without a result {counted(synthetic, 'synthetic call')}, {human} with a person")
    return [*notes, *(f"left out, as only one kind of caller has finished it: {name}" for name in found.alone)]


def transfer_json(found: Transfer) -> dict[str, Any]:
    """The same as plain values."""
    return {"rows": [_plain(row) for row in found.rows], "alone": list(found.alone)}


def _plain(row: TransferRow) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "workflow": row.package or None,
        "missing": {"synthetic": row.missing[0], "human": row.missing[1]},
        "measures": {
            name: {
                "synthetic": _counts(cell.synthetic),
                "human": _counts(cell.human),
                "gap": None if cell.gap is None else str(cell.gap.value),
                "interval": None if cell.gap is None else list(cell.gap.interval),
            }
            for name, cell in row.cells.items()
        },
    }


def _counts(cell: Rate | NotApplicable) -> dict[str, Any] | None:
    if isinstance(cell, NotApplicable):
        return None
    return {"passed": cell.passed, "of": cell.total, "unjudged": cell.open, "interval": list(cell.interval)}

"""The terminal summary: the items that failed, then a row for each condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_talk2agent.reporting.losses import lost_in_short, score_cells, worst_first
from pytest_talk2agent.reporting.run_tables import tables_of
from pytest_talk2agent.reporting.visible import encodable, table, visible_line, visible_lines
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.task_result import TaskResult

if TYPE_CHECKING:
    pass

SHOWN = 30
_HEAD = ["item", "outcome", "native", "shapley", "lost", "what was lost"]


def summary_lines(results: Sequence[TaskResult], errors: Mapping[str, str], gate: Gate, *, verbose: bool) -> list[str]:
    """Plain lines, fit for the terminal, failed items first. Items that passed are shown only when asked for."""
    rows = worst_first(r for r in results if verbose or r.verdict.outcome.fails)
    lines = []
    if rows:
        shown = rows if verbose else rows[:SHOWN]
        lines.extend(table(_HEAD, [_row(row) for row in shown]))
        if len(shown) < len(rows):
            lines.append(f"and {len(rows) - len(shown)} more (-v shows all)")
        lines.append("")
    lines.extend(f"ERROR {node.rpartition('::')[2]}: {text}" for node, text in sorted(errors.items())[:SHOWN])
    if len(errors) > SHOWN:
        lines.append(f"and {len(errors) - SHOWN} more errors")
    for number, (title, head, cells) in enumerate(tables_of(gate, results)):
        if number:
            lines.extend(["", title])
        lines.extend(table(head, cells))
    if gate.conditions:
        left_out = sum(summary.left_out for summary in gate.conditions)
        if left_out:
            count = f"{left_out} item{'s' if left_out > 1 else ''}"
            lines.append(f"means leave out {count}: score undefined or inverted, or polarity reversed")
    return list(map(encodable, visible_lines(lines)))


def verdict_line(gate: Gate) -> str:
    """The last line: passed, or every reason why not."""
    return "GATE PASSED" if gate.passed else encodable(visible_line(f"GATE FAILED: {'; '.join(gate.reasons)}"))


def item_name(result: TaskResult) -> str:
    """The last part of the node id: task, condition and take."""
    return result.node.rpartition("::")[2]


def _row(result: TaskResult) -> list[str]:
    return [item_name(result), *score_cells(result), str(result.retention.lost), lost_in_short(result)]

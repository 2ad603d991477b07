"""A table in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_talk2agent.reporting.visible import visible_lines


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell, two blanks apart; no trailing blanks."""
    head, *rows = map(visible_lines, [head, *rows])
    everything = [head, *rows]
    widths = [max(len(row[column]) for row in everything) for column in range(len(head))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in everything)
    return ["  ".join(row).rstrip() for row in padded]

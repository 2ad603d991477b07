"""Execution by agent and condition over its rounds (Talk2Agent, tables 2 and 3)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from pytest_talk2agent.analysis.outcomes import rows_of, score_of
from pytest_talk2agent.analysis.spread import Spread, means_of, spread

_NEEDED = ("task", "condition", "score", "round")


def read_rounds(path: Path) -> dict[tuple[str, str], Spread]:
    """The spread of each agent and condition, in the order of the file.

    CSV with a heading, or JSON Lines: task, condition, score, round (a repetition of the execution, or the take that
    was executed), and where there are several an agent. Raises ValueError with the line, or for the agent and condition
    whose rounds are not of the same tasks.
    """
    cells: dict[tuple[str, str], list[tuple[str, str, Fraction]]] = {}
    for line, row in rows_of(path, _NEEDED):
        where = f"{path}:{line}"
        for name in _NEEDED:
            if row.get(name) in (None, ""):
                raise ValueError(f"{where}: no {name}; every row needs {', '.join(_NEEDED)}")
        place = (str(row.get("agent") or ""), str(row["condition"]))
        cells.setdefault(place, []).append((str(row["round"]), str(row["task"]), score_of(row["score"], where)))
    if not cells:
        raise ValueError(f"{path}: no rows; give one a task, condition and round")
    return {
        (agent, condition): spread([*means_of(found, f"{path}: condition {condition!r}").values()])
        for (agent, condition), found in cells.items()
    }

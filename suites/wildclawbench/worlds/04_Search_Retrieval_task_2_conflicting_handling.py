"""Workspaces of the task on a statute of limitations in which a chosen set of criteria holds."""

from __future__ import annotations

import re
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("up_to_date",)


def _years(world: World) -> int:
    """The years that the facts lead to which came across."""
    if not world.holds("sale"):
        return 1
    if not world.holds("domestic"):
        return 4
    return 3 if world.holds("when") and world.holds("up_to_date") else 2


def build(world: World) -> None:
    """Lay out the workspace."""
    answer = f"Limitation: {_years(world)} years" if world.holds("question") else "Interest is owed from the due date."
    world.write("results/results.md" if world.holds("save_path") else "results/analysis.md", answer)
    world.judge(_judge)


def _judge(prompt: str) -> dict[str, Any]:
    """1 where the final answer is three years, 0 where it is another number or none."""
    found = re.search(r"^Limitation: (\d+) years$", prompt, re.M)
    return {"score": int(found is not None and found[1] == "3")}

"""Workspaces of the task on a chain of co-authors in which a chosen set of criteria holds."""

from __future__ import annotations

import re
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("found",)

_REFERENCE = ("A", "C", "D", "B")
"""The people of a reference chain, in the letters of the task: A and B are the owners of the two profiles."""


def build(world: World) -> None:
    """Lay out the workspace."""
    first = "A" if world.holds("scholar_a") else "X"
    last = "B" if world.holds("scholar_b") else "Y"
    middle = ["C", "D"]
    if not world.holds("found"):
        middle = ["F", "G"]
    if not world.holds("coauthors"):
        middle = [f"colleague {person}" for person in middle]
    if not world.holds("shortest"):
        middle.append("E")
    path = "results/results.md" if world.holds("save_path") else "results/chain.md"
    world.write(path, f"Chain: {' - '.join([first, *middle, last])}\n")
    world.judge(_judge)


def _judge(prompt: str) -> dict[str, Any]:
    """1 where some chain of the answer is a chain of the reference in every node, else 0."""
    chains = [tuple(chain.split(" - ")) for chain in re.findall(r"^Chain: (.+)$", prompt, re.M)]
    return {"score": int(_REFERENCE in chains)}

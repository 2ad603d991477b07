"""Workspaces of the trace of a module's origin in which a chosen set of criteria holds."""

from __future__ import annotations

import re
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("two_searches",)
RIGHT = ("Version: the right one.", "PR: the right one.")
TIERS = {1: 1.0, 2: 1.0, 3: 0.8, 4: 0.5, 5: 0.3}


def build(world: World) -> None:
    """Write the answer with the number of searches that it took."""
    asked = (world.holds("ask_version"), world.holds("ask_pr"))
    parts = [part for part, wanted in zip(RIGHT, asked, strict=True) if wanted]
    if not world.holds("symbol"):
        parts = [part.replace("right", "wrong") for part in parts]
    searches = 2 if world.holds("two_searches") else 5
    answer = "\n".join([f"Searches made: {searches}", *parts])
    world.write("results/results.md" if world.holds("save_path") else "results/trace.md", answer)
    world.judge(_judge)


def _judge(prompt: str) -> dict[str, Any]:
    if not all(part in prompt for part in RIGHT):
        return {"score": 0}
    found = re.search(r"Searches made: (\d+)", prompt)
    return {"score": TIERS[int(found[1])] if found else 0.3}

"""Workspaces of the task on a half-remembered paper in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("found",)

CLUES = ("year", "early", "method", "field", "first_author", "surname", "stars")


def build(world: World) -> None:
    """Lay out the answer: the paper, or another one where a clue is lost."""
    right = all(map(world.holds, (*CLUES, "found")))
    path = "results/results.md" if world.holds("save_path") else "results/paper.md"
    world.write(path, "the paper" if right else "another paper")
    world.judge(lambda prompt: {"score": int(prompt.split("【待评估回答】")[-1].strip().startswith("the paper"))})

"""Workspaces of the task on an airport in two workbooks in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("found",)

CONDITIONS = ("state", "highest", "measure", "role", "service_level")
QUESTION = ("shortfall", "primary", "primary_year", "found")


def build(world: World) -> None:
    """Lay out the two answers; the number belongs to the airport, so it is wrong with it."""
    airport = all(map(world.holds, CONDITIONS))
    number = airport and all(map(world.holds, QUESTION))
    path = "results/results.md" if world.holds("save_path") else "results/airport.md"
    world.write(path, f"{'right' if airport else 'wrong'} airport, {'right' if number else 'wrong'} number")
    world.judge(judge)


def judge(prompt: str) -> dict[str, float]:
    """The tiers of the judge's prompt: both answers, one of them, none."""
    answer = prompt.split("【待评估回答】")[-1].strip().split("\n")[0]
    return {"score": (0.0, 0.5, 1.0)[answer.count("right")]}

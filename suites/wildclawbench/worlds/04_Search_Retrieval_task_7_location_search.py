"""Workspaces of the task on the place in a photograph in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("recognised",)

FIELDS = ("country", "city", "latitude", "longitude")


def build(world: World) -> None:
    """Lay out the answer: an object of the values that were asked for, or prose where the form is lost."""
    value = "right" if world.holds("shown") and world.holds("recognised") else "wrong"
    place = {name: value for name in FIELDS if world.holds(name)}
    path = "results/results.md" if world.holds("save_path") else "results/location.md"
    world.write(path, json.dumps(place) if world.holds("as_json") else ", ".join(map(" ".join, place.items())) or "-")
    world.judge(judge)


def judge(prompt: str) -> dict[str, float]:
    """The rules of the judge's prompt: nothing without an object, else a quarter for each right value."""
    answer = prompt.split("【待评估回答】")[-1].strip().split("\n")[0]
    place = json.loads(answer) if answer.startswith("{") else {}
    return {"score": sum(0.25 for name in FIELDS if place.get(name) == "right")}

"""Workspaces of the task on choosing a phone in which a chosen set of criteria holds."""

from __future__ import annotations

from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("two_known",)

_CONDITIONS = ("maker", "chip", "sensor", "satellite", "year", "storage", "battery")
_NEAR_MISSES = ("Phone N meets all but one.", "Phone O meets all but one.")


def build(world: World) -> None:
    """Lay out the workspace."""
    lost = [condition for condition in _CONDITIONS if not world.holds(condition)]
    lines = ["Phone P meets all conditions."] if lost else ["No phone meets all conditions."]
    if world.holds("recommend"):
        lines += _NEAR_MISSES if world.holds("two_known") else _NEAR_MISSES[:1]
    world.write("results/results.md" if world.holds("save_path") else "results/phones.md", "\n".join(lines))
    world.judge(_judge)


def _judge(prompt: str) -> dict[str, Any]:
    """0 unless it is seen that no phone fits; one half without two known near misses, else 1."""
    if "No phone meets all conditions." not in prompt:
        return {"score": 0}
    return {"score": 1 if all(phone in prompt for phone in _NEAR_MISSES) else 0.5}

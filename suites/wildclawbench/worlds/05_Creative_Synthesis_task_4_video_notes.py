"""Workspaces of the notes on a lecture in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("orderly",)


def build(world: World) -> None:
    """Write notes of a length at the end point of the ramp whose limit was lost."""
    longest = 1000 if world.holds("max_words") else 6000
    words = longest if world.holds("min_words") else 0
    world.write("results/notes.md" if world.holds("notes_out") else "results/summary.md", "word " * words + "\n")
    covered = float(world.holds("from_video") and world.holds("comprehensive"))
    structure = float(world.holds("markdown") and world.holds("orderly"))
    world.judge({**{f"cp_{number}": covered for number in range(1, 9)}, "structure_quality": structure})

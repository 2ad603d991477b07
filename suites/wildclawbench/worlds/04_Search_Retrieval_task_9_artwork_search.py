"""Workspaces of the search for a painting's place in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("recognised",)
RIGHT = "It hangs in the right museum."


def build(world: World) -> None:
    """Write the answer; the judge wants the place where the painting is at that time."""
    if not world.holds("ask_place"):
        answer = "It shows a garden."
    elif all(map(world.holds, ("month", "year", "recognised"))):
        answer = RIGHT
    else:
        answer = "It hangs in another museum."
    world.write("results/results.md" if world.holds("save_path") else "results/place.md", answer)
    world.judge(lambda prompt: {"score": int(RIGHT in prompt)})

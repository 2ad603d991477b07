"""Workspaces of the search for a half-remembered repository in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("found",)
CLUES = (
    *("period", "open_source", "models", "machines", "no_gpu", "languages"),
    *("animal", "speech_tool", "file_format", "stars", "found"),
)
RIGHT = "It is the repository in question."


def build(world: World) -> None:
    """Write the answer; the judge wants the one repository that fits every clue."""
    answer = RIGHT if all(map(world.holds, CLUES)) else "It is a repository of the same sort."
    world.write("results/results.md" if world.holds("save_path") else "results/repository.md", answer)
    world.judge(lambda prompt: {"score": int(RIGHT in prompt)})

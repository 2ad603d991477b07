"""Workspaces of the count of oral papers by university in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("found",)
SEARCH = ("conference", "year", "oral", "sjtu", "fdu", "first_affiliation", "found")
RIGHT = {"counts": "Counts: four and none.", "titles": "Titles: the four in question."}
WRONG = {"counts": "Counts: three and one.", "titles": "Titles: some others."}


def build(world: World) -> None:
    """Write the answer; the judge wants both its counts and its titles to be right."""
    answers = RIGHT if all(map(world.holds, SEARCH)) else WRONG
    parts = [answer for name, answer in answers.items() if world.holds(name)]
    place = "results/results.md" if world.holds("save_path") else "results/papers.md"
    world.write(place, "\n".join(["My search is done.", *parts]))
    world.judge(lambda prompt: {"score": int(all(answer in prompt for answer in RIGHT.values()))})

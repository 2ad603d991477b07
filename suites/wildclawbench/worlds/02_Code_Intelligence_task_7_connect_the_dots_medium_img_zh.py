"""Workspaces of the task on joining numbered dots in which a chosen set of criteria holds."""

from __future__ import annotations

from itertools import pairwise

from pytest_talk2agent.execution.world import World

VARIES = ("dots_read",)

DOTS = (1, 2, 3, 4, 5, 6)


def build(world: World) -> None:
    """Lay out two drawings. The stubbed judge sees no pictures, so a drawing is the text of its lines."""
    world.write("gt/gt.png", lines(DOTS))
    order = DOTS if world.holds("number_order") else DOTS[::2]
    drawn = world.holds("dots_read") and world.holds("connect")
    path = world.root / ("results/result.png" if world.holds("picture_path") else "result.png")
    world.place(path, lines(order) if drawn else "no line")
    world.judge(lambda _: {"score": likeness(path.read_text(), lines(DOTS))})


def lines(order: tuple[int, ...]) -> str:
    """The lines of a drawing, one for each two dots that follow each other."""
    return "\n".join(f"{one}-{other}" for one, other in pairwise(order))


def likeness(drawing: str, truth: str) -> int:
    """The first and the last of the judge's tiers."""
    common = set(drawing.split("\n")) & set(truth.split("\n"))
    return 10 if drawing == truth else 0 if not common else 5

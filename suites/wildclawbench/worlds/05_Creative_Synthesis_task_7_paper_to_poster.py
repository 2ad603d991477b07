"""Workspaces of the poster on a paper in which a chosen set of criteria holds."""

from __future__ import annotations

import io

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("complete", "craft")
PADDING = b"\0" * 100_000


def build(world: World) -> None:
    """Write an empty poster, padded to the least size of a file; what it shows is the judge's knowledge."""
    size = (3000, 2000) if world.holds("min_side") else (1500, 1000)
    poster = io.BytesIO()
    Image.new("1", size).save(poster, "PNG")
    name = "poster" if world.holds("poster_out") else "image"
    world.write(f"results/{name}.png", poster.getvalue() + PADDING)
    craft = world.holds("craft")
    world.judge(
        {
            "has_title": world.holds("title"),
            "has_authors": world.holds("authors"),
            "has_figures": world.holds("three_figures"),
            "content_coverage": float(world.holds("core_sections") and world.holds("complete")),
            "readability": craft * (world.holds("clear_layout") + world.holds("hierarchy")) / 2,
            "visual_aesthetics": craft * (world.holds("uniform_style") + world.holds("colours")) / 2,
        }
    )

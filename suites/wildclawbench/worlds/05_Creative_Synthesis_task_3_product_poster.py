"""Workspaces of the poster for a briefcase in which a chosen set of criteria holds."""

from __future__ import annotations

import io

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("specific", "craft")
ELEMENTS = ("brand", "product_name", "tagline", "price", "list_price", "learn_more")


def build(world: World) -> None:
    """Write an empty poster of the size that was understood; what it shows is the judge's knowledge."""
    size = (1080 if world.holds("width") else 900, 1440 if world.holds("height") else 1600)
    poster = io.BytesIO()
    Image.new("1", size).save(poster, "PNG")
    world.write("results/poster.png" if world.holds("poster_out") else "results/image.png", poster.getvalue())
    world.judge(
        {
            "content_completeness": sum(map(world.holds, ELEMENTS)) / len(ELEMENTS),
            "feature_highlighting": float(world.holds("features") and world.holds("specific")),
            "design_impact": float(world.holds("layout") and world.holds("craft")),
        }
    )

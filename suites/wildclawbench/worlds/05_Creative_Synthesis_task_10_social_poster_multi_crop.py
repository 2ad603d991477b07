"""Workspaces of the crops for three platforms in which a chosen set of criteria holds."""

from __future__ import annotations

import io

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("composition",)
ORIGINAL = (480, 640)
CROPS = (
    ("square_out", "crop_ins_square", "square_post", (320, 320)),
    ("tiktok_out", "crop_tiktok", "vertical_video", (270, 480)),
    ("portrait_out", "crop_ins_portrait", "portrait_post", (400, 500)),
)


def build(world: World) -> None:
    """Write the original and three crops; a platform that was lost leaves the ratio of the original."""
    world.write("gt/poster_original.png", _picture(ORIGINAL))
    for place, name, platform, size in CROPS:
        name = name if world.holds(place) else name.replace("crop", "version")
        world.write(f"results/{name}.png", _picture(size if world.holds(platform) else ORIGINAL))
    marks = {"subject_score": world.holds("smart_crop"), "aesthetic_score": world.holds("composition")}
    world.judge({name: float(holds) for name, holds in marks.items()})


def _picture(size: tuple[int, int]) -> bytes:
    """An empty picture, padded so that no file is taken for a broken one."""
    picture = io.BytesIO()
    Image.new("1", size).save(picture, "PNG")
    return picture.getvalue() + b"\0" * 1000

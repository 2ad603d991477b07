"""Workspaces of the task on sorting images into five classes in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("no_stray",)

_CLASSES = ("charts", "documents", "photos", "science", "synthetic")
_OF_A_CLASS = 20


def build(world: World) -> None:
    """Lay out the workspace."""
    images = {f"{name}_{number:02}.png": name for name in _CLASSES for number in range(_OF_A_CLASS)}
    world.write("gt/filename_to_class.json", json.dumps(images))
    folders = [name for name in _CLASSES if world.holds(name)] or ["images"]
    root = "results" if world.holds("out_dir") else "sorted"
    if not world.holds("out_dir"):
        (world.root / "results").rmdir()
    for folder in folders:
        (world.root / root / folder).mkdir(parents=True)
    if not world.holds("keep_names"):
        world.write(f"{root}/{folders[0]}/renamed.png", b"")
    if world.holds("every_image") and world.holds("keep_names"):
        for image, name in images.items():
            world.write(f"{root}/{name if name in folders else folders[0]}/{image}", b"")
    if not world.holds("no_stray"):
        (world.root / root / folders[0] / "thumbnails").mkdir()

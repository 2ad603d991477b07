"""Workspaces of the task on crawling fifty pages in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("real_jpeg",)

_ITEMS = ("SCP-001", "SCP-002", "SCP-003")
_PICTURES = 2
_JPEG = b"\xff\xd8picture\xff\xd9"
_PNG = b"\x89PNG picture"


def _text(world: World, item: str) -> str:
    if not world.holds("site"):
        return "A page of another site.\n"
    return f"Beginning of {item}.\nEnd of {item}.\n" if world.holds("full_text") else "In short: an object.\n"


def _pictures(world: World) -> list[str]:
    """Names of the pictures that are stored for a page."""
    count = _PICTURES if world.holds("own_images") else _PICTURES + 1
    if not world.holds("site"):
        return []
    return [f"{n}.jpg" if world.holds("image_names") else f"picture-{n}.jpg" for n in range(1, count + 1)]


def _line(world: World, item: str) -> dict[str, object]:
    right_class = world.holds("class_rule") and world.holds("site")
    right_count = world.holds("mask_once") and world.holds("mask_licence") and world.holds("site")
    return {
        "item" if world.holds("item_key") else "id": item,
        "class" if world.holds("class_key") else "kind": "Safe" if right_class else "Anomaly",
        "n_mask" if world.holds("mask_key") else "hidden": 2 if right_count else 9,
    }


def build(world: World) -> None:
    """Lay out the workspace."""
    truth = {
        item: {
            "class": "Safe",
            "n_mask": 2,
            "text_anchors": [f"Beginning of {item}.", f"End of {item}."],
            "image_count": _PICTURES,
        }
        for item in _ITEMS
    }
    world.write("gt/ground_truth.json", json.dumps({"by_item": truth}))
    items = _ITEMS if world.holds("items") else tuple(item.replace("-0", "-9") for item in _ITEMS)
    root = "results" if world.holds("out_dir") else "crawl"
    for item in items:
        folder = f"{root}/{item.lower() if world.holds('item_dirs') else item.replace('-', ' no. ')}"
        world.write(f"{folder}/{'text.md' if world.holds('text_name') else 'page.md'}", _text(world, item))
        for name in _pictures(world):
            world.write(f"{folder}/{name}", _JPEG if world.holds("real_jpeg") else _PNG)
    lines = [_line(world, item) for item in items]
    summary = "\n".join(json.dumps(line) for line in lines) if world.holds("jsonl") else json.dumps(lines, indent=1)
    world.write(f"{root}/{'summary.jsonl' if world.holds('summary_name') else 'overview.jsonl'}", summary)

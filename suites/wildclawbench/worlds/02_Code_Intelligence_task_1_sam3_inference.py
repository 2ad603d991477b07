"""Workspaces of the task on finding objects with an undocumented library in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("detects",)

RIGHT = [40.0, 20.0, 90.0, 120.0]
WRONG = [300.0, 300.0, 310.0, 310.0]
WIDTH, HEIGHT = 400, 400
CASES = {
    "text_shoe": ("shoe_case", ("shoe_words", "shoe_threshold")),
    "single_box": ("box_case", ("box_corners", "box_threshold")),
    "multi_box": ("pair_case", ("pair_first", "pair_second", "pair_labels", "pair_threshold")),
    "text_box_combined": ("child_case", ("child_words", "child_box", "child_threshold")),
}
"""The case, the intention that is its name, and those that make up its prompt."""


def build(world: World) -> None:
    """Lay out the detections of the four cases and the true ones."""
    world.write("gt/gt_boxes.json", json.dumps({"cases": {case: {"boxes_xyxy": [RIGHT]} for case in CASES}}))
    group, boxes = ("cases", "boxes_xyxy") if world.holds("fields") else ("results", "rectangles")
    found = {}
    for case, (name, prompt) in CASES.items():
        corners = RIGHT if all(map(world.holds, ("detects", "image", *prompt))) else WRONG
        if not world.holds("pixels"):
            corners = [corner / side for corner, side in zip(corners, (WIDTH, HEIGHT) * 2, strict=True)]
        found[case if world.holds(name) else f"other_{case}"] = {boxes: [corners], "scores": [0.9]}
    name = "predictions" if world.holds("out_path") else "detections"
    world.write(f"results/{name}.json", json.dumps({"image_size": [WIDTH, HEIGHT], group: found}))

"""Workspaces of the task on mending a faulty vision library in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("found",)

RIGHT = [40.0, 20.0, 90.0, 120.0]
SPOILT = [120.0, 90.0, 20.0, 40.0]
CASES = ("first", "second", "third", "fourth")


def build(world: World) -> None:
    """Lay out the true boxes and those of the last run of the test script."""
    world.write("gt/gt_boxes.json", json.dumps(boxes(RIGHT)))
    sound = all(map(world.holds, ("repair", "every_bug", "rerun", "found")))
    folder = "results/" if world.holds("out_path") else ""
    world.write(f"{folder}predictions.json", json.dumps(boxes(RIGHT if sound else SPOILT)))


def boxes(corners: list[float]) -> dict[str, dict[str, dict[str, list[list[float]]]]]:
    """The same single detection in every case."""
    return {"cases": {case: {"boxes_xyxy": [corners]} for case in CASES}}

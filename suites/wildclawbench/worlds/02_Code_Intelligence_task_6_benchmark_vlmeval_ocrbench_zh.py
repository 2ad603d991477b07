"""Workspaces of the task on a benchmark run in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World


def build(world: World) -> None:
    """Lay out the clone of the toolkit and the result of the run."""
    world.write("VLMEvalKit/run.py" if world.holds("toolkit") else "another-kit/run.py", "")
    right = all(map(world.holds, ("model", "benchmark", "first_version")))
    field = "Final Score" if world.holds("score_field") else "Total"
    path = "results/result.json" if world.holds("out_path") else "results/scores.json"
    world.write(path, json.dumps({field: 820 if right else 560}))

"""Workspaces of the task on a thrifty search in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("two_searches",)

EXTRA = {2: 0.8, 3: 0.4, 4: 0.0}
"""What the judge adds for a number of searches."""


def build(world: World) -> None:
    """Lay out the report; the agent that lost a question answers another one."""
    version, pull = (world.holds("symbol") and world.holds(name) for name in ("ask_version", "ask_pr"))
    searches = 2 if world.holds("two_searches") else 4
    path = "results/results.md" if world.holds("save_path") else "results/report.md"
    world.write(path, f"searches {searches}\nversion {word(version)}\npull {word(pull)}")
    world.judge(judge)


def word(right: bool) -> str:
    """The answer as the stubbed judge reads it."""
    return "right" if right else "wrong"


def judge(prompt: str) -> dict[str, float]:
    """The tiers of the judge's prompt: nothing unless both answers are right, then by the number of searches."""
    report = dict(line.split() for line in prompt.split("【待评估回答】")[-1].strip().split("\n")[:3])
    right = report["version"] == report["pull"] == "right"
    return {"score": 0.2 + EXTRA[int(report["searches"])] if right else 0.0}

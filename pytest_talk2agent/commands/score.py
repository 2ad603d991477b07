"""``talk2agent score``: the exact scores of one task for given labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytest_talk2agent.commands.common import Commands, add_json, names, task_files, write, write_json
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.verdict import show_lost
from pytest_talk2agent.tasks.loader import load_tasks

MOST_NAMED = 20


def add(commands: Commands) -> None:
    """Declare the command."""
    score = commands.add_parser("score", help="exact scores of one task for given labels; what is not named is lost")
    score.add_argument("file", type=Path, metavar="PATH", help="task file, or a folder of them")
    score.add_argument("--task", required=True, metavar="ID")
    score.add_argument("--retained", type=names, default=[], metavar="A,B")
    score.add_argument("--unresolved", type=names, default=[], metavar="C,D")
    add_json(score)
    score.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score the labels."""
    tasks = {task.id: task for path in task_files([options.file]) for task in load_tasks(path)}
    if options.task not in tasks:
        known = ", ".join(list(tasks)[:MOST_NAMED]) + (
            f" and {len(tasks) - MOST_NAMED} more" if len(tasks) > MOST_NAMED else ""
        )
        raise ValueError(f"{options.file}: no task {options.task!r}; it has {known}")
    task = tasks[options.task]
    with task.locating_errors():
        retention = task.grader().retention(options.retained, options.unresolved)
    if options.json:
        write_json(
            {
                "native": _interval(retention.native, retention.reason),
                "shapley": _interval(retention.shapley, retention.reason),
                "flat": _interval(retention.flat, None),
                "lost": retention.lost,
                "lost_upper": retention.lost_upper,
                "status": retention.status,
            }
        )
        return 0
    lines = [
        f"native   {_both(retention.native)}",
        f"shapley  {_both(retention.shapley)}",
        f"flat     {_both(retention.flat)}",
        f"lost     {show_lost(retention)}",
    ]
    write([*lines, *([f"{retention.status}: {retention.reason}"] if retention.reason else [])])
    return 0


def _interval(interval: Interval | None, reason: str | None) -> dict[str, Any]:
    if interval is None:
        return {"interval": None, "reason": reason}
    return {"interval": interval.to_json(), "midpoint": str(interval.midpoint)}


def _both(interval: Interval | None) -> str:
    if interval is None:
        return "undefined"
    low = f"{interval.low} ({float(interval.low):.4f})"
    return low if interval.is_point else f"{low} to {interval.high} ({float(interval.high):.4f})"

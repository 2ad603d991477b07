"""``talk2agent show``: what each intention of each task is worth."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.commands.common import Commands, add_json, task_files, write, write_json
from pytest_talk2agent.grading.grader import Grader
from pytest_talk2agent.reporting.table import table
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

TOGETHER = "  (how much more the one is worth where the other is retained, the strongest pairs; below 0: how much less)"
"""What the numbers of pairs say: the Shapley interaction index."""


def add(commands: Commands) -> None:
    """Declare the command."""
    show = commands.add_parser("show", help="what each intention of each task is worth, exactly")
    show.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    add_json(show)
    show.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the tasks of the files."""
    shown, lines = [], []
    for path in task_files(options.paths):
        for task in load_tasks(path):
            with task.locating_errors():
                if options.json:
                    shown.append(_shown(task, task.grader()))
                else:
                    lines.extend(_lines(task, task.grader()))
    if options.json:
        write_json({"tasks": shown})
    else:
        write(lines)
    return 0


def _shown(task: Task, grader: Grader) -> dict[str, Any]:
    lost = grader.native_if_lost()
    return {
        "id": task.id,
        "g": str(grader.full),
        "base": str(grader.base),
        "status": grader.status,
        "reason": grader.reason,
        "polarity": task.polarity,
        "shapley": {name: str(value) for name, value in grader.shapley().items()},
        "native_if_lost": {name: None if value is None else str(value) for name, value in lost.items()},
        "interactions": [{"intentions": list(names), "value": str(value)} for names, value in grader.interactions()],
        "powerless": list(grader.powerless),
    }


def _lines(task: Task, grader: Grader) -> list[str]:
    lost, total = grader.native_if_lost(), grader.full
    rows = [
        [name, str(phi), "-" if not total else f"{float(phi / total):.4f}", _fraction(lost[name])]
        for name, phi in grader.shapley().items()
    ]
    lines = [task.id, f"  value  {task.value}"]
    lines.extend(f"         {name} = {text}" for name, text in task.let.items())
    lines.append(f"  g(I) = {total}" + (f"   {grader.status}: {grader.reason}" if grader.reason else ""))
    lines.extend(f"  {line}" for line in table(["intention", "Shapley", "share", "Native if lost alone"], rows))
    pairs = grader.interactions()
    lines.extend(f"  together: {' x '.join(names)}  {value}" for names, value in pairs)
    return [*lines, *([TOGETHER] if pairs else []), ""]


def _fraction(value: Fraction | None) -> str:
    return "undefined" if value is None else str(value)

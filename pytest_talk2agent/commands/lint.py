"""``talk2agent lint``: what is wrong, or odd, in task files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, add_checkouts, checkouts_of, task_files, write

if TYPE_CHECKING:
    from pytest_talk2agent.tasks.task import Task


def add(commands: Commands) -> None:
    """Declare the command."""
    lint = commands.add_parser("lint", help="what is wrong, or odd, in task files")
    lint.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    add_checkouts(lint)
    lint.add_argument(
        "--corrupt",
        action="store_true",
        help="replace each value in the words: what uses it, and no more, must be lost",
    )
    lint.add_argument(
        "--execute",
        action="store_true",
        help="run every task that says how: its solution must reach 1, and doing nothing must not",
    )
    lint.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Lint the files; 1 where there are errors."""
    from pytest_talk2agent.engine.controls import labels_of
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.lint import lint
    from pytest_talk2agent.tasks.loader import load_tasks

    checkouts = checkouts_of(options)
    for benchmark in checkouts.paths:
        checkouts.of(benchmark)  # one that cannot be read is one line, not one for each file
    tasks, errors = [], 0
    for path in task_files(options.paths):
        try:
            tasks.extend(checkouts.bind(load_tasks(path)))
        except TaskFileError as error:
            errors += len(error.problems)
            write([str(error)])
    findings = lint(tasks, labels_of, _holes)
    errors += sum(finding.level == "error" for finding in findings)
    write([str(finding) for finding in findings])
    warnings, hints = (sum(finding.level == level for finding in findings) for level in ("warning", "hint"))
    counts = [f"{len(tasks)} tasks", f"{errors} errors", f"{warnings} warnings", *([f"{hints} hints"] if hints else [])]
    write([", ".join(counts)])
    if options.corrupt:
        errors += _corrupt(tasks)
    if options.execute:
        from pytest_talk2agent.commands.execute import report_unfit

        executable = [task for task in tasks if task.execution is not None]
        unfit = report_unfit(executable)
        errors += unfit
        write([f"{len(executable)} tasks executed, {unfit} unfit"])
    write(checkouts.remarks())
    unbound = sum(not task.is_bound for task in tasks)
    if unbound:
        write([f"{unbound} tasks have their words in a checkout, so their controls were not run; name it"])
    return 1 if errors else 0


def _holes(task: Task) -> list[str]:
    """The pieces of the instruction that no intention covers."""
    from pytest_talk2agent.judging.coverage import uncovered

    return [piece.text for piece in uncovered(task.instruction, task.intentions)]


def _corrupt(tasks: Sequence[Task]) -> int:
    """Print what a corruption does that it must not, and how many were tried; returns how many such there are."""
    from pytest_talk2agent.engine.controls import corrupted

    tried, wrong = 0, 0
    for task in tasks:
        for corruption, surprises in corrupted(task) if task.is_bound else ():
            tried, wrong = tried + 1, wrong + len(surprises)
            for surprise in surprises:
                place = ":".join(map(str, (task.path, *task.place(f"intentions.{surprise.intention}"))))
                kind = task.intentions[surprise.intention].kind
                write(
                    [
                        f"{place}: error: {task.id}: with another value of `{corruption.intention}`"
                        f" `{surprise.intention}` ({kind}) is {surprise.label.value}"
                    ]
                )
    write([f"{tried} values replaced, {wrong} labels that are not what that makes of them"])
    return wrong

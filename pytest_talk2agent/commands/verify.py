"""``talk2agent verify``: compiled graders against the real ones of a checkout."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import (
    Commands,
    add_checkouts,
    add_json,
    checkouts_of,
    task_files,
    write,
    write_json,
)

if TYPE_CHECKING:
    from pytest_talk2agent.execution.verification import Mismatch, Totals, Verification

MOST_SHOWN = 5
MOST_LINES = 3


def add(commands: Commands) -> None:
    """Declare the command."""
    verify = commands.add_parser("verify", help="compiled graders against the real ones, which run in a sandbox")
    verify.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    add_checkouts(verify)
    verify.add_argument("--subsets", type=int, default=20, metavar="N", help="random states of each task (default: 20)")
    verify.add_argument("--seed", type=int, default=0, help="of the random states (default: 0)")
    add_json(verify)
    verify.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Verify the tasks; 1 where a grader differs, or where nothing could be compared."""
    from pytest_talk2agent.execution.verification import totals_of
    from pytest_talk2agent.execution.verifier import Verifier
    from pytest_talk2agent.tasks.loader import load_tasks

    checkouts = checkouts_of(options)
    tasks = [task for path in task_files(options.paths) for task in load_tasks(path)]
    found = list(Verifier(checkouts, options.subsets, options.seed).verify(tasks))
    totals = totals_of(found)
    read = [checkout for benchmark in checkouts.paths if (checkout := checkouts.of(benchmark))]
    rejected = [str(problem) for checkout in read for problem in checkout.rejected]
    if options.json:
        shown = [verification.to_json() for verification in found]
        write_json({"tasks": shown, "totals": totals.to_json(), "rejected": rejected})
    else:
        write([*_table(found), *(f"not read: {problem}" for problem in rejected), *_summary(totals)])
    return 0 if totals.passed else 1


def _table(found: Sequence[Verification]) -> list[str]:
    width = max(len(verification.task) for verification in found)
    lines = [f"{'task':{width}}  compared  equal  scores"]
    for verification in found:
        task = f"{verification.task:{width}}"
        if verification.reason is not None:
            lines.append(f"{task}  not checkable: {verification.reason}")
        else:
            lines.append(
                f"{task}  {verification.compared:8}  {verification.equal:5}  {verification.scores or '':>6}".rstrip()
            )
        lines.extend([f"  {verification.detail}"] if verification.detail else [])
        for mismatch in verification.mismatches[:MOST_SHOWN]:
            lines.extend(_difference(mismatch))
        further = len(verification.mismatches) - MOST_SHOWN
        lines.extend([f"  and {further} more; --json lists all"] if further > 0 else [])
    return lines


def _difference(mismatch: Mismatch) -> list[str]:
    real = "no score" if mismatch.found is None else mismatch.found
    shown = [f"    {line.strip()}" for line in mismatch.detail.splitlines()[-MOST_LINES:]]
    return [f"  {mismatch.where}: compiled {mismatch.compiled}, real {real}", *shown]


def _summary(totals: Totals) -> list[str]:
    differ = totals.compared - totals.equal
    lines = [f"{totals.tasks} tasks, {totals.compared} comparisons, {totals.equal} equal, {differ} different"]
    lines += [f"not checkable: {count} x {reason}" for reason, count in totals.reasons.items()]
    return lines if totals.compared else [*lines, "nothing was compared, which proves nothing"]

"""``talk2agent accept``: take a baseline file as it is, edits and all, on purpose."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, write


def add(commands: Commands) -> None:
    """Declare the command."""
    accept = commands.add_parser("accept", help="take an edited, merged or older baseline as it is")
    accept.add_argument("baseline", type=Path, metavar="BASELINE", help="file of a --t2a-baseline")
    accept.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check everything but the checksums, say what is accepted, and write the checksums anew."""
    from pytest_talk2agent.results.baseline import Baseline, BaselineError

    path: Path = options.baseline
    try:
        baseline, edits = Baseline.reviewed(path)
    except BaselineError as error:
        raise ValueError(str(error)) from None
    if not edits:
        write([f"{path}: as it was written, nothing to accept"])
        return 0
    baseline.save()
    items, conditions = sum(map(len, baseline.items.values())), len(baseline.items)
    counts = f"{items} item{'s' * (items != 1)} of {conditions} condition{'s' * (conditions != 1)}"
    write([*(f"accepted: {edit}" for edit in edits), f"{path}: {counts}"])
    return 0

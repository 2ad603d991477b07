"""Every fault that a server of a voice agent can make, in a whole session, over every protocol.

    python benchmarks/line_faults.py [--protocol NAME] [--trial PART] [--jobs 4]

What must hold of every session: it ends in time with a log; a failure of the infrastructure is no score and names its
phase; a harmless event changes nothing. The exit status is 1 where anything did not hold.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from table import print_table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.workflows.lines.fault_trials import PROTOCOLS, Outcome, hold
from tests.workflows.toys import interview, load


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold every session, print what came of each protocol, and every outcome that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", default="", help="only protocols whose name has this part")
    parser.add_argument("--trial", default="", help="only trials whose name has this part")
    parser.add_argument("--jobs", type=int, default=2, help="sessions at a time; they wait more than they work")
    parser.add_argument("--all", action="store_true", help="print every outcome")
    given = parser.parse_args(arguments)
    for name in ("websockets.server", "asyncio"):  # what a fault does to its server is no news
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        package = load(interview(), Path(folder))
        chosen = [
            (protocol, trial)
            for protocol in PROTOCOLS
            for trial in protocol.trials
            if given.protocol in protocol.name and given.trial in trial.name
        ]
        outcomes = list(pool.map(lambda one: hold(one[0], one[1], package), chosen))
    _print(outcomes, everything=given.all)
    return int(any(outcome.wrong for outcome in outcomes))


def _print(outcomes: Sequence[Outcome], *, everything: bool) -> None:
    rows = []
    for name in dict.fromkeys(outcome.protocol for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.protocol == name]
        wrong = sum(bool(outcome.wrong) for outcome in own)
        slowest = max(outcome.seconds for outcome in own)
        rows.append((name, str(len(own)), str(wrong), f"{slowest:.1f} s"))
    print_table(("protocol", "faults", "wrong", "longest"), rows)
    counts = Counter((outcome.protocol, outcome.state, outcome.phase or outcome.end) for outcome in outcomes)
    print()
    print_table(
        ("protocol", "state", "phase or end", "sessions"),
        [(name, state, where, str(count)) for (name, state, where), count in sorted(counts.items())],
    )
    print()
    for outcome in outcomes:
        if outcome.wrong or everything:
            came = f"{outcome.state} {outcome.phase or outcome.end} success={outcome.success} {outcome.seconds:.1f} s"
            print(f"{outcome.protocol} {outcome.trial} ({outcome.wanted}): {outcome.wrong or 'as it must'}: {came}")
            print(f"    {outcome.failure}")


if __name__ == "__main__":
    sys.exit(main())

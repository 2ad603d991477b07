"""``talk2agent regate``: decide a saved run again, under other rules or against another baseline."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, write, write_json
from pytest_talk2agent.commands.rules import add_rules, rules_of


def add(commands: Commands) -> None:
    """Declare the command."""
    regate = commands.add_parser("regate", help="decide a saved run again, under other rules")
    regate.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    regate.add_argument("--baseline", type=Path, metavar="FILE")
    add_rules(regate)
    regate.add_argument("--json", action="store_true", help="the verdict, reasons and comparisons as data")
    regate.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what pytest prints at the end of a run; 0 where the gate passes, else 1."""
    from pytest_talk2agent.analysis.decision import regate
    from pytest_talk2agent.reporting.terminal import summary_lines, verdict_line
    from pytest_talk2agent.results.baseline import Baseline, BaselineError
    from pytest_talk2agent.results.saved import read_run

    if options.margin and options.baseline is None:
        raise ValueError("--margin needs --baseline=FILE: what the run is compared with")
    saved = read_run(options.run_folder)
    try:
        baseline = None if options.baseline is None else Baseline.load(options.baseline)
        results, gate = regate(saved, rules_of(options), baseline)
    except BaselineError as error:
        raise ValueError(str(error)) from None
    if options.json:
        write_json(
            {
                "passed": gate.passed,
                "reasons": list(gate.reasons),
                "remarks": list(gate.remarks),
                "comparisons": [comparison.to_json() for comparison in gate.comparisons],
                "items": {result.node: result.verdict.outcome.value for result in results},
            }
        )
    else:
        lines = summary_lines(results, saved.errors, gate, verbose=False)
        write([*lines, *(f"note: {remark}" for remark in gate.remarks), verdict_line(gate)])
    return 0 if gate.passed else 1

"""``talk2agent eval-results``: a saved run as the YAML that a model repository on the Hugging Face hub shows."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, write


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser("eval-results", help="a saved run as YAML for a model's page on the hub")
    command.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    command.add_argument("--dataset", required=True, metavar="ID", help="id of the benchmark dataset, ORG/NAME")
    command.add_argument("--revision", metavar="HASH", help="revision of the dataset")
    command.add_argument("--date", metavar="DATE", help="ISO-8601 date of the run")
    command.add_argument("--source", metavar="URL", help="where the report can be read")
    command.add_argument("--out", type=Path, default=Path(".eval_results"), metavar="DIR", help="(.eval_results)")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write one file for each condition."""
    import yaml

    from pytest_talk2agent.reporting.eval_results import eval_results
    from pytest_talk2agent.results.gate import summarise
    from pytest_talk2agent.results.saved import read_run
    from pytest_talk2agent.results.store import write_whole

    if not re.fullmatch(r"[\w.-]+/[\w.-]+", options.dataset):
        raise ValueError(f"--dataset: {options.dataset!r} is no id of a dataset; write ORG/NAME")
    saved = read_run(options.run_folder)
    for summary in summarise(saved.results):
        rows = [result for result in saved.results if result.condition == summary.condition]
        entries = eval_results(
            summary, rows, options.dataset, revision=options.revision, date=options.date, source=options.source
        )
        if not entries:
            write([f"{summary.condition}: no item has a score; nothing written"])
            continue
        path = options.out / f"{summary.condition}.yaml"  # a label is a safe name, and no two are alike
        write_whole(path, yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=1000))
        write([str(path)])
    return 0

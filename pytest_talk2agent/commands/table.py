"""``talk2agent table``: the tables of the Talk2Agent paper, from runs and execution scores."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, names, task_files, write, write_json

if TYPE_CHECKING:
    from pytest_talk2agent.reporting.paper_tables import Rows
    from pytest_talk2agent.results.record import TaskResult

_EXECUTION = "CSV or JSON Lines: task, condition, score"


def add(commands: Commands) -> None:
    """Declare the command, with one command below it for each table."""
    command = commands.add_parser("table", help="the tables of the Talk2Agent paper, from your own runs")
    tables = command.add_subparsers(required=True, metavar="TABLE")

    collections = _add(tables, "collections", _collections, "table 1: tasks, speakers, recordings and their lengths")
    collections.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="suites; each is a collection")
    collections.add_argument("--manifest", type=Path, metavar="PATH", help="recordings of tasks that list none")

    execution = _add(tables, "execution", _execution, "tables 2 and 3: execution, mean and SD over rounds or takes")
    execution.add_argument("execution", type=Path, metavar="FILE", help=f"{_EXECUTION}, round, maybe agent")

    correlation = _add(tables, "correlation", _correlation, "table 4: correlation of each metric with execution")
    _add_runs(correlation)
    correlation.add_argument("--metrics", type=names, metavar="A,B", help="as in `talk2agent correlate`")

    diagnosis = _add(tables, "diagnosis", _diagnosis, "table 5: Shapley, Native and execution by condition")
    _add_runs(diagnosis)
    diagnosis.add_argument("--targeted", type=Path, metavar="FILE", help="task ids of a part, one a line")

    transfer = _add(tables, "transfer", _transfer, "table 6: a repair on the same takes, before and after")
    transfer.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    transfer.add_argument("--before", required=True, metavar="CONDITION")
    transfer.add_argument("--after", required=True, metavar="CONDITION")
    transfer.add_argument(
        "--metric", default="native", metavar="NAME", help="native, shapley or flat (default: native)"
    )


def run(options: argparse.Namespace) -> int:
    """Make the table and print it."""
    from pytest_talk2agent.reporting.paper_tables import as_markdown, as_text

    make: Callable[[argparse.Namespace], Rows] = options.make
    rows = make(options)
    if options.json:
        write_json([dict(zip(rows[0], row, strict=True)) for row in rows[1:]])
    else:
        write(as_markdown(rows) if options.markdown else as_text(rows))
    return 0


def _add(tables: Commands, name: str, make: Callable[[argparse.Namespace], Rows], text: str) -> argparse.ArgumentParser:
    command = tables.add_parser(name, help=text)
    command.add_argument("--markdown", action="store_true", help="as a Markdown table")
    command.add_argument("--json", action="store_true", help="the same cells as data")
    command.set_defaults(run=run, make=make)
    return command


def _add_runs(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    command.add_argument("--execution", type=Path, required=True, metavar="FILE", help=f"{_EXECUTION}, maybe type")


def _results(options: argparse.Namespace) -> list[TaskResult]:
    from pytest_talk2agent.analysis.grid import joined
    from pytest_talk2agent.results.saved import read_run

    return joined([read_run(folder) for folder in options.runs])


def _collections(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.analysis.paper import collection_of
    from pytest_talk2agent.reporting.paper_tables import collection_rows
    from pytest_talk2agent.speech.audio import audio_seconds
    from pytest_talk2agent.tasks.importers.dataset import recordings_at
    from pytest_talk2agent.tasks.loader import load_tasks

    manifest = None if options.manifest is None else recordings_at(options.manifest)
    collections = []
    for path in options.paths:
        tasks = [task for file in task_files([path]) for task in load_tasks(file)]
        tasks = tasks if manifest is None else manifest.supply(tasks)
        collections.append(
            collection_of(path.resolve().name, tasks, lambda audio: audio_seconds(audio) if audio.is_file() else 0)
        )
    return collection_rows(collections)


def _execution(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.analysis.paper import read_rounds
    from pytest_talk2agent.reporting.paper_tables import execution_rows

    return execution_rows(read_rounds(options.execution))


def _correlation(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.analysis.columns import DEFAULT, Tools, make_columns
    from pytest_talk2agent.analysis.correlation import correlate
    from pytest_talk2agent.analysis.grid import make_grid
    from pytest_talk2agent.analysis.outcomes import read_outcomes
    from pytest_talk2agent.analysis.semdist import MiniLm
    from pytest_talk2agent.reporting.paper_tables import correlation_rows

    results = _results(options)
    columns = make_columns(options.metrics or DEFAULT, results, Tools(encoder=MiniLm))
    return correlation_rows(correlate(make_grid(results, columns, read_outcomes(options.execution), {}), draws=1))


def _diagnosis(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.analysis.outcomes import read_outcomes
    from pytest_talk2agent.analysis.paper import diagnose
    from pytest_talk2agent.reporting.paper_tables import diagnosis_rows

    results, execution = _results(options), read_outcomes(options.execution)
    parts = {}
    if options.targeted is not None:
        chosen = {line.strip() for line in options.targeted.read_text(encoding="utf-8").splitlines() if line.strip()}
        if unknown := sorted(chosen - {result.task for result in results}):
            raise ValueError(f"{options.targeted}: no result of task {unknown[0]!r} in these runs")
        parts["targeted"] = diagnose(results, execution, chosen)
    return diagnosis_rows({**parts, "full": diagnose(results, execution)})


def _transfer(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.analysis.paper import transfer
    from pytest_talk2agent.reporting.paper_tables import transfer_rows

    return transfer_rows(transfer(_results(options), options.before, options.after, options.metric))

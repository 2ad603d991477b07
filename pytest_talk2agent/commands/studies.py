"""``talk2agent correlate`` and ``table``: what the Talk2Agent paper measures, from runs and execution scores."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_talk2agent.analysis.correlation import correlate
from pytest_talk2agent.analysis.error_rates import Averages, averages
from pytest_talk2agent.analysis.grid import joined, make_grid
from pytest_talk2agent.analysis.metrics import DEFAULT, Column, Tools, make_columns
from pytest_talk2agent.analysis.model_metrics import read_rubrics
from pytest_talk2agent.analysis.outcomes import Outcomes, read_metric_outcomes, read_outcomes
from pytest_talk2agent.analysis.paper import collection_of, diagnose, read_rounds, transfer
from pytest_talk2agent.analysis.semdist import MiniLm
from pytest_talk2agent.commands.common import Commands, declared, names, sentence, task_files, write, write_json
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.reporting.correlation_report import CorrelationReport
from pytest_talk2agent.reporting.paper_tables import (
    Rows,
    as_markdown,
    as_text,
    collection_rows,
    correlation_rows,
    diagnosis_rows,
    execution_rows,
    transfer_rows,
)
from pytest_talk2agent.reporting.report_folder import SCORES
from pytest_talk2agent.results.condition_summary import pairs_of
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.results.store import Store, write_whole
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.importers.dataset import recordings_at
from pytest_talk2agent.tasks.loader import load_tasks

_METRICS = (
    "of wer, wer-verbatim, wer-whisper, cer, semdist, aer, rubric, semantic-wer, flat, shapley, native (default:"
    " wer,wer-verbatim,flat,shapley,native); wer-whisper and semdist need the extra `metrics`; aer, rubric and"
    " semantic-wer need --model"
)


def add_correlate(commands: Commands) -> None:
    """Declare the command."""
    correlate = declared(
        commands, "correlate", run_correlate, "how well each metric predicts what real execution scored"
    )
    correlate.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    _add_execution(correlate)
    correlate.add_argument("--out", type=Path, metavar="DIR", help="write correlation.json, .csv and .svg there")
    correlate.add_argument("--metrics", type=names, metavar="A,B", help=_METRICS)
    correlate.add_argument(
        "--scores", type=Path, metavar="FILE", help="metrics from elsewhere: task, condition, metric, score"
    )
    correlate.add_argument(
        "--model", metavar="SPEC", help="what aer, rubric and semantic-wer ask: llm:MODEL, with the options of a judge"
    )
    correlate.add_argument("--rubrics", type=Path, metavar="FILE", help="JSON Lines: task, category, question, options")
    correlate.add_argument(
        "--store", type=Path, default=Path(".t2a/store"), metavar="DIR", help="where answers of the model are kept"
    )
    correlate.add_argument("--frozen", action="store_true", help="use kept answers alone; a missing one is an error")
    correlate.add_argument("--draws", type=int, default=10_000, metavar="N", help="resamples of tasks (default: 10000)")
    correlate.add_argument("--seed", type=int, default=0, metavar="N", help="of the resamples (default: 0)")
    correlate.add_argument("--json", action="store_true", help="the same as data")


def run_correlate(options: argparse.Namespace) -> int:
    """Measure, correlate, print and write."""
    report = _report(options)
    if options.out is not None:
        _write_files(report, options.out)
    if options.json:
        write_json(report.to_json())
    else:
        write(report.lines())
    return 0


def _report(options: argparse.Namespace) -> CorrelationReport:

    execution = _outcomes(options)
    further = {} if options.scores is None else read_metric_outcomes(options.scores)
    runs = [read_run(folder) for folder in options.runs]
    results = joined(runs)
    chosen = DEFAULT if options.metrics is None else options.metrics
    columns = make_columns(chosen, results, _tools(options))
    grid = make_grid(results, columns, execution, further)
    return CorrelationReport(
        correlate(grid, draws=options.draws, seed=options.seed),
        {column.name: column.form for column in columns},
        _averages(columns, results),
        sorted({result.judgement.judge for result in results}),
        sum(len(saved.errors) for saved in runs),
    )


def _averages(columns: Sequence[Column], results: Sequence[TaskResult]) -> dict[tuple[str, str], Averages]:
    """The error rates of each condition over all its results, by each metric that counts errors."""
    return {
        (condition, column.name): averages(
            counts for counts, result in zip(column.counts, results, strict=True) if result.condition == condition
        )
        for condition in dict.fromkeys(result.condition for result in results)
        for column in columns
        if column.counts is not None
    }


def _tools(options: argparse.Namespace) -> Tools:

    rubrics = None if options.rubrics is None else read_rubrics(options.rubrics)
    if options.model is None:
        return Tools(encoder=MiniLm, rubrics=rubrics)
    if not options.model.startswith("llm:"):
        raise ValueError(f"--model {options.model.partition('?')[0]!r}: write llm:MODEL, with the options of a judge")
    from pytest_talk2agent.judging.model import Model, read_model_spec

    name, settings = read_model_spec(options.model)
    # A metric asks once, and so at temperature 0 unless the spec says otherwise.
    model = Model(f"--model {name}", name, replace(settings, votes=1))
    model.keep_in(Store(options.store), frozen=options.frozen)
    model.check()
    return Tools(MiniLm, model.ask, name, settings.concurrency, rubrics)


def _write_files(report: CorrelationReport, folder: Path) -> None:

    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n"
    for suffix, text in (("json", data), ("csv", report.to_csv()), ("svg", report.to_svg())):
        write_whole(folder / f"correlation.{suffix}", text)


_EXECUTION = "CSV or JSON Lines: task, condition, score"


def _add_execution(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--execution",
        type=Path,
        metavar="FILE",
        help=f"{_EXECUTION}, maybe type; several rows of a pair are rounds (default: what the runs executed)",
    )
    command.add_argument("--agent", metavar="LABEL", help="whose scores count, where there are several agents")


def _scores_at(path: Path) -> Path:
    """The file of executed scores of a run, or a file of scores itself; raises ValueError for a run without any."""
    if not path.is_dir():
        return path
    if not (path / SCORES).is_file():
        raise ValueError(
            f"{path}: nothing was executed in this run; make it with --t2a-execute, or name a file of scores"
        )
    return path / SCORES


def _outcomes(options: argparse.Namespace) -> Outcomes:
    """The executed scores: of the file that is named, else of the runs themselves."""
    given: list[Path] = options.runs if options.execution is None else [options.execution]
    return read_outcomes(*map(_scores_at, given), agent=options.agent)


def add_table(commands: Commands) -> None:
    """Declare the command, with one command below it for each table."""
    command = commands.add_parser(
        "table",
        help="the tables of the Talk2Agent paper, from your own runs",
        description="The tables of the Talk2Agent paper, from your own runs.",
    )
    tables = command.add_subparsers(required=True, metavar="TABLE")

    collections = _add(tables, "collections", _collections, "table 1: tasks, speakers, recordings and their lengths")
    collections.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="suites; each is a collection")
    collections.add_argument("--manifest", type=Path, metavar="PATH", help="recordings of tasks that list none")

    execution = _add(tables, "execution", _execution, "tables 2 and 3: execution, mean and SD over rounds or takes")
    execution.add_argument(
        "execution", type=Path, metavar="FILE", help=f"{_EXECUTION}, round, maybe agent; or the folder of a run"
    )

    correlation = _add(tables, "correlation", _correlation, "table 4: correlation of each metric with execution")
    _add_runs(correlation)
    correlation.add_argument("--metrics", type=names, metavar="A,B", help="as in `talk2agent correlate`")

    diagnosis = _add(tables, "diagnosis", _diagnosis, "table 5: Shapley, Native and execution by condition")
    _add_runs(diagnosis)
    diagnosis.add_argument("--targeted", type=Path, metavar="FILE", help="task ids of a part, one a line")

    paper = _add(tables, "paper", _transfer, "tables 2 to 6 of runs whose transcripts were executed")
    paper.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    paper.add_argument("--agent", metavar="LABEL", help="whose scores count in tables 4 and 5, where there are several")
    paper.set_defaults(run=_run_paper, execution=None, metrics=None, targeted=None, metric="native")

    transfer = _add(tables, "transfer", _transfer, "table 6: a repair on the same takes, before and after")
    transfer.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    transfer.add_argument("--before", required=True, metavar="CONDITION", help="label of the plain condition")
    transfer.add_argument("--after", required=True, metavar="CONDITION", help="label of the one that repairs")
    transfer.add_argument(
        "--metric", default="native", metavar="NAME", help="native, shapley or flat (default: native)"
    )


def run_table(options: argparse.Namespace) -> int:
    """Make the table and print it."""
    make: Callable[[argparse.Namespace], Rows] = options.make
    rows = make(options)
    if options.json:
        write_json([dict(zip(rows[0], row, strict=True)) for row in rows[1:]])
    else:
        write(as_markdown(rows) if options.markdown else as_text(rows))
    return 0


def _run_paper(options: argparse.Namespace) -> int:
    """Print every table that the runs have something for, and say of the others why not."""
    found: dict[str, Rows] = {}
    for folder in options.runs:
        found[f"tables 2 and 3, {folder}"] = execution_rows(read_rounds(_scores_at(folder)))
    found["table 4"], found["table 5"] = _correlation(options), _diagnosis(options)
    results = _results(options)
    repairs = [pair for pair in pairs_of(results) if pair.against in {row.condition for row in results}]
    repairs = [pair for pair in repairs if _helps(results, pair.condition)]
    for pair in repairs:
        name = f"table 6, {pair.condition} against {pair.against}"
        found[name] = transfer_rows(transfer(results, pair.against, pair.condition, options.metric))
    if options.json:
        write_json({name: [dict(zip(rows[0], row, strict=True)) for row in rows[1:]] for name, rows in found.items()})
        return 0
    for name, rows in found.items():
        write([name, "", *(as_markdown(rows) if options.markdown else as_text(rows)), ""])
    if not repairs:
        write(["table 6: no condition with +bias or +repair beside its plain form in these runs"])
    return 0


def _helps(results: Sequence[TaskResult], condition: str) -> bool:
    """Whether a condition biases or repairs."""
    spec = parse_spec(next(row.spec for row in results if row.condition == condition))
    return spec.bias or bool(spec.repair)


def _add(tables: Commands, name: str, make: Callable[[argparse.Namespace], Rows], text: str) -> argparse.ArgumentParser:
    command = tables.add_parser(name, help=text, description=sentence(text))
    command.add_argument("--markdown", action="store_true", help="as a Markdown table")
    command.add_argument("--json", action="store_true", help="the same cells as data")
    command.set_defaults(run=run_table, make=make)
    return command


def _add_runs(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    _add_execution(command)


def _results(options: argparse.Namespace) -> list[TaskResult]:

    return joined([read_run(folder) for folder in options.runs])


def _collections(options: argparse.Namespace) -> Rows:
    from pytest_talk2agent.speech.audio import audio_seconds

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

    return execution_rows(read_rounds(_scores_at(options.execution)))


def _correlation(options: argparse.Namespace) -> Rows:

    results = _results(options)
    columns = make_columns(options.metrics or DEFAULT, results, Tools(encoder=MiniLm))
    return correlation_rows(correlate(make_grid(results, columns, _outcomes(options), {}), draws=1))


def _diagnosis(options: argparse.Namespace) -> Rows:

    results, execution = _results(options), _outcomes(options)
    parts = {}
    if options.targeted is not None:
        chosen = {line.strip() for line in options.targeted.read_text(encoding="utf-8").splitlines() if line.strip()}
        if unknown := sorted(chosen - {result.task for result in results}):
            raise ValueError(f"{options.targeted}: no result of task {unknown[0]!r} in these runs")
        parts["targeted"] = diagnose(results, execution, chosen)
    return diagnosis_rows({**parts, "full": diagnose(results, execution)})


def _transfer(options: argparse.Namespace) -> Rows:

    return transfer_rows(transfer(_results(options), options.before, options.after, options.metric))

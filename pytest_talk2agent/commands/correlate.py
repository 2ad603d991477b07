"""``talk2agent correlate``: which metric predicts what real execution scored (Talk2Agent, section 5 and table 4)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, names, write, write_json

if TYPE_CHECKING:
    from pytest_talk2agent.analysis.averages import Averages
    from pytest_talk2agent.analysis.columns import Column, Tools
    from pytest_talk2agent.reporting.correlation import CorrelationReport
    from pytest_talk2agent.results.record import TaskResult

_METRICS = (
    "of wer, wer-verbatim, wer-whisper, cer, semdist, aer, rubric, semantic-wer, flat, shapley, native (default:"
    " wer,wer-verbatim,flat,shapley,native); wer-whisper and semdist need the extra `metrics`; aer, rubric and"
    " semantic-wer need --model"
)


def add(commands: Commands) -> None:
    """Declare the command."""
    correlate = commands.add_parser("correlate", help="how well each metric predicts what real execution scored")
    correlate.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="report folder of --t2a-report")
    correlate.add_argument(
        "--execution",
        type=Path,
        required=True,
        metavar="FILE",
        help="CSV or JSON Lines: task, condition, score, and maybe type; several rows of a pair are rounds",
    )
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
    correlate.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, correlate, print and write."""
    from pytest_talk2agent.results.store import StoreError

    try:
        report = _report(options)
    except StoreError as error:
        raise ValueError(str(error)) from None
    if options.out is not None:
        _write_files(report, options.out)
    if options.json:
        write_json(report.to_json())
    else:
        write(report.lines())
    return 0


def _report(options: argparse.Namespace) -> CorrelationReport:
    from pytest_talk2agent.analysis.columns import DEFAULT, make_columns
    from pytest_talk2agent.analysis.grid import make_grid
    from pytest_talk2agent.analysis.outcomes import read_metric_outcomes, read_outcomes
    from pytest_talk2agent.analysis.protocol import correlate
    from pytest_talk2agent.analysis.runs import joined
    from pytest_talk2agent.reporting.correlation import CorrelationReport
    from pytest_talk2agent.results.saved import read_run

    execution = read_outcomes(options.execution)
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
    from pytest_talk2agent.analysis.averages import averages

    return {
        (condition, column.name): averages(
            counts for counts, result in zip(column.counts, results, strict=True) if result.condition == condition
        )
        for condition in dict.fromkeys(result.condition for result in results)
        for column in columns
        if column.counts is not None
    }


def _tools(options: argparse.Namespace) -> Tools:
    from pytest_talk2agent.analysis.columns import Tools
    from pytest_talk2agent.analysis.minilm import MiniLm
    from pytest_talk2agent.analysis.rubric import read_rubrics

    rubrics = None if options.rubrics is None else read_rubrics(options.rubrics)
    if options.model is None:
        return Tools(encoder=MiniLm, rubrics=rubrics)
    if not options.model.startswith("llm:"):
        raise ValueError(f"--model {options.model.partition('?')[0]!r}: write llm:MODEL, with the options of a judge")
    from pytest_talk2agent.judging.model import Model, read_model_spec
    from pytest_talk2agent.results.store import Store

    name, settings = read_model_spec(options.model)
    # A metric asks once, and so at temperature 0 unless the spec says otherwise.
    model = Model(f"--model {name}", name, replace(settings, votes=1))
    model.keep_in(Store(options.store), frozen=options.frozen)
    model.check()
    return Tools(MiniLm, model.ask, name, settings.concurrency, rubrics)


def _write_files(report: CorrelationReport, folder: Path) -> None:
    from pytest_talk2agent.results.store import write_whole

    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n"
    for suffix, text in (("json", data), ("csv", report.to_csv()), ("svg", report.to_svg())):
        write_whole(folder / f"correlation.{suffix}", text)

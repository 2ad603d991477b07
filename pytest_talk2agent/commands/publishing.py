"""``talk2agent report`` and ``eval-results``: a saved run as an HTML file, and as YAML for a model's page on a hub."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.commands.common import Commands, declared, write
from pytest_talk2agent.execution.saved_trials import read_executed
from pytest_talk2agent.execution.trial_gate import summarise_trials
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import Before, BeforeBaseline, BeforeRun, BeforeSaved
from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.reporting.html.recordings import Bounds, Recordings, digests
from pytest_talk2agent.reporting.html.workflow_section import Campaign, recorded_calls
from pytest_talk2agent.reporting.visible import visible_line
from pytest_talk2agent.results.baseline import Baseline
from pytest_talk2agent.results.condition_summary import ConditionSummary, summarise
from pytest_talk2agent.results.gate import Gate, decide_gate
from pytest_talk2agent.results.saved import SavedRun, read_run
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import METRICS
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign, regate_campaign

NO_END = "the run did not come to its end (there is no run.json): no verdict"


def add_report(commands: Commands) -> None:
    """Declare the command."""
    report = declared(commands, "report", run_report, "a saved run as one HTML file")
    report.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    report.add_argument("--baseline", type=Path, metavar="FILE", help="baseline file, or folder of another run")
    report.add_argument(
        "--audio", choices=("link", "embed", "none"), default="link", help="link recordings (default) or carry them"
    )
    report.add_argument(
        "--audio-root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder that recordings may be taken from, besides those that the run recorded; repeat",
    )
    report.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="a run of the same workflows in another condition of the line: what that changes; repeat",
    )
    report.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default: RUN/report.html)")


def run_report(options: argparse.Namespace) -> int:
    """Write the page."""
    saved = read_run(options.run_folder)
    path = options.out or options.run_folder / "report.html"
    executed, gate = read_executed(options.run_folder), _gate(saved)
    rerun = _rerun(saved)
    campaign = _campaign(options.run_folder, options.beside, rerun)
    calls = [] if campaign is None else recorded_calls(campaign)
    heard = digests([*((result.audio, result.transcript.audio_sha256) for result in saved.results), *calls])
    own = [] if campaign is None else [campaign.logs]
    recordings = Recordings(options.audio, path.parent, Bounds((*saved.audio_roots, *options.audio_root, *own), heard))
    write_page(
        path,
        saved.results,
        saved.errors,
        replace(gate, executions=summarise_trials(executed.trials)),
        before=_saved_before(saved) if options.baseline is None else _before(options.baseline),
        recordings=recordings,
        rerun=rerun,
        executed=executed,
        campaign=campaign,
    )
    held = [] if campaign is None else [counted(len(campaign.records), "session")]
    items = [counted(len(saved.results), "item")] if saved.results or not held else []
    write([f"{path}: {', '.join([*items, *held])}, {path.stat().st_size / 1e6:.1f} MB"])
    absent = recordings.absent - recordings.refused.keys()
    if absent:
        absentees = f"{counted(len(absent), 'recording')}, such as {min(absent)}"
        write([f"not where the run read them: {absentees}; run this from there"])
    write(visible_line(f"left out: {audio} {why}") for audio, why in sorted(recordings.refused.items()))
    return 0


def _campaign(folder: Path, beside: Sequence[Path], rerun: Rerun | None) -> Campaign | None:
    """The workflows of a run, and the sessions of others; raises ValueError where one of those has none."""
    campaign = _saved_campaign(folder, rerun)
    others: list[SessionRecord] = []
    for other in beside:
        found = _saved_campaign(other)
        if found is None or campaign is None:
            raise ValueError(f"--beside {other}: {folder if found is not None else other} has no workflows")
        others += found.records.values()
    return campaign if campaign is None else replace(campaign, beside=others)


def _saved_campaign(folder: Path, started: Rerun | None = None) -> Campaign | None:
    saved = read_saved_campaign(folder)
    if saved is None:
        return None
    return Campaign(
        regate_campaign(saved, CampaignRules(), None),
        saved.records,
        logs=saved.logs,
        agents=saved.agents,
        errors=saved.errors,
        comparisons=saved.comparisons,
        started=started or Rerun(),
        compat=saved.compat,
    )


def _gate(saved: SavedRun) -> Gate:
    """The saved verdict of the run, with its tables computed again."""
    return replace(
        decide_gate(saved.results, saved.errors, (), inconclusive_passes=False),
        passed=bool(saved.passed),
        reasons=(NO_END,) if saved.passed is None else saved.reasons,
        remarks=saved.remarks,
        comparisons=saved.comparisons,
    )


def _saved_before(saved: SavedRun) -> Before | None:

    return None if saved.before is None else BeforeSaved(saved.before)


def _rerun(saved: SavedRun) -> Rerun | None:

    if saved.rerun is None:
        return None
    root, options = saved.rerun.get("root"), saved.rerun.get("options")
    if not isinstance(root, str) or not isinstance(options, list) or not all(isinstance(one, str) for one in options):
        raise ValueError("run.json: how the run was started cannot be read; make the run again with --t2a-report")
    return Rerun(root, tuple(options))


def _before(path: Path) -> Before:

    if path.is_dir():
        return BeforeRun(path, read_run(path).results)
    return BeforeBaseline(Baseline.load(path))


def eval_results(
    summary: ConditionSummary,
    results: Sequence[TaskResult],
    dataset: str,
    *,
    revision: str | None = None,
    date: str | None = None,
    source: str | None = None,
) -> list[dict[str, Any]]:
    """An entry for each metric of one condition, in percent; none where no item has a score.

    ``dataset`` is the id of the benchmark, whose tasks are called ``native`` and ``shapley``; where a mean is an
    interval the value is its lower end, and the notes say both. ``results`` are those of the condition.
    """
    entries = []
    for metric in METRICS:
        interval = {"native": summary.native, "shapley": summary.shapley}[metric]
        if interval is None:
            continue
        entry: dict[str, Any] = {"dataset": {"id": dataset, "task_id": metric}, "value": _percent(interval.low)}
        if revision is not None:
            entry["dataset"]["revision"] = revision
        if date is not None:
            entry["date"] = date
        if source is not None:
            entry["source"] = {"url": source, "name": "report"}
        entry["notes"] = _notes(metric, interval, summary, results)
        entries.append(entry)
    return entries


def _notes(metric: str, interval: Interval, summary: ConditionSummary, results: Sequence[TaskResult]) -> str:
    first = results[0]
    scored = summary.items - summary.left_out
    parts = [f"mean {metric} retention of {counted(scored, 'item')}", f"interface {first.spec}"]
    if not interval.is_point:
        parts.append(f"between {_percent(interval.low)} and {_percent(interval.high)}, as labels are unresolved")
    parts.append(f"fingerprint {first.transcript.fingerprint}")
    parts.append(f"judge {first.judgement.judge}")
    parts.append(f"pytest-talk2agent {first.version}")
    return "; ".join(parts)


def _percent(value: Fraction) -> float:
    return round(float(100 * value), 2)


def add_eval_results(commands: Commands) -> None:
    """Declare the command."""
    command = declared(commands, "eval-results", run_eval_results, "a saved run as YAML for a model's page on the hub")
    command.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    command.add_argument("--dataset", required=True, metavar="ID", help="id of the benchmark dataset, ORG/NAME")
    command.add_argument("--revision", metavar="HASH", help="revision of the dataset")
    command.add_argument("--date", metavar="DATE", help="ISO-8601 date of the run")
    command.add_argument("--source", metavar="URL", help="where the report can be read")
    command.add_argument(
        "--out",
        type=Path,
        default=Path(".eval_results"),
        metavar="DIR",
        help="where to write it (default: .eval_results)",
    )


def run_eval_results(options: argparse.Namespace) -> int:
    """Write one file for each condition."""
    import yaml

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

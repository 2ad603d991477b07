"""``talk2agent compare``, ``regate`` and ``accept``: saved runs and baselines, decided again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from pytest_talk2agent.analysis.decision import baseline_of, compare, regate
from pytest_talk2agent.commands.common import Commands, declared, write, write_json
from pytest_talk2agent.execution.saved_trials import read_executed
from pytest_talk2agent.execution.trial_gate import METRIC, held_to, with_executions
from pytest_talk2agent.reporting.run_tables import release_tables
from pytest_talk2agent.reporting.terminal import summary_lines, verdict_line
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.reporting.workflows import campaign_lines
from pytest_talk2agent.results.baseline import Baseline, Candidate
from pytest_talk2agent.results.comparison import COMPARED, Change, Comparison
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import METRICS, Rules, share, shares
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules
from pytest_talk2agent.workflows.campaign.comparison import METRICS as CAMPAIGN
from pytest_talk2agent.workflows.campaign.comparison import BuildComparison
from pytest_talk2agent.workflows.campaign.saved import (
    compare_campaigns,
    read_saved_campaign,
    regate_campaign,
    repetitions_of,
)

_Value = TypeVar("_Value")

_SHARE = "0 to 1"
_MARGIN = f"what a metric may lose against the baseline, {_SHARE}; a bare X holds for native, shapley and lost"
_TOLERANCE = f"how far an item may fall below its baseline, {_SHARE} (default: 0)"
_MEANS = f"lowest passing mean native and shapley of each condition, {_SHARE}"
_FLOOR = {
    "min-yield": "lowest passing share of barge-ins at which an agent falls silent in time",
    "max-false-yield": "largest passing share of murmurs at which an agent falls silent",
}
_MOST = {
    "unresolved": "intentions that are unresolved",
    "empty": "transcripts without a word",
    "suspect": "transcripts that look like a recogniser astray",
}


def add_margin(command: argparse.ArgumentParser, metrics: Sequence[str] = COMPARED) -> None:
    """Declare what a comparison with a baseline takes."""
    command.add_argument("--margin", type=_by_metric(metrics), default={}, metavar="X|METRIC=X,..", help=_MARGIN)
    command.add_argument(
        "--inconclusive",
        choices=("fail", "pass"),
        default="fail",
        help="what an undecided item or comparison counts as (default: fail)",
    )


def add_rules(command: argparse.ArgumentParser) -> None:
    """Declare the rules of a gate, by the names that they have as pytest options ``--t2a-..``."""
    for metric in METRICS:
        name = metric.capitalize()
        command.add_argument(
            f"--min-{metric}", type=_share, metavar="X", help=f"lowest passing {name} of an item, {_SHARE}"
        )
    command.add_argument("--tolerance", type=_share, default=Fraction(0), metavar="X", help=_TOLERANCE)
    add_margin(command, (*COMPARED, METRIC, *CAMPAIGN))
    for name, title in (("pass", "Pass@1"), ("reliable", "Reliable@k")):
        command.add_argument(
            f"--min-{name}", type=_share, metavar="X", help=f"lowest passing {title} of an agent on workflows, {_SHARE}"
        )
    for name, what in _FLOOR.items():
        command.add_argument(f"--{name}", type=_share, metavar="X", help=f"{what}, {_SHARE}")
    command.add_argument(
        "--min-execution", type=_share, metavar="X", help=f"lowest passing mean of executed scores, {_SHARE}"
    )
    command.add_argument("--fail-under", type=_by_metric(METRICS), default={}, metavar="X|METRIC=X,..", help=_MEANS)
    for name, what in _MOST.items():
        command.add_argument(
            f"--max-{name}", type=_share, metavar="X", help=f"largest passing share of {what}, {_SHARE}"
        )
    command.add_argument(
        "--must-pass",
        action="append",
        default=[],
        metavar="PATTERN",
        help="ids of tasks that must not fall, with * and ?; repeat",
    )


def rules_of(options: argparse.Namespace) -> Rules:
    """The rules that were given; for a command with a margin only, those."""
    given = vars(options)
    return Rules(
        thresholds=_given(given, "min_", METRICS),
        tolerance=given.get("tolerance", Fraction(0)),
        inconclusive_passes=options.inconclusive == "pass",
        margin=options.margin,
        fail_under=given.get("fail_under", {}),
        min_execution=given.get("min_execution"),
        most=_given(given, "max_", ("unresolved", "empty", "suspect")),
        must_pass=tuple(given.get("must_pass", ())),
    )


def campaign_rules_of(options: argparse.Namespace, repetitions: int = 1) -> CampaignRules:
    """The rules for workflows that were given; for a command with a margin only, that."""
    given = vars(options)
    return CampaignRules(
        repetitions=repetitions,
        min_pass=given.get("min_pass"),
        min_reliable=given.get("min_reliable"),
        min_yield=given.get("min_yield"),
        max_false_yield=given.get("max_false_yield"),
        margins={name: options.margin[name] for name in CAMPAIGN if name in options.margin},
        must_pass=tuple(given.get("must_pass", ())),
        inconclusive_passes=options.inconclusive == "pass",
    )


def _given(given: dict[str, Fraction | None], prefix: str, names: Sequence[str]) -> dict[str, Fraction]:
    values = {name: given.get(f"{prefix}{name}") for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _reads(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    def reading(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reading


_share = _reads(share)


def _by_metric(metrics: Sequence[str]) -> Callable[[str], dict[str, Fraction]]:
    return _reads(lambda text: shares(text, metrics))


_MOST_SHOWN = 20


def add_compare(commands: Commands) -> None:
    """Declare the command."""
    compare = declared(commands, "compare", run_compare, "a run or baseline against another one, with intervals")
    for name in ("before", "after"):
        compare.add_argument(name, type=Path, metavar=name.upper(), help="folder of a --t2a-report, or baseline file")
    add_margin(compare, (*COMPARED, *CAMPAIGN))
    compare.add_argument("--json", action="store_true", help="the same as data")


def run_compare(options: argparse.Namespace) -> int:
    """Print the comparison; 1 if a margin was given and AFTER is not shown to be within it."""
    rules = rules_of(options)
    before, after = _side(options.before), _side(options.after)
    comparisons = _compared(before, after, rules)
    builds = _builds(before, after, options)
    if not comparisons and not builds:
        raise ValueError(f"{options.after}: no item in common with {options.before}")
    reasons = [f"{options.after}: {counted(after.lacking, 'item')} not judged or without a result"]
    reasons = reasons if after.lacking else []
    everything: list[Comparison | BuildComparison] = [*comparisons, *builds]
    for one in everything:
        reasons.extend(one.reasons(inconclusive_passes=rules.inconclusive_passes))
    reasons = reasons if rules.margin else []
    repeats = _heard_otherwise(before.results, after.results)
    if options.json:
        found = [comparison.to_json() for comparison in comparisons]
        write_json({"passed": not reasons if rules.margin else None, "reasons": reasons, "comparisons": found,
                    "workflows": [line for build in builds for line in build.lines],
                    "heard_otherwise": repeats})  # fmt: skip
        return 1 if reasons else 0
    for title, head, rows in release_tables(comparisons):
        write([title, *table(head, rows), ""])
    write(line for build in builds for line in build.lines)
    if repeats:
        write(_repeat_lines(repeats))
    if rules.margin:
        write([f"note: {hint}" for comparison in comparisons for hint in comparison.hints()])
        write([f"FAILED: {'; '.join(reasons)}" if reasons else f"PASSED: {_worst(everything)}"])
    return 1 if reasons else 0


def _compared(before: _Side, after: _Side, rules: Rules) -> Sequence[Comparison]:
    """Every condition that both have; none where one has workflows alone."""
    if not before.baseline.items or not after.baseline.items:
        return []
    _refuse_what_differs(before.baseline, after.baseline)
    return compare(before.baseline, after.baseline, rules)


def _builds(before: _Side, after: _Side, options: argparse.Namespace) -> list[BuildComparison]:
    """Every agent on workflows; none where one side has no workflows."""
    sides = before.baseline.workflows, after.baseline.workflows
    if not all(side.agents for side in sides):
        return []
    return compare_campaigns(*sides, campaign_rules_of(options, repetitions_of(sides)))


def _worst(comparisons: Sequence[Comparison | BuildComparison]) -> str:

    found = {comparison.change for comparison in comparisons}
    return next(
        str(change.value) for change in (Change.REGRESSED, Change.UNDECIDED, Change.NOT_REGRESSED) if change in found
    )


def _heard_otherwise(before: Sequence[TaskResult], after: Sequence[TaskResult]) -> list[dict[str, str]]:
    """The items whose recording both runs gave to the same interface, with different transcripts."""

    def known(one: TaskResult) -> tuple[str, str, str | None, str]:
        return one.task, one.take, one.transcript.audio_sha256, one.transcript.fingerprint

    texts = {known(one): one.transcript.text for one in before if one.transcript.audio_sha256 is not None}
    return [
        {"node": one.node, "before": texts[known(one)], "after": one.transcript.text}
        for one in after
        if known(one) in texts and texts[known(one)] != one.transcript.text
    ]


def _repeat_lines(repeats: Sequence[Mapping[str, str]]) -> list[str]:
    shown = [f"  {one['node']}: {one['before']!r}, then {one['after']!r}" for one in repeats[:_MOST_SHOWN]]
    more = [f"  and {len(repeats) - _MOST_SHOWN} more (--json has all)"] if len(repeats) > _MOST_SHOWN else []
    head = f"note: another text of the same recording by the same interface: {counted(len(repeats), 'item')}"
    return [head, *shown, *more]


@dataclass(frozen=True)
class _Side:
    """What is compared: as a baseline, how many items have no result, and results, of which a baseline holds none."""

    baseline: Baseline
    lacking: int = 0
    results: Sequence[TaskResult] = ()


def _side(path: Path) -> _Side:
    if not path.is_dir():
        return _Side(Baseline.load(path))
    saved, campaign = read_run(path), read_saved_campaign(path)
    if saved.passed is None:
        raise ValueError(f"{path}: the run did not come to its end (no run.json); make it again")
    lacking = len(saved.errors) + len(saved.missing) + (campaign.lacking if campaign is not None else 0)
    baseline = Baseline(path, "") if campaign is not None and not saved.results else baseline_of(saved)
    if campaign is not None:
        baseline = replace(baseline, workflows=campaign.held)
    return _Side(baseline, lacking, saved.results)


def _refuse_what_differs(before: Baseline, after: Baseline) -> None:
    """Raise BaselineError where the judge, or a task or recording that both have, is not the same."""
    references = {name: before.reference(name, pins.spec) for name, pins in after.conditions.items()}
    items = [
        Candidate(name, key, entry.task_sha256, entry.audio_sha256)
        for name, entries in after.items.items()
        for key, entry in entries.items()
        if key in before.items[references[name]]
    ]
    before.refuse_other_suite(references, items, after.judge)


def add_regate(commands: Commands) -> None:
    """Declare the command."""
    regate = declared(commands, "regate", run_regate, "decide a saved run again, under other rules")
    regate.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    regate.add_argument("--baseline", type=Path, metavar="FILE", help="earlier results that no item may fall below")
    add_rules(regate)
    regate.add_argument("--json", action="store_true", help="the verdict, reasons and comparisons as data")


def run_regate(options: argparse.Namespace) -> int:
    """Print what pytest prints at the end of a run; 0 where the gate passes, else 1."""
    if options.margin and options.baseline is None:
        raise ValueError("--margin needs --baseline=FILE: what the run is compared with")
    saved = read_run(options.run_folder)
    baseline = None if options.baseline is None else Baseline.load(options.baseline)
    rules, compared = rules_of(options), baseline is not None
    executed = held_to(read_executed(options.run_folder), rules, compared=compared)
    workflows = read_saved_campaign(options.run_folder)
    results, gate = regate(saved, rules, baseline, executes=not executed.is_empty or workflows is not None)
    if not executed.is_empty:
        gate = with_executions(gate, executed, rules, baseline)
    elif rules.min_execution is not None or (METRIC in rules.margin and len(rules.margin) <= len(COMPARED)):
        gate = gate.with_reasons(["nothing was executed in this run, so there is no execution to hold to anything"])
    campaign_rules, campaign = campaign_rules_of(options), None
    if workflows is not None:
        campaign = regate_campaign(workflows, campaign_rules, baseline)
        gate = replace(gate.with_reasons(campaign.reasons), remarks=(*gate.remarks, *campaign.remarks))
    elif _asks_for_workflows(options):
        gate = gate.with_reasons(["no workflow was held in this run, so there is none to hold to anything"])
    if options.json:
        write_json(
            {
                "passed": gate.passed,
                "reasons": list(gate.reasons),
                "remarks": list(gate.remarks),
                "comparisons": [comparison.to_json() for comparison in gate.comparisons],
                "items": {result.node: result.verdict.outcome.value for result in results},
                "executions": [summary.to_json() for summary in gate.executions],
                "workflows": [line for build in campaign.comparisons for line in build.lines] if campaign else [],
            }
        )
    else:
        lines = summary_lines(results, saved.errors, gate, executed, verbose=False)
        lines += campaign_lines(campaign) if campaign is not None else []
        write([*lines, *(f"note: {remark}" for remark in gate.remarks), verdict_line(gate)])
    return 0 if gate.passed else 1


def _asks_for_workflows(options: argparse.Namespace) -> bool:
    limits = (options.min_pass, options.min_reliable, options.min_yield, options.max_false_yield)
    named = bool(options.margin) and options.margin.keys() <= set(CAMPAIGN)
    return named or any(limit is not None for limit in limits)


def add_accept(commands: Commands) -> None:
    """Declare the command."""
    accept = declared(commands, "accept", run_accept, "take an edited, merged or older baseline as it is")
    accept.add_argument("baseline", type=Path, metavar="BASELINE", help="file of a --t2a-baseline")


def run_accept(options: argparse.Namespace) -> int:
    """Check everything but the checksums, say what is accepted, and write new checksums."""
    path: Path = options.baseline
    baseline, edits = Baseline.reviewed(path)
    if not edits:
        write([f"{path}: as it was written, nothing to accept"])
        return 0
    baseline.save()
    items, conditions = sum(map(len, baseline.items.values())), len(baseline.items)
    counts = f"{counted(items, 'item')} of {counted(conditions, 'condition')}"
    write([*(f"accepted: {edit}" for edit in edits), f"{path}: {counts}"])
    return 0

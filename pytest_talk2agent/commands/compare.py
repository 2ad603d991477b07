"""``talk2agent compare``: a run or baseline against another one, over the items that both have."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, write, write_json
from pytest_talk2agent.commands.rules import add_margin, rules_of

if TYPE_CHECKING:
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.results.record import TaskResult
    from pytest_talk2agent.results.release import Comparison


_MOST_SHOWN = 20


def add(commands: Commands) -> None:
    """Declare the command."""
    compare = commands.add_parser("compare", help="a run or baseline against another one, with intervals")
    for name in ("before", "after"):
        compare.add_argument(name, type=Path, metavar=name.upper(), help="folder of a --t2a-report, or baseline file")
    add_margin(compare)
    compare.add_argument("--json", action="store_true", help="the same as data")
    compare.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 1 where a margin was given and AFTER is not shown to keep it."""
    from pytest_talk2agent.analysis.decision import compare
    from pytest_talk2agent.reporting.release import release_tables
    from pytest_talk2agent.reporting.table import table
    from pytest_talk2agent.results.baseline import BaselineError

    rules = rules_of(options)
    try:
        before, _, earlier = _side(options.before)
        after, lacking, later = _side(options.after)
        _refuse_what_differs(before, after)
        comparisons = compare(before, after, rules)
    except BaselineError as error:
        raise ValueError(str(error)) from None
    if not comparisons:
        raise ValueError(f"{options.after}: no item in common with {options.before}")
    reasons = [] if not lacking else [f"{options.after}: {lacking} items could not be judged or have no result"]
    for comparison in comparisons:
        reasons.extend(comparison.reasons(inconclusive_passes=rules.inconclusive_passes))
    reasons = reasons if rules.margin else []
    repeats = _heard_otherwise(earlier, later)
    if options.json:
        found = [comparison.to_json() for comparison in comparisons]
        write_json({"passed": not reasons if rules.margin else None, "reasons": reasons, "comparisons": found,
                    "heard_otherwise": repeats})  # fmt: skip
        return 1 if reasons else 0
    for title, head, rows in release_tables(comparisons):
        write([title, *table(head, rows), ""])
    if repeats:
        write(_repeat_lines(repeats))
    if rules.margin:
        write([f"note: {hint}" for comparison in comparisons for hint in comparison.hints()])
        write([f"FAILED: {'; '.join(reasons)}" if reasons else f"PASSED: {_worst(comparisons)}"])
    return 1 if reasons else 0


def _worst(comparisons: Sequence[Comparison]) -> str:
    from pytest_talk2agent.results.release import Change

    found = {comparison.change for comparison in comparisons}
    return next(
        str(change.value) for change in (Change.REGRESSED, Change.UNDECIDED, Change.NOT_REGRESSED) if change in found
    )


def _heard_otherwise(before: Sequence[TaskResult], after: Sequence[TaskResult]) -> list[dict[str, str]]:
    """The items of which both runs heard the same recording with the same interface, and another text."""

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
    head = (
        f"note: another text of the same recording by the same interface: {len(repeats)} item{'s'[: len(repeats) > 1]}"
    )
    return [head, *shown, *more]


def _side(path: Path) -> tuple[Baseline, int, Sequence[TaskResult]]:
    """What is compared, how many items of a run have no result, and its results; a baseline holds none."""
    from pytest_talk2agent.analysis.decision import baseline_of
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.results.saved import read_run

    if not path.is_dir():
        return Baseline.load(path), 0, ()
    saved = read_run(path)
    if saved.passed is None:
        raise ValueError(f"{path}: the run did not come to its end (no run.json); make it again")
    return baseline_of(saved), len(saved.errors) + len(saved.missing), saved.results


def _refuse_what_differs(before: Baseline, after: Baseline) -> None:
    """Raise BaselineError where the judge, or a task or recording that both have, is not the same."""
    from pytest_talk2agent.results.baseline import Candidate

    references = {name: before.reference(name, pins.spec) for name, pins in after.conditions.items()}
    items = [
        Candidate(name, key, entry.task_sha256, entry.audio_sha256)
        for name, entries in after.items.items()
        for key, entry in entries.items()
        if key in before.items[references[name]]
    ]
    before.refuse_other_suite(references, items, after.judge)

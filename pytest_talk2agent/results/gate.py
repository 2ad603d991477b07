"""The gate: one decision on a whole run, made once, on complete data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_talk2agent.results.comparison import Comparison
from pytest_talk2agent.results.condition_summary import (
    ConditionSummary,
    ExecutionSummary,
    Pair,
    SilenceControl,
    pairs_of,
    silence_controls,
    summarise,
)
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import METRICS, Outcome, Rules, show, show_interval
from pytest_talk2agent.tasks.errors import counted

SHOWN = 3


@dataclass(frozen=True)
class Gate:
    """Whether the run passed, and every reason why it did not.

    ``rules`` are those it was held to, where they are known; ``comparisons`` are those with a baseline, ``remarks``
    what to look at though it fails nothing. ``missing`` are items without a result, ``uncollected`` files that could
    not be collected, ``unseen`` entries of the baseline that did not run, ``failed_otherwise`` items that pytest failed
    for more than their verdict, ``added`` what a hook had against the run: what a later look at the saved run cannot
    find out by itself. ``executions`` say what agents made of the transcripts.
    """

    passed: bool
    reasons: tuple[str, ...]
    conditions: tuple[ConditionSummary, ...]
    pairs: tuple[Pair, ...] = ()
    silence: tuple[SilenceControl, ...] = ()
    rules: Rules | None = None
    comparisons: tuple[Comparison, ...] = ()
    remarks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    uncollected: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    failed_otherwise: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    executions: tuple[ExecutionSummary, ...] = ()

    def with_reasons(self, more: Sequence[str]) -> Gate:
        """The same gate with further reasons to fail; reasons can be added, never taken away."""
        return replace(self, passed=self.passed and not more, reasons=(*self.reasons, *more)) if more else self


def decide_gate(
    results: Sequence[TaskResult],
    errors: Mapping[str, str],
    expected: Collection[str],
    *,
    inconclusive_passes: bool,
    failed_tests: Collection[str] = (),
    uncollected: Collection[str] = (),
    unseen: Collection[str] = (),
    executes: bool = False,
) -> Gate:
    """Decide a run.

    ``errors`` maps the items that could not be judged to a line that says why; ``expected`` are the items that must
    have a result or an error; ``failed_tests`` are items that pytest failed, for their verdict or otherwise;
    ``uncollected`` are files that pytest could not collect, ``unseen`` entries of the baseline that did not run.
    ``executes`` says that agents act, so that there may be nothing else to judge.
    """
    reasons = []
    by_outcome: dict[Outcome, list[str]] = {outcome: [] for outcome in Outcome}
    for result in results:
        by_outcome[result.verdict.outcome].append(result.node)
    judged = len(results) - len(by_outcome[Outcome.UNDEFINED])
    if not judged and not executes:
        reasons.append("nothing was judged")
    inconclusive = [] if inconclusive_passes else by_outcome[Outcome.INCONCLUSIVE]
    failed = {*by_outcome[Outcome.FAILED], *failed_tests}.difference(inconclusive)
    reasons.extend(listed_nodes(sorted(failed), "failed"))
    reasons.extend(listed_nodes(inconclusive, "inconclusive"))
    reasons.extend(listed_nodes(sorted(errors), "could not be judged"))
    known = {result.node for result in results} | errors.keys()
    missing = sorted(set(expected) - known)
    reasons.extend(listed_nodes(missing, "without a result"))
    reasons.extend(listed_nodes(sorted(uncollected), "could not be collected", "file"))
    if unseen:
        reasons.extend(listed_nodes(sorted(unseen), "of the baseline did not run", "item"))
        reasons[-1] += "; to shrink the suite on purpose use --t2a-update-baseline"
    silence = silence_controls(results)
    reasons.extend(control.reason for control in silence if control.reason is not None)
    conditions = summarise(results)
    return Gate(
        passed=not reasons,
        reasons=tuple(reasons),
        conditions=conditions,
        pairs=pairs_of(results),
        silence=silence,
        remarks=(*all_lost(conditions), *passed_at_zero(results), *proposed(results)),
        missing=tuple(missing),
        uncollected=tuple(sorted(uncollected)),
        unseen=tuple(sorted(unseen)),
        failed_otherwise=tuple(sorted(set(failed_tests).difference(by_outcome[Outcome.FAILED], inconclusive))),
    )


def suite_reasons(conditions: Sequence[ConditionSummary], rules: Rules) -> list[str]:
    """Why a condition as a whole is not good enough: its means, and its shares of items that are no evidence."""
    reasons = []
    for row in conditions:
        for metric in METRICS:
            if metric not in rules.fail_under:
                continue
            limit, mean = rules.fail_under[metric], row.mean(metric)
            if mean is None:
                reasons.append(f"{row.condition}: no item has a score, so there is no mean {metric}")
            elif mean.high < limit:
                reasons.append(f"{row.condition}: mean {metric} {show_interval(mean)} < {show(limit)}")
            elif mean.low < limit and not rules.inconclusive_passes:
                reasons.append(f"{row.condition}: mean {metric} {show_interval(mean)} may be < {show(limit)}")
        for name, count, of, what in (
            ("unresolved", row.unresolved, row.intentions, "intentions"),
            ("empty", row.empty, row.items, "transcripts"),
            ("suspect", row.suspect, row.items, "transcripts"),
        ):
            if name in rules.most and count > rules.most[name] * of:
                reasons.append(f"{row.condition}: {count} of {of} {what} {name}, more than {show(rules.most[name])}")
    return reasons


def all_lost(conditions: Sequence[ConditionSummary]) -> list[str]:
    """Kinds of which a condition keeps nothing at all: more often a fault of decoding than of hearing."""
    return [
        f"{row.condition}: all {kind.lost} intentions of kind {kind.kind} are lost"
        for row in conditions
        for kind in row.kinds
        if kind.lost == kind.intentions > 1
    ]


def passed_at_zero(results: Sequence[TaskResult]) -> list[str]:
    """The items that pass though nothing of their task is left, since nothing more was asked of them."""
    found = [r for r in results if r.verdict.outcome is Outcome.PASSED and r.retention.native == 0]
    if not found:
        return []
    before = [(r.limits.baseline or {}).get("native") for r in found]
    why = ", as in their baseline" if all(interval == 0 for interval in before) else ""
    names = ", ".join(r.node.rpartition("::")[2] for r in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return [f"{counted(len(found), 'item')} {'pass' if len(found) > 1 else 'passes'} at Native 0{why}: {names}{more}"]


def proposed(results: Sequence[TaskResult]) -> list[str]:
    """How many tasks of the run no person has reviewed, if any."""
    tasks = {result.task: result.proposed for result in results}
    count = sum(tasks.values())
    return [f"{count} of {len(tasks)} tasks are proposed by rules and not reviewed"] if count else []


def listed_nodes(nodes: Sequence[str], what: str, unit: str = "item") -> list[str]:
    """One line that counts some nodes and names the first of them; none where there are none."""
    if not nodes:
        return []
    names = ", ".join(node.rpartition("::")[2] for node in nodes[:SHOWN])
    more = f" and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
    return [f"{counted(len(nodes), unit)} {what}: {names}{more}"]

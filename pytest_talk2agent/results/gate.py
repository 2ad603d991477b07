"""The gate: one decision on a whole run, made once, on complete data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.controls import SilenceControl, silence_controls
from pytest_talk2agent.results.pairs import Pair, pairs_of
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.release import Comparison, Rules
from pytest_talk2agent.results.verdict import METRICS, Outcome, show, show_interval

SHOWN = 3


@dataclass(frozen=True)
class ConditionSummary:
    """One condition over all its items.

    Means are over items whose scores are defined and whose task is of normal polarity; ``left_out`` counts the others.
    ``suspect`` counts transcripts that look like a recogniser that has lost its way, ``empty`` those without a word,
    ``states`` those that are none (refused, answered, truncated); ``inserted`` are listed terms that were heard and not
    spoken, ``decoys`` those of them that nobody can see, None where the condition uses no terms; ``cost`` is what
    served models took, if known.
    """

    condition: str
    items: int
    outcomes: Mapping[Outcome, int]
    native: Interval | None
    shapley: Interval | None
    lost: int
    intentions: int
    unresolved: int
    left_out: int
    suspect: int = 0
    empty: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    inserted: int | None = None
    decoys: int | None = None
    cost: Decimal | None = None
    kinds: tuple[KindSummary, ...] = ()


@dataclass(frozen=True)
class KindSummary:
    """The intentions of one kind under one condition."""

    kind: str
    intentions: int
    lost: int
    unresolved: int


@dataclass(frozen=True)
class Gate:
    """Whether the run passed, and every reason why it did not.

    ``rules`` are those it was held to, where they are known; ``comparisons`` are those with a baseline, ``remarks``
    what to look at though it fails nothing. ``missing`` are items without a result, ``uncollected`` files that could
    not be collected, ``unseen`` entries of the baseline that did not run, ``failed_otherwise`` items that pytest failed
    for more than their verdict, ``added`` what a hook had against the run: what a later look at the saved run cannot
    find out by itself.
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
) -> Gate:
    """Decide a run.

    ``errors`` maps the items that could not be judged to a line that says why; ``expected`` are the items that must
    have a result or an error; ``failed_tests`` are items that pytest failed, be it for their verdict or for what else;
    ``uncollected`` are files that pytest could not collect, ``unseen`` entries of the baseline that did not run.
    """
    reasons = []
    by_outcome: dict[Outcome, list[str]] = {outcome: [] for outcome in Outcome}
    for result in results:
        by_outcome[result.verdict.outcome].append(result.node)
    judged = len(results) - len(by_outcome[Outcome.UNDEFINED])
    if not judged:
        reasons.append("nothing was judged")
    inconclusive = [] if inconclusive_passes else by_outcome[Outcome.INCONCLUSIVE]
    failed = {*by_outcome[Outcome.FAILED], *failed_tests}.difference(inconclusive)
    reasons.extend(_reason(sorted(failed), "failed"))
    reasons.extend(_reason(inconclusive, "inconclusive"))
    reasons.extend(_reason(sorted(errors), "could not be judged"))
    known = {result.node for result in results} | errors.keys()
    missing = sorted(set(expected) - known)
    reasons.extend(_reason(missing, "without a result"))
    reasons.extend(_reason(sorted(uncollected), "could not be collected", "file"))
    if unseen:
        reasons.extend(_reason(sorted(unseen), "of the baseline did not run", "item"))
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
            limit, mean = rules.fail_under[metric], getattr(row, metric)
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
    return [f"{len(found)} item{'s pass' if len(found) > 1 else ' passes'} at Native 0{why}: {names}{more}"]


def proposed(results: Sequence[TaskResult]) -> list[str]:
    """How many tasks of the run no person has reviewed, if any."""
    tasks = {result.task: result.proposed for result in results}
    count = sum(tasks.values())
    return [f"{count} of {len(tasks)} tasks are proposed by rules and not reviewed"] if count else []


def summarise(results: Sequence[TaskResult]) -> tuple[ConditionSummary, ...]:
    """One summary for each condition, in the order of first appearance."""
    by_condition: dict[str, list[TaskResult]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append(result)
    return tuple(_summary(condition, rows) for condition, rows in by_condition.items())


def _summary(condition: str, rows: Sequence[TaskResult]) -> ConditionSummary:
    scored = [row for row in rows if row.scored]
    seen = [row.visible for row in rows if row.visible is not None]
    costs = [cost for row in rows for cost in _costs(row)]
    return ConditionSummary(
        condition=condition,
        items=len(rows),
        outcomes=Counter(row.verdict.outcome for row in rows),
        native=_mean([row.retention.native for row in scored]),
        shapley=_mean([row.retention.shapley for row in scored]),
        lost=sum(len(row.lost()) for row in rows),
        intentions=sum(len(row.judgement.findings) for row in rows),
        unresolved=sum(len(row.unresolved()) for row in rows),
        left_out=len(rows) - len(scored),
        suspect=sum(any(why != "empty" for why in row.transcript.detail.get("suspect", ())) for row in rows),
        empty=sum(row.transcript.state == "transcribed" and not row.transcript.text.strip() for row in rows),
        states=dict(sorted(Counter(r.transcript.state for r in rows if r.transcript.state != "transcribed").items())),
        inserted=sum(len(visible.inserted) for visible in seen) if seen else None,
        decoys=sum(len(set(visible.inserted) & set(visible.decoys)) for visible in seen) if seen else None,
        cost=sum(costs, Decimal(0)) if costs else None,
        kinds=_kinds(rows),
    )


def _kinds(rows: Sequence[TaskResult]) -> tuple[KindSummary, ...]:
    labels: dict[str, Counter[Label]] = {}
    for row in rows:
        for name, label in row.judgement.labels().items():
            labels.setdefault(row.kinds[name], Counter())[label] += 1
    return tuple(
        KindSummary(
            kind=kind,
            intentions=found.total(),
            lost=sum(count for label, count in found.items() if label.lost),
            unresolved=found[Label.UNRESOLVED],
        )
        for kind, found in sorted(labels.items())
    )


def _costs(row: TaskResult) -> list[Decimal]:
    details = [row.transcript.detail, (row.transcript.repair or {}).get("detail", {})]
    return [Decimal(str(detail["cost"])) for detail in details if detail.get("cost") is not None]


def _mean(intervals: Sequence[Interval | None]) -> Interval | None:
    known = [interval for interval in intervals if interval is not None]
    if not known:
        return None
    count = len(known)
    low, high = sum((i.low for i in known), Fraction(0)), sum((i.high for i in known), Fraction(0))
    return Interval(low / count, high / count)


def _reason(nodes: Sequence[str], what: str, unit: str = "item") -> list[str]:
    if not nodes:
        return []
    names = ", ".join(node.rpartition("::")[2] for node in nodes[:SHOWN])
    more = f" and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
    return [f"{len(nodes)} {unit}{'s' if len(nodes) > 1 else ''} {what}: {names}{more}"]

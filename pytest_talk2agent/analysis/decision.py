"""The decision about a run. Pytest and the command line share it, for a new run and for a saved one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from statistics import fmean

from pytest_talk2agent.analysis.significance import METHOD, components_of, holm, needed_for, sign_flip_p, task_interval
from pytest_talk2agent.context.terms import remarks_on
from pytest_talk2agent.results.baseline import Baseline, BaselineError, Candidate, Pins
from pytest_talk2agent.results.comparison import (
    COMPARED,
    KIND_LEVEL,
    Change,
    Comparison,
    Difference,
    KindChange,
    change_of,
)
from pytest_talk2agent.results.entry import Entry
from pytest_talk2agent.results.gate import SHOWN, Gate, decide_gate, suite_reasons
from pytest_talk2agent.results.saved import SavedRun
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import listed
from pytest_talk2agent.results.verdict import Outcome, Rules, decide
from pytest_talk2agent.tasks.errors import counted

Ends = tuple[float, float]


def decide_run(
    results: Sequence[TaskResult],
    errors: Mapping[str, str],
    expected: Collection[str],
    rules: Rules,
    *,
    failed_tests: Collection[str] = (),
    uncollected: Collection[str] = (),
    unseen: Collection[str] = (),
    baseline: Baseline | None = None,
    new: bool = False,
    executes: bool = False,
) -> Gate:
    """Decide a run: its items, its means and shares, and where there are a baseline and a margin the comparison.

    Without a margin a note names the items that pass and lose what the baseline had retained. Other arguments are those
    of `decide_gate`; ``new`` says that conditions which the baseline lacks are new ones
    and no candidates. Raises BaselineError where a condition has none to be compared with.
    """
    gate = decide_gate(
        results,
        errors,
        expected,
        inconclusive_passes=rules.inconclusive_passes,
        failed_tests=failed_tests,
        uncollected=uncollected,
        unseen=unseen,
        executes=executes,
    )
    reasons = suite_reasons(gate.conditions, rules)
    comparisons: tuple[Comparison, ...] = ()
    if baseline is not None and rules.margin and results:
        compared = [row for row in results if not new or row.condition in baseline.conditions]
        candidate = Baseline(baseline.path, baseline.judge).updated(compared, baseline.judge, only_new=False)
        comparisons = compare(baseline, candidate, rules)
        for comparison in comparisons:
            reasons.extend(comparison.reasons(inconclusive_passes=rules.inconclusive_passes))
    tasks = {result.task for result in results}
    idle = [pattern for pattern in rules.must_pass if not any(fnmatchcase(task, pattern) for task in tasks)]
    remarks = [*gate.remarks, *(f"t2a_must_pass: {pattern} matches no task of this run" for pattern in idle)]
    remarks.extend(remarks_on(_offered(results)))
    if baseline is not None and not rules.margin:
        remarks.extend(_traded(results, baseline))
    remarks.extend(hint for comparison in comparisons for hint in comparison.hints())
    if gate.passed and any(found.reasons(inconclusive_passes=rules.inconclusive_passes) for found in comparisons):
        remarks.append(
            "every item passed by itself; what closes the gate is the comparison of the whole run with its baseline"
            " (--t2a-margin)"
        )
    return replace(gate.with_reasons(reasons), comparisons=comparisons, remarks=tuple(remarks), rules=rules)


def _traded(results: Sequence[TaskResult], baseline: Baseline) -> list[str]:
    """The items that pass by their scores though they lose what the baseline had: another loss has gone in return."""
    found = []
    for result in results:
        if result.verdict.outcome is not Outcome.PASSED or result.limits.baseline is None:
            continue
        entry = baseline.items[baseline.reference(result.condition, result.spec)][result.key]
        kept = entry.kinds.keys() - {*entry.lost, *entry.unresolved}
        lost = [name for name in result.lost() if name in kept]
        if lost:
            found.append(f"{result.node.rpartition('::')[2]} ({', '.join(lost)})")
    if not found:
        return []
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    verbs = "passes by its scores and loses" if len(found) == 1 else "pass by their scores and lose"
    names = ", ".join(found[:SHOWN])
    return [f"{counted(len(found), 'item')} {verbs} what the baseline had retained: {names}{more}"]


def _offered(results: Sequence[TaskResult]) -> dict[str, dict[str, int]]:
    """The number of terms of each task, for each condition that biases or repairs."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for result in results:
        if result.visible is not None and result.transcript.offered is not None:
            found[result.condition][result.task] = len(result.transcript.offered)
    return found


def compare(before: Baseline, after: Baseline, rules: Rules) -> tuple[Comparison, ...]:
    """Compare each condition with its counterpart in the baseline, over the items that both have.

    A condition whose items are all new is left out. Raises BaselineError where there is no counterpart, or where
    only one of the two has a score of an item.
    """
    comparisons = []
    for condition, entries in after.items.items():
        reference = before.reference(condition, after.conditions[condition].spec)
        known = before.items[reference]
        shared = sorted(entries.keys() & known.keys())
        for key in shared:
            before.refuse_other_scores(reference, key, entries[key].intervals())
        pairs = [_Pair.of(key, known[key], entries[key]) for key in shared]
        if pairs:
            comparisons.append(_compare(condition, reference, pairs, known, entries, rules))
    return tuple(comparisons)


def compare_scores(
    condition: str, reference: str, metric: str, pairs: Sequence[tuple[str, float, float]], rules: Rules
) -> Comparison:
    """Compare scores that are exact, of which no label is open: ``pairs`` are tasks with the scores before and after.

    Several pairs of a task are its takes.
    """
    none: frozenset[str] = frozenset()
    rows = [
        _Pair(task, {metric: (before, before)}, {metric: (after, after)}, False, {}, (none, none), none)
        for task, before, after in pairs
    ]
    return Comparison(
        condition=condition,
        reference=reference,
        items=len(rows),
        tasks=len({row.task for row in rows}),
        only_before=0,
        only_after=0,
        differences=(_difference(metric, rows, rules),),
        kinds=(),
        method=METHOD,
        draws=rules.draws,
        seed=rules.seed,
    )


@dataclass(frozen=True)
class _Pair:
    """One item in both runs: each metric as its ends, and each intention of which the labels are known or open."""

    task: str
    before: Mapping[str, Ends]
    after: Mapping[str, Ends]
    alike: bool
    kinds: Mapping[str, str]
    lost: tuple[frozenset[str], frozenset[str]]
    open: frozenset[str]

    @classmethod
    def of(cls, key: str, before: Entry, after: Entry) -> _Pair:
        alike = before.heard == after.heard
        return cls(
            task=key.partition("[")[0],
            before=_ends(before, len(after.kinds), scored=after.scored),
            after=_ends(after, len(after.kinds), scored=after.scored),
            alike=alike,
            kinds=after.kinds,
            lost=(frozenset(before.lost), frozenset(after.lost)),
            open=frozenset() if alike else frozenset(before.unresolved) | frozenset(after.unresolved),
        )

    def difference(self, metric: str) -> Ends:
        """Candidate minus baseline, over every way the unresolved labels may fall out.

        What was heard alike has the same labels, also where they are unresolved.
        """
        if self.alike:
            return 0.0, 0.0
        before, after = self.before[metric], self.after[metric]
        return after[0] - before[1], after[1] - before[0]


def _ends(entry: Entry, intentions: int, *, scored: bool) -> dict[str, Ends]:
    lost = len(entry.lost)
    found = {"lost": (lost / intentions, (lost + len(entry.unresolved)) / intentions)}
    if scored:
        found.update({metric: (float(i.low), float(i.high)) for metric, i in entry.intervals().items()})
    return found


def _compare(
    condition: str,
    reference: str,
    pairs: Sequence[_Pair],
    known: Mapping[str, Entry],
    entries: Mapping[str, Entry],
    rules: Rules,
) -> Comparison:
    differences = []
    for metric in COMPARED:
        scored = [pair for pair in pairs if metric in pair.before and metric in pair.after]
        if scored:
            differences.append(_difference(metric, scored, rules))
    return Comparison(
        condition=condition,
        reference=reference,
        items=len(pairs),
        tasks=len({pair.task for pair in pairs}),
        only_before=len(known) - len(pairs),
        only_after=len(entries) - len(pairs),
        differences=tuple(differences),
        kinds=_kinds(pairs, rules.margin.get("lost")),
        method=METHOD,
        draws=rules.draws,
        seed=rules.seed,
    )


def _difference(metric: str, pairs: Sequence[_Pair], rules: Rules) -> Difference:
    by_task: dict[str, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        by_task[pair.task].append(pair)
    groups = [[pair.difference(metric) for pair in group] for group in by_task.values()]
    lows, highs = ([fmean(ends[side] for ends in group) for group in groups] for side in (0, 1))
    alike = not any(map(any, (lows, highs)))
    interval = (0.0, 0.0) if alike else task_interval(lows, highs, draws=rules.draws, seed=rules.seed)
    row = Difference(
        metric=metric,
        tasks=len(groups),
        before=_means([[pair.before[metric] for pair in group] for group in by_task.values()]),
        after=_means([[pair.after[metric] for pair in group] for group in by_task.values()]),
        difference=(fmean(lows), fmean(highs)),
        interval=interval,
        margin=rules.margin.get(metric),
    )
    return row if row.margin is None else _decided(row, groups, row.margin)


def _decided(row: Difference, groups: Sequence[Sequence[Ends]], margin: Fraction) -> Difference:
    if row.interval is None:
        return replace(row, change=Change.UNDECIDED)
    (lower, upper), (low, high) = row.interval, row.difference
    if row.metric == "lost":
        lower, upper, low, high = -upper, -lower, -high, -low
    change = change_of(lower, upper, float(margin))
    if change is not Change.UNDECIDED:
        return replace(row, change=change)
    components = components_of([[(first + second) / 2 for first, second in group] for group in groups])
    return replace(row, change=change, needed=needed_for(components, (low, high), (lower, upper), float(margin)))


def _kinds(pairs: Sequence[_Pair], margin: Fraction | None) -> tuple[KindChange, ...]:
    """Test every kind for more losses; one has regressed if its increase is significant and exceeds the margin."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    net: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for pair in pairs:
        for name, kind in pair.kinds.items():
            count, (was, now) = counts[kind], (name in pair.lost[0], name in pair.lost[1])
            count["intentions"] += 1
            count["lost_before"] += was
            count["lost_after"] += now
            if name in pair.open:
                count["undecided"] += 1
            elif was != now:
                count["worse" if now else "better"] += 1
                net[kind][pair.task] += 1 if now else -1
    kinds = sorted(counts)
    chances = [sign_flip_p(list(net[kind].values())) for kind in kinds]
    rows = []
    for kind, p, adjusted in zip(kinds, chances, holm(chances), strict=True):
        count = counts[kind]
        excess = Fraction(count["worse"] - count["better"], count["intentions"])
        shown = margin is not None and adjusted < KIND_LEVEL and excess > margin
        numbers = {name: count[name] for name in _COUNTED}
        rows.append(KindChange(kind=kind, p=p, adjusted=adjusted, regressed=shown, **numbers))
    return tuple(rows)


_COUNTED = ("intentions", "lost_before", "lost_after", "worse", "better", "undecided")


def _means(groups: Sequence[Sequence[Ends]]) -> Ends:
    low, high = (fmean([fmean(ends[side] for ends in group) for group in groups]) for side in (0, 1))
    return low, high


def regate(
    run: SavedRun, rules: Rules, baseline: Baseline | None, *, executes: bool = False
) -> tuple[list[TaskResult], Gate]:
    """Decide a finished run again; return its results with their new verdicts, and the gate.

    The verdict is the one pytest gives under the same rules. What the records do not hold stays as the run had it:
    errors, items without a result, tests that failed for another reason, and what a hook had against the run. Raises
    ValueError where the run did not come to its end, BaselineError where it must not be compared.
    """
    if run.passed is None:
        raise ValueError(f"{run.folder}: the run did not come to its end (no run.json); make it again")
    references = {} if baseline is None or not run.results else _references(run, baseline)
    results = [_again(result, rules, baseline, references) for result in run.results]
    known = {result.node for result in results} | run.errors.keys()
    gate = decide_run(
        results,
        run.errors,
        known.union(run.missing),
        rules,
        failed_tests=run.failed_otherwise,
        uncollected=run.uncollected,
        unseen=run.unseen,
        baseline=baseline,
        executes=executes,
    )
    return results, replace(gate.with_reasons(run.added), added=run.added)


def baseline_of(run: SavedRun) -> Baseline:
    """The baseline that a saved run would leave behind; raises BaselineError where several judges made its labels."""
    judges = sorted({result.judgement.judge for result in run.results})
    if len(judges) != 1:
        raise BaselineError(f"{run.folder}: labels of {len(judges)} judges ({listed(judges) or 'no result'})")
    return Baseline(run.folder, judges[0]).updated(run.results, judges[0], only_new=False)


def _references(run: SavedRun, baseline: Baseline) -> dict[str, str]:
    """Map each condition to its counterpart, after the checks that pytest makes before it hears anything."""
    candidate = baseline_of(run)
    references = {name: baseline.reference(name, pins.spec) for name, pins in candidate.conditions.items()}
    items = [_as_candidate(result) for result in run.results if result.limits.own is not None]
    baseline.refuse_other_suite(references, items, candidate.judge)
    for name, pins in candidate.conditions.items():
        baseline.refuse_other_build(name, Pins(pins.spec, pins.fingerprint, pins.identity))
    return references


def _as_candidate(result: TaskResult) -> Candidate:
    return Candidate(result.condition, result.key, result.task_sha256, result.transcript.audio_sha256)


def _again(result: TaskResult, rules: Rules, baseline: Baseline | None, references: dict[str, str]) -> TaskResult:
    own = result.limits.own
    if own is None:
        return result  # a test function: its assertions are not in the record
    before = None
    if baseline is not None:
        reference = references[result.condition]
        baseline.refuse_other_scores(reference, result.key, result.retention.intervals())
        before = baseline.items[reference][result.key].intervals()
    limits = rules.limits(
        own,
        before,
        must_pass=result.limits.must_pass or rules.pins(result.task),
        compared=baseline is not None,
    )
    verdict = decide(result.retention, result.judgement, result.critical, limits, result.transcript.state)
    return replace(result, limits=limits, verdict=verdict)

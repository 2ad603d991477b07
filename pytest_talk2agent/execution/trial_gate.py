"""The part of the gate that agents decide: what of a run was executed, its means, and what it is held to.

Everything here is a decision on results that are there; a score that is missing closes the gate and is never 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from statistics import stdev

from pytest_talk2agent.analysis.decision import compare_scores
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.grading.retention import Interval, mean_interval
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.comparison import Comparison
from pytest_talk2agent.results.condition_summary import ExecutionSummary
from pytest_talk2agent.results.executed import ExecutedEntry, ExecutedRow, Executions
from pytest_talk2agent.results.gate import Gate, listed_nodes
from pytest_talk2agent.results.verdict import Rules, show

METRIC = "execution"
NOTHING = "nothing was executed: no task of the run has `execution`, or a selection left none"


@dataclass(frozen=True)
class Executed:
    """All trials of a run.

    ``errors`` maps items without a score to a line that says why, ``missing`` are those of which nothing is known at
    all, ``unseen`` executions of the baseline that did not run: each its condition, agent and key.
    """

    trials: tuple[TrialResult, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unseen: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to be executed."""
        return not (self.trials or self.errors or self.missing or self.unseen)


def trial_limit(rules: Rules, *, must_pass: bool, compared: bool) -> Fraction | None:
    """The least score of a single trial: 1, unless a mean or a baseline (``compared``) is what counts."""
    return Fraction(1) if (rules.min_execution is None or must_pass) and not compared else None


def held_to(run: Executed, rules: Rules, *, compared: bool) -> Executed:
    """The same trials, each held to what these rules ask of it."""
    rows = [
        replace(row, limit=trial_limit(rules, must_pass=row.must_pass or rules.pins(row.task), compared=compared))
        for row in run.trials
    ]
    return replace(run, trials=tuple(rows))


def executed_run(
    trials: Iterable[TrialResult],
    errors: Mapping[str, str],
    expected: Collection[str],
    unseen: Iterable[tuple[str, str, str]] = (),
) -> Executed:
    """The trials of a run in order, with what is missing of those that were ``expected``."""
    rows = tuple(sorted(trials, key=lambda row: (row.node, row.round)))
    whys = {row.node: _why(row) for row in rows if row.score is None}
    known = {row.node for row in rows} | errors.keys()
    return Executed(rows, {**errors, **whys}, tuple(sorted(set(expected) - known)), tuple(sorted(unseen)))


def with_executions(gate: Gate, run: Executed, rules: Rules, baseline: Baseline | None, *, new: bool = False) -> Gate:
    """The gate with all that the executions of a run have to say.

    ``new`` says that what the baseline lacks is new, and not compared.

    Raises:
        BaselineError: where the executions must not be compared with those of the baseline.
    """
    summaries = summarise_trials(run.trials)
    failed = sorted(row.node for row in run.trials if row.fails)
    reasons = [NOTHING] if run.is_empty else []
    reasons += listed_nodes(
        failed, "below what it must reach" if len(failed) == 1 else "below what they must reach", "trial"
    )
    reasons += listed_nodes(sorted({*run.errors, *run.missing}), "without a score", "trial")
    if run.unseen:
        names = [f"::{key} under {condition} by {agent}" for condition, agent, key in run.unseen]
        reasons += listed_nodes(names, "of the baseline did not run", "execution")
        reasons[-1] += "; to shrink the suite on purpose use --t2a-update-baseline"
    reasons += _mean_reasons(summaries, rules)
    comparisons: list[Comparison] = []
    if baseline is not None:
        known = rows_of(run)
        fallen, pairs = _against(baseline, known, run.trials, rules, new=new)
        reasons += listed_nodes(fallen, "fell below the baseline", "execution")
        if METRIC in rules.margin:
            comparisons = [compare_scores(*names, METRIC, some, rules) for names, some in pairs.items()]
            for comparison in comparisons:
                reasons += comparison.reasons(inconclusive_passes=rules.inconclusive_passes)
    if METRIC in rules.margin and baseline is not None and not comparisons and not new:
        reasons.append("no execution was compared with the baseline, though --t2a-margin has one of execution")
    remarks = [*gate.remarks, *_remarks(summaries), *(hint for found in comparisons for hint in found.hints())]
    return replace(
        gate.with_reasons(reasons),
        executions=summaries,
        comparisons=(*gate.comparisons, *comparisons),
        remarks=tuple(remarks),
    )


def rows_of(run: Executed) -> list[ExecutedRow]:
    """What a run leaves behind in a baseline: every task and take all of whose rounds have a score."""
    gone = {*run.errors, *run.missing}
    incomplete = {row.pair for row in run.trials if row.node in gone}
    incomplete_names = {_stem(node) for node in gone}
    rows = []
    for pair, rounds in _by_pair(run.trials).items():
        first = rounds[0]
        if pair in incomplete or _stem(first.node) in incomplete_names:
            continue
        scores = tuple(row.score for row in rounds if row.score is not None)
        entry = ExecutedEntry(first.record.key.task_sha256, scores, first.file)
        rows.append(ExecutedRow(first.condition, first.spec, first.agent, first.record.identity, first.key, entry))
    return rows


def summarise_trials(trials: Sequence[TrialResult]) -> tuple[ExecutionSummary, ...]:
    """One summary for each condition and agent, in the order of first appearance."""
    groups: dict[tuple[str, str], list[TrialResult]] = {}
    for row in trials:
        groups.setdefault((row.condition, row.agent), []).append(row)
    return tuple(_summary(*place, rows) for place, rows in groups.items())


def _summary(condition: str, agent: str, rows: Sequence[TrialResult]) -> ExecutionSummary:
    scored = [row for row in rows if row.scored]
    used: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        for name, amount in row.record.cost.items():
            used[name] += Decimal(str(amount))
    rounds = sorted({row.round for row in scored})
    means = [mean for number in rounds if (mean := _mean(row for row in scored if row.round == number)) is not None]
    whole = len({frozenset(row.pair for row in scored if row.round == number) for number in rounds}) == 1
    return ExecutionSummary(
        condition=condition,
        agent=agent,
        tasks=len({row.task for row in scored}),
        trials=len(rows),
        rounds=len({row.round for row in rows}),
        mean=_mean(scored),
        sd=float(stdev(means)) if whole and len(means) > 1 else None,
        native=_interval([row.native for row in scored]),
        projection=_interval([row.predicted for row in scored]),
        projected=sum(row.as_predicted is not None for row in rows),
        as_projected=sum(bool(row.as_predicted) for row in rows),
        missing=sum(row.score is None for row in rows),
        failed=sum(row.fails for row in rows),
        left_out=sum(row.score is not None and not row.scored for row in rows),
        stored=sum(row.stored for row in rows),
        states=dict(sorted(Counter(row.record.state for row in rows if row.record.state != "scored").items())),
        cost=dict(used),
        seconds=round(sum(row.record.seconds for row in rows if not row.stored), 3),
    )


def _mean(rows: Iterable[TrialResult]) -> Fraction | None:
    """The mean over tasks, each the mean over its takes and rounds; None without a score."""
    by_task: dict[str, list[Fraction]] = {}
    for row in rows:
        if row.score is not None:
            by_task.setdefault(row.task, []).append(row.score)
    means = [sum(scores, Fraction(0)) / len(scores) for scores in by_task.values()]
    return sum(means, Fraction(0)) / len(means) if means else None


def _interval(found: Sequence[Interval | None]) -> Interval | None:
    known = [interval for interval in found if interval is not None]
    return mean_interval(known) if known else None


def _mean_reasons(summaries: Sequence[ExecutionSummary], rules: Rules) -> list[str]:
    limit = rules.min_execution
    if limit is None:
        return []
    reasons = []
    for row in summaries:
        if row.mean is None:
            reasons.append(f"{row.name}: no trial has a score that enters the mean of executed scores")
        elif row.mean < limit:
            reasons.append(f"{row.name}: mean execution {show(row.mean)} < {show(limit)}")
    return reasons


def _against(
    baseline: Baseline, rows: Sequence[ExecutedRow], trials: Sequence[TrialResult], rules: Rules, *, new: bool
) -> tuple[list[str], dict[tuple[str, str], list[tuple[str, float, float]]]]:
    """Which executions fell below the baseline, where each is held to it, and what is compared as a whole."""
    pinned = {row.key for row in trials if row.must_pass}
    normal = {row.key: row.task for row in trials if row.polarity == "normal"}
    fallen: list[str] = []
    pairs: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
    for row in rows:
        before = entry_before(
            baseline, row.condition, row.spec, row.agent, row.identity, row.key, row.entry.task_sha256, new=new
        )
        if before is None:
            continue
        (condition, agent), entry = before
        held, tolerance = METRIC not in rules.margin or row.key in pinned, rules.tolerance
        if held and row.entry.mean < entry.mean - (0 if row.key in pinned else tolerance):
            change = f"{show(entry.mean)} -> {show(row.entry.mean)}"
            fallen.append(f"::{row.key} under {row.condition} by {row.agent} ({change})")
        if row.key in normal:
            names = f"{row.condition}, {row.agent}", f"{condition}, {agent}"
            pairs.setdefault(names, []).append((normal[row.key], float(entry.mean), float(row.entry.mean)))
    return fallen, pairs


def entry_before(
    baseline: Baseline,
    condition: str,
    spec: str,
    agent: str,
    identity: Mapping[str, str],
    key: str,
    task_sha256: str,
    *,
    new: bool,
) -> tuple[tuple[str, str], ExecutedEntry] | None:
    """What a baseline has of one task and take, and under which condition and agent; None where it is new and may be.

    Raises:
        BaselineError: where it has nothing, or something that must not be compared.
    """
    known: Executions = baseline.executions
    if new and key not in known.items.get((condition, agent), {}):
        return None
    try:
        place = known.reference(condition, spec, agent, identity)
        known.refuse_other_task(place, key, task_sha256)
    except ValueError as error:
        raise BaselineError(f"{baseline.path}: {error}") from None
    return place, known.items[place][key]


def _remarks(summaries: Sequence[ExecutionSummary]) -> list[str]:
    return [
        f"{row.name}: {count} of {row.trials} trials {state.replace('_', ' ')}"
        for row in summaries
        for state, count in row.states.items()
    ]


def _by_pair(trials: Iterable[TrialResult]) -> dict[tuple[str, str, str, str], list[TrialResult]]:
    found: dict[tuple[str, str, str, str], list[TrialResult]] = {}
    for row in sorted(trials, key=lambda row: row.round):
        found.setdefault(row.pair, []).append(row)
    return found


def _stem(node: str) -> str:
    """The node of a trial without its round."""
    return node.rpartition("-")[0]


def _why(row: TrialResult) -> str:
    return f"{row.record.state.replace('_', ' ')}: {row.record.reason}" if row.record.reason else row.record.state

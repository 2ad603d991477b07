"""The tables of a run as rows of cells: conditions, kinds of intentions, pairs, silence controls, the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.analysis.error_rates import Rates, pooled
from pytest_talk2agent.reporting.trial_report import execution_tables
from pytest_talk2agent.results.comparison import Comparison, Difference, KindChange
from pytest_talk2agent.results.condition_summary import ConditionSummary, Pair, SilenceControl
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome, show, show_interval
from pytest_talk2agent.tasks.errors import counted

KINDS = "kinds of intentions"

Table = tuple[str, list[str], list[list[str]]]
"""A title, a head and rows."""

_HEAD = [
    *("condition", "items", "passed", "failed", "inconclusive", "native", "shapley", "lost", "unresolved"),
    *("WER", "verbatim"),
]


def tables_of(gate: Gate, results: Sequence[TaskResult]) -> list[Table]:
    """Every table that has something to say, the conditions first and the comparison with a baseline last.

    A column without an entry in the whole run is left out; kinds and pairs are shown where conditions are compared.
    The error rates of the first are counted here, from ``results``.
    """
    executions = execution_tables(gate.executions)
    if not gate.conditions:
        return [*executions, *release_tables(gate.comparisons)]
    tables = [_conditions(gate.conditions, rates_of(results))]
    if len(gate.conditions) > 1:
        tables.append(_kinds(gate.conditions))
    if gate.pairs:
        tables.append(("intentions of the same recordings, compared", _PAIR_HEAD, [_pair_row(p) for p in gate.pairs]))
    if gate.silence:
        head = ["condition", "terms", "heard in silence", "terms in it"]
        tables.append(("silence control", head, [_silence_row(control) for control in gate.silence]))
    return [*tables, *executions, *release_tables(gate.comparisons)]


def rates_of(results: Sequence[TaskResult]) -> dict[str, Rates]:
    """The pooled error rates of each condition."""
    by_condition: dict[str, list[TaskResult]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append(result)
    return {condition: pooled(rows) for condition, rows in by_condition.items()}


def _conditions(summaries: Sequence[ConditionSummary], rates: Mapping[str, Rates]) -> Table:
    head, rows = list(_HEAD), [_row(summary, rates[summary.condition]) for summary in summaries]
    extra: list[tuple[str, list[str]]] = [
        ("suspect", [str(summary.suspect or "-") for summary in summaries]),
        ("empty", [str(summary.empty or "-") for summary in summaries]),
        ("no transcript", [_counted(summary.states) or "-" for summary in summaries]),
        ("terms unspoken", ["-" if s.inserted is None else str(s.inserted) for s in summaries]),
        ("decoys", ["-" if s.decoys is None else str(s.decoys) for s in summaries]),
        ("cost", ["-" if s.cost is None else f"{s.cost:.4f}" for s in summaries]),
    ]
    for name, cells in extra:
        if any(cell != "-" for cell in cells):
            head.append(name)
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell)
    return "conditions", head, rows


def _row(summary: ConditionSummary, rates: Rates) -> list[str]:
    return [
        summary.condition,
        str(summary.items),
        str(summary.outcomes.get(Outcome.PASSED, 0)),
        str(summary.outcomes.get(Outcome.FAILED, 0)),
        str(summary.outcomes.get(Outcome.INCONCLUSIVE, 0)),
        "-" if summary.native is None else show_interval(summary.native),
        "-" if summary.shapley is None else show_interval(summary.shapley),
        f"{summary.lost}/{summary.intentions}",
        str(summary.unresolved),
        *("-" if rate is None else f"{rate:.1%}" for rate in (rates.wer, rates.wer_verbatim)),
    ]


def _kinds(summaries: Sequence[ConditionSummary]) -> Table:
    """A row for each kind, for each condition its lost intentions."""
    kinds = sorted({kind.kind for summary in summaries for kind in summary.kinds})
    head = ["kind", *(summary.condition for summary in summaries)]
    rows = []
    for kind in kinds:
        row = [kind]
        for summary in summaries:
            found = next((one for one in summary.kinds if one.kind == kind), None)
            if found is None:
                row.append("-")
                continue
            row.append(f"{found.lost}/{found.intentions} lost")
        rows.append(row)
    return KINDS, head, rows


_PAIR_HEAD = ["condition", "compared with", "items", "benefit", "harm", "undecided", "where"]


def _pair_row(pair: Pair) -> list[str]:
    where = [f"+{count} {kind}" for kind, count in pair.benefit.items()]
    where.extend(f"-{count} {kind}" for kind, count in pair.harm.items())
    return [
        pair.condition,
        pair.against,
        str(pair.items),
        str(sum(pair.benefit.values())),
        str(sum(pair.harm.values())),
        str(pair.undecided),
        ", ".join(where),
    ]


def _silence_row(control: SilenceControl) -> list[str]:
    heard = control.error if control.error is not None else control.text or "nothing"
    return [control.condition, str(control.terms), heard, str(len(control.invented))]


def _counted(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in states.items())


_DIFFERENCE_HEAD = ["metric", "baseline", "candidate", "difference", "95 % interval", "margin", "verdict"]
_KIND_HEAD = ["kind", "intentions", "lost before", "lost now", "newly lost", "no longer", "undecided", "p (Holm)", ""]


def release_tables(comparisons: Sequence[Comparison]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Two tables for each comparison, a title, a head and rows each: its metrics, and its kinds where any changed."""
    tables = []
    for found in comparisons:
        names = f"{found.condition} against {found.reference}"
        left_out = [
            f"{count} only in the {where}"
            for count, where in ((found.only_before, "baseline"), (found.only_after, "candidate"))
            if count
        ]
        size = ", ".join([counted(found.tasks, "task"), counted(found.items, "item"), *left_out])
        rows = [_difference_row(row) for row in found.differences]
        tables.append((f"{names}: means over tasks ({size})", list(_DIFFERENCE_HEAD), rows))
        changed = [kind for kind in found.kinds if kind.worse or kind.better or kind.undecided]
        if changed:
            title = f"{names}: intentions lost, by kind"
            tables.append((title, list(_KIND_HEAD), [_kind_row(kind) for kind in changed]))
    return tables


def _difference_row(row: Difference) -> list[str]:
    sign = "+" if row.metric == "lost" else "-"
    return [
        row.metric,
        _ends(row.before, ""),
        _ends(row.after, ""),
        _ends(row.difference, "+"),
        "none: fewer than two tasks" if row.interval is None else _ends(row.interval, "+"),
        "" if row.margin is None else f"{sign}{show(row.margin)}" if row.margin else "0",
        "" if row.change is None else row.change.value,
    ]


def _ends(ends: tuple[float, float], sign: str) -> str:
    # Adding 0 turns the minus zero of a rounded difference into zero.
    low, high = (f"{round(end, 3) + 0.0:{sign}.3f}" for end in ends)
    return low if low == high else f"[{low}, {high}]"


def _kind_row(kind: KindChange) -> list[str]:
    return [
        kind.kind,
        str(kind.intentions),
        str(kind.lost_before),
        str(kind.lost_after),
        str(kind.worse),
        str(kind.better),
        str(kind.undecided),
        f"{kind.adjusted:.2g}",
        "regressed" if kind.regressed else "",
    ]

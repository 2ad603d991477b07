"""The tables of a run as rows of cells: conditions, kinds of intentions, pairs of conditions, silence controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.analysis.error_rates import Rates, pooled
from pytest_talk2agent.reporting.release import release_tables
from pytest_talk2agent.results.controls import SilenceControl
from pytest_talk2agent.results.gate import ConditionSummary, Gate
from pytest_talk2agent.results.pairs import Pair
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import Outcome, show_interval

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
    if not gate.conditions:
        return []
    tables = [_conditions(gate.conditions, rates_of(results))]
    if len(gate.conditions) > 1:
        tables.append(_kinds(gate.conditions))
    if gate.pairs:
        tables.append(("intentions of the same recordings, compared", _PAIR_HEAD, [_pair_row(p) for p in gate.pairs]))
    if gate.silence:
        head = ["condition", "terms", "heard in silence", "terms in it"]
        tables.append(("silence control", head, [_silence_row(control) for control in gate.silence]))
    return [*tables, *release_tables(gate.comparisons)]


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

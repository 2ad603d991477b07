"""The first section of a failed run: each lost value, what was heard instead, where, and since when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import urlencode

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.reporting.html.before import Before, Earlier
from pytest_talk2agent.reporting.html.markup import Markup, element
from pytest_talk2agent.reporting.losses import losses_of, rank, show_score
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome

FIRST, MOST = 12, 300
"""How many rows are shown at first, and how many at most; the list of items has all of them."""

_HEAD = ("intention", "wanted", "heard", "share", "before", "where")


class Row(NamedTuple):
    """One intention of one item; an item that fails without a loss has a row with its reasons instead."""

    outcome: Outcome
    result: TaskResult
    name: str
    finding: Finding | None
    share: Fraction | None


def lost_rows(results: Sequence[TaskResult]) -> list[Row]:
    """What the items lost that do not pass: failed items first, lost before unresolved, the largest share first."""
    rows: list[Row] = []
    for result in results:
        outcome = result.verdict.outcome
        if not outcome.fails:
            continue
        losses = losses_of(result)
        rows.extend(Row(outcome, result, name, finding, share) for name, finding, share in losses)
        if not losses:
            rows.append(Row(outcome, result, "", None, None))
    return sorted(rows, key=_worst_first)


def _worst_first(row: Row) -> tuple[int, bool, float, str]:
    unresolved = row.finding is None or row.finding.label is Label.UNRESOLVED
    return rank(row.result), unresolved, -float(row.share or 0), row.result.node


def lost_table(rows: Sequence[Row], before: Before, *, compared: bool) -> Iterator[Markup]:
    """The table; what does not fit on a screen is folded."""
    yield _table(rows[:FIRST], before, compared=compared, caption="what was lost")
    rest = rows[FIRST:MOST]
    if rest:
        yield element(
            "details",
            element("summary", f"{len(rest):,} more"),
            _table(rest, before, compared=compared, caption="what else was lost"),
        )
    if len(rows) > MOST:
        more = len(rows) - MOST
        yield element("p", f"{more:,} more are in the list of items below, failed first.", class_="note")


def _table(rows: Sequence[Row], before: Before, *, compared: bool, caption: str) -> Markup:
    names = [name for name in _HEAD if name != "before" or compared]
    head = [element("th", name, scope="col", class_=f"l-{name}{' n' if name == 'share' else ''}") for name in names]
    bodies = []
    for outcome, group in groupby(rows, key=attrgetter("outcome")):
        title = element("th", _group(outcome), colspan=len(names), scope="rowgroup", class_="group")
        body = [element("tr", title)]
        body.extend(_row(row, before.of(row.result), compared=compared) for row in group)
        bodies.append(element("tbody", *body))
    return element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *head)),
        *bodies,
        class_="lost",
    )


def _group(outcome: Outcome) -> Markup:
    words = "in items that failed" if outcome is Outcome.FAILED else "in items that stay undecided"
    return element("span", words, class_=f"state {outcome.value}")


def _row(row: Row, earlier: Earlier | None, *, compared: bool) -> Markup:
    where = element("td", *_where(row.result), class_="l-where")
    was = [element("td", *_before(row, earlier), class_="l-before")] if compared else []
    if row.finding is None:
        reasons = "; ".join(row.result.verdict.reasons)
        return element("tr", element("td", element("bdi", reasons), colspan=4, class_="l-why"), *was, where)
    finding = row.finding
    kind = f"{row.result.kinds[row.name]}, {finding.label.value}"
    heard = element("em", "nothing") if finding.heard is None else element("bdi", finding.heard, dir="auto")
    number = "undefined" if row.share is None else f"{float(row.share):.2f}"
    return element(
        "tr",
        element("th", element("bdi", row.name), " ", element("small", kind), scope="row", class_="l-name"),
        element("td", element("bdi", finding.expected, dir="auto"), class_="l-wanted"),
        element("td", heard, class_=f"l-heard {finding.label.value}"),
        element("td", number, class_="n l-share"),
        *was,
        where,
    )


def _where(result: TaskResult) -> list[Markup]:
    address = urlencode({"condition": result.condition, "task": result.task, "take": result.take}, errors="replace")
    file = result.node.partition("::")[0]
    small = [element("bdi", words) for words in (result.take, result.condition, file)]
    return [
        element("a", element("bdi", result.task), href=f"#{address}"),
        Markup(" "),
        element("small", small[0], " · ", small[1], " · ", small[2]),
    ]


def _before(row: Row, earlier: Earlier | None) -> list[Markup]:
    """Since when: what the baseline says of this intention, and of its item."""
    if earlier is None:
        return [element("span", "new item")]
    state = None if row.finding is None else earlier.was(row.name)
    words = element("span", f"{state} before", class_=f"was {state}") if state is not None else Markup()
    return [words, Markup(" "), element("small", f"Native {show_score(earlier.native)}")]

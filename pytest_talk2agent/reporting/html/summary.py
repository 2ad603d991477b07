"""The part of the page that stands there without a script: verdict, conditions, kinds, pairs, worst tasks, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from urllib.parse import quote

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.conditions import KINDS, tables_of
from pytest_talk2agent.reporting.html.markup import Markup, element, join
from pytest_talk2agent.reporting.html.plots import Dot, dot_strip, legend_mark, share_bar
from pytest_talk2agent.reporting.release import release_tables
from pytest_talk2agent.results.gate import ConditionSummary, Gate
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import show_interval

WORST = 20
_LONG = {"where", "heard in silence", "error"}
_WORDS = {"condition", "compared with", "kind", "no transcript", "metric", "verdict", "", "item", *_LONG}
"""Columns of words; all others are numbers and stand to the right."""


def verdict(results: Sequence[TaskResult], gate: Gate) -> Markup:
    """The verdict with every reason, and what it was made of."""
    judges = ", ".join(sorted({result.judgement.judge for result in results})) or "none"
    facts = [
        _count(len(results), "item"),
        _count(len(gate.conditions), "condition"),
        _count(len({result.task for result in results}), "task"),
        f"judge {judges}",
    ]
    word, state = ("Gate passed", "passed") if gate.passed else ("Gate failed", "failed")
    return element(
        "section",
        element("h1", word, class_=f"verdict {state}"),
        element("p", " · ".join(facts), class_="facts"),
        element("ul", join([element("li", _text(reason)) for reason in gate.reasons]), class_="reasons")
        if gate.reasons
        else Markup(),
        *(element("p", _text(f"Note: {remark}"), class_="note") for remark in gate.remarks),
    )


def summary(results: Sequence[TaskResult], errors: Mapping[str, str], gate: Gate) -> Iterator[Markup]:
    """Every section that has something to say."""
    series = {row.condition: number for number, row in enumerate(gate.conditions)}
    for title, head, rows in tables_of(gate):
        if title == KINDS:
            continue
        extra = _strips(gate.conditions) if rows and title == "conditions" else None
        yield _section(title, _table(title, head, rows, extra))
    for title, head, rows in release_tables(gate.comparisons):
        yield _section(title, _table(title, head, rows))
    if any(row.kinds for row in gate.conditions):
        yield _section("intentions lost, by kind", _kinds(gate.conditions))
    yield from _worst(results, series)
    if errors:
        cells = [[node, error] for node, error in sorted(errors.items())]
        yield _section("could not be judged", _table("errors", ["item", "error"], cells))


def _section(title: str, *content: str) -> Markup:
    identifier = title.replace(" ", "-").replace(",", "")
    heading = element("h2", title, id=identifier)
    return element("section", heading, *content, aria_labelledby=identifier)


def _table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], extra: list[Markup] | None = None
) -> Markup:
    """A table; ``extra`` is a last column of plots."""
    classes = ["long" if name in _LONG else None if name in _WORDS else "n" for name in head]
    top = [element("th", name, scope="col", class_=kind) for name, kind in zip(head, classes, strict=True)]
    body = []
    for number, row in enumerate(rows):
        cells = [element("th", _text(row[0]), scope="row")]
        cells.extend(element("td", _text(cell), class_=kind) for cell, kind in zip(row[1:], classes[1:], strict=True))
        body.append(element("tr", *cells, *([element("td", extra[number])] if extra else [])))
    if extra:
        top.append(element("th", "○ Native ● Shapley", scope="col"))
    return _scrolled(caption, top, body)


def _scrolled(caption: str, top: Sequence[Markup], body: Sequence[Markup]) -> Markup:
    table = element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *top)),
        element("tbody", *body),
    )
    return element("div", table, class_="wide", tabindex=0, role="region", aria_label=caption)


def _strips(conditions: Sequence[ConditionSummary]) -> list[Markup]:
    strips = []
    for number, row in enumerate(conditions):
        dots = [Dot(number, row.shapley, "Shapley")] if row.shapley else []
        dots.extend([Dot(number, row.native, "Native", hollow=True)] if row.native else [])
        strips.append(dot_strip(dots) if dots else Markup("-"))
    return strips


def _kinds(conditions: Sequence[ConditionSummary]) -> Markup:
    """A row for each kind, the one that lost the greatest share first."""
    lost: dict[str, int] = {}
    total: dict[str, int] = {}
    for one in (one for row in conditions for one in row.kinds):
        lost[one.kind] = lost.get(one.kind, 0) + one.lost
        total[one.kind] = total.get(one.kind, 0) + one.intentions
    top = [element("th", name, scope="col") for name in ("kind", *(row.condition for row in conditions))]
    body = []
    for kind in sorted(total, key=lambda name: (-Fraction(lost[name], total[name]), name)):
        link = element("a", kind, href=_address("kind", kind))
        cells = [element("th", link, scope="row")]
        for number, row in enumerate(conditions):
            found = next((one for one in row.kinds if one.kind == kind), None)
            if found is None:
                cells.append(element("td", "-"))
                continue
            words = f"{found.lost}/{found.intentions}"
            more = "" if found.wer is None else f"WER {found.wer:.0%}"
            unresolved = f"{found.unresolved} open " if found.unresolved else ""
            bar = share_bar(Fraction(found.lost, found.intentions), number, f"{words} lost")
            cells.append(element("td", bar, " ", element("b", words), element("small", f" {unresolved}{more}")))
        body.append(element("tr", *cells))
    return _scrolled("intentions lost, by kind", top, body)


def _worst(results: Sequence[TaskResult], series: Mapping[str, int]) -> Iterator[Markup]:
    """The tasks that keep least of their value, by the mean Shapley retention over all their items."""
    by_task: dict[str, dict[str, list[Interval]]] = {}
    for result in results:
        kept = result.retention.shapley
        if kept is not None and result.retention.status == "scored" and result.polarity == "normal":
            by_task.setdefault(result.task, {}).setdefault(result.condition, []).append(kept)
    means = {task: _mean([one for some in rows.values() for one in some]) for task, rows in by_task.items()}
    below = sorted((task for task in means if means[task].low < 1), key=lambda task: (means[task].midpoint, task))
    if not below:
        return
    body = []
    for task in below[:WORST]:
        dots = [Dot(series[condition], _mean(some), condition) for condition, some in by_task[task].items()]
        items = sum(map(len, by_task[task].values()))
        body.append(
            element(
                "tr",
                element("th", element("a", _text(task), href=_address("task", task)), scope="row"),
                element("td", str(items), class_="n"),
                element("td", show_interval(means[task]), class_="n"),
                element("td", dot_strip(dots)),
            )
        )
    top = [
        element("th", "task", scope="col"),
        element("th", "items", scope="col", class_="n"),
        element("th", "shapley", scope="col", class_="n"),
        element("th", "by condition, 0 to 1", scope="col"),
    ]
    legend = [element("li", legend_mark(number), _text(condition)) for condition, number in series.items()]
    note = (
        f"{min(WORST, len(below))} of {_count(len(below), 'task')} that lost something, worst first; mean over items."
    )
    yield _section(
        "worst tasks",
        element("p", note, class_="note"),
        element("ul", *legend, class_="legend") if len(series) > 1 else Markup(),
        _scrolled("worst tasks", top, body),
    )


def _mean(intervals: Sequence[Interval]) -> Interval:
    count, zero = len(intervals), Fraction(0)
    return Interval(sum((i.low for i in intervals), zero) / count, sum((i.high for i in intervals), zero) / count)


def _address(name: str, value: str) -> str:
    """The list of items with one filter set; what UTF-8 cannot hold finds nothing."""
    return f"#{name}={quote(value, safe='', errors='replace')}"


def _text(words: str) -> Markup:
    """Words of unknown script and origin, kept apart from the direction of what stands around them."""
    return element("bdi", words)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

"""The part of the page that needs no script: verdict, conditions, kinds, pairs, worst tasks, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from urllib.parse import quote

from pytest_talk2agent.grading.retention import Interval, mean_interval
from pytest_talk2agent.reporting.html.before import Before, Count, Moved, moved_of
from pytest_talk2agent.reporting.html.lost import lost_rows, lost_table
from pytest_talk2agent.reporting.html.markup import Dot, Markup, dot_strip, element, join, legend_mark, share_bar
from pytest_talk2agent.reporting.losses import lost_in_short
from pytest_talk2agent.reporting.run_tables import KINDS, tables_of
from pytest_talk2agent.results.condition_summary import ConditionSummary, KindSummary
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import show_interval
from pytest_talk2agent.tasks.errors import counted

WORST = 20
_MEANING = (
    element("dt", "Native"),
    element("dd", "share of the score that the task's own grader still gives. One lost value can take all of it."),
    element("dt", "Shapley"),
    element("dd", "share of the task's worth that came through, each value counted by its part in the score."),
)
_LONG = {"where", "heard in silence", "error"}
_WORDS = {"condition", "compared with", "kind", "no transcript", "metric", "verdict", "", "item", *_LONG}
"""Columns of words; all others are numbers and stand to the right."""


def verdict(results: Sequence[TaskResult], gate: Gate, held: Sequence[str] = ()) -> Markup:
    """The verdict with every reason, and what it was made of; ``held`` says so of workflows."""
    judges = ", ".join(sorted({result.judgement.judge for result in results})) or "none"
    facts = [
        counted(len(results), "item"),
        counted(len(gate.conditions), "condition"),
        counted(len({result.task for result in results}), "task"),
        f"judge {judges}",
        *held,
    ]
    facts = facts if results or not held else list(held)
    word, state = ("Gate passed", "passed") if gate.passed else ("Gate failed", "failed")
    return element(
        "section",
        element("h1", word, class_=f"verdict {state}"),
        element("p", " · ".join(facts), class_="facts"),
        element("ul", join([element("li", _text(reason)) for reason in gate.reasons]), class_="reasons")
        if gate.reasons
        else Markup(),
    )


def summary(results: Sequence[TaskResult], errors: Mapping[str, str], gate: Gate, before: Before) -> Iterator[Markup]:
    """Every section that has something to say: what was lost with what has moved beside it, then all the tables."""
    series = {row.condition: number for number, row in enumerate(gate.conditions)}
    moved = moved_of(results, before)
    rows = lost_rows(results)
    worst = list(_worst(results, series))
    main = []
    if errors:
        cells = [[node, error] for node, error in sorted(errors.items())]
        main.append(_section("could not be judged", _table("errors", ["item", "error"], cells)))
    if rows:
        main.insert(0, _section("what was lost", *lost_table(rows, before, compared=bool(moved))))
    else:
        main.extend(worst)
    notes = element("div", *(element("p", _text(f"Note: {remark}")) for remark in gate.remarks), class_="notes")
    if gate.conditions:
        beside = [_standing(gate.conditions, moved, before), *([notes] if gate.remarks else [])]
        if len(gate.conditions) == 1 and gate.conditions[0].kinds:
            beside.append(_section("intentions lost, by kind", _kinds(gate.conditions, moved)))
        yield element("div", element("div", *main), element("aside", *beside), class_="top")
    else:
        yield from [*main, notes]
    for title, head, cells in tables_of(gate, results):
        if title == KINDS:
            continue
        extra = _strips(gate.conditions) if cells and title == "conditions" else None
        yield _section(title, _table(title, head, cells, extra))
    if len(gate.conditions) > 1 and any(row.kinds for row in gate.conditions):
        yield _section("intentions lost, by kind", _kinds(gate.conditions, moved))
    if rows:
        yield from worst


def _standing(conditions: Sequence[ConditionSummary], moved: Mapping[str, Moved], before: Before) -> Markup:
    """The means of each condition, beside those that they are compared with, and what they mean."""
    names = ["", "before", "now"] if moved else ["", "now"]
    top = [element("th", name, scope="col", class_="n" if name else None) for name in names]
    body = []
    for row in conditions:
        found = moved.get(row.condition, Moved(row.condition))
        if len(conditions) > 1:
            name = element("th", _text(row.condition), colspan=len(names), scope="rowgroup", class_="group")
            body.append(element("tr", name))
        for metric, mean, pair in (("Native", row.native, found.native), ("Shapley", row.shapley, found.shapley)):
            was, now = pair or (None, mean)
            cells = [_mean_cell(was)] if moved else []
            body.append(element("tr", element("th", metric, scope="row"), *cells, _mean_cell(now, was)))
        lost = found.lost
        cells = [element("td", f"{lost.before}/{lost.of}" if lost.of else "-", class_="n")] if moved else []
        now_lost = f"{lost.now}/{lost.of}" if lost.of else f"{row.lost}/{row.intentions}"
        change = "fell" if lost.now > lost.before else "rose" if lost.now < lost.before else None
        cells.append(element("td", element("span", now_lost, class_=change), class_="n"))
        body.append(element("tr", element("th", "lost", scope="row"), *cells))
    table = _scrolled("means", top, body)
    meaning = element("dl", *_MEANING, class_="meaning")
    heading = "before and now" if moved else "means"
    return _section(heading, table, *_compared(moved, before), meaning, name="means")


def _mean_cell(interval: Interval | None, before: Interval | None = None) -> Markup:
    """A mean; marked where it differs from the one before whatever is unresolved."""
    if interval is None:
        return element("td", "-", class_="n")
    fell = before is not None and interval.high < before.low
    rose = before is not None and interval.low > before.high
    words = element("span", show_interval(interval), class_="fell" if fell else "rose" if rose else None)
    return element("td", words, class_="n")


def _compared(moved: Mapping[str, Moved], before: Before) -> Iterator[Markup]:
    if moved:
        items, new = sum(one.items for one in moved.values()), sum(one.new for one in moved.values())
        more = f"; {counted(new, 'item')} had no result before" if new else ""
        words = f"Before: {before.name}. Over {counted(items, 'item')} that both have{more}."
        yield element("p", _text(words), class_="note")


def _section(title: str, *content: str, name: str | None = None) -> Markup:
    identifier = name or title.replace(" ", "-").replace(",", "")
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


def _kinds(conditions: Sequence[ConditionSummary], moved: Mapping[str, Moved]) -> Markup:
    """A row for each kind, the one that lost the greatest share first."""
    lost: dict[str, int] = {}
    total: dict[str, int] = {}
    for one in (one for row in conditions for one in row.kinds):
        lost[one.kind] = lost.get(one.kind, 0) + one.lost
        total[one.kind] = total.get(one.kind, 0) + one.intentions
    heads = [row.condition for row in conditions] if len(conditions) > 1 else ["lost"]
    top = [element("th", name, scope="col") for name in ("kind", *heads)]
    body = []
    for kind in sorted(total, key=lambda name: (-Fraction(lost[name], total[name]), name)):
        link = element("a", kind, href=_address("kind", kind))
        cells = [element("th", link, scope="row")]
        for number, row in enumerate(conditions):
            found = next((one for one in row.kinds if one.kind == kind), None)
            before = moved[row.condition].kinds.get(kind) if row.condition in moved else None
            cells.append(element("td", "-") if found is None else _kind(found, before, number))
        body.append(element("tr", *cells))
    return _scrolled("intentions lost, by kind", top, body)


def _kind(found: KindSummary, before: Count | None, number: int) -> Markup:
    words = f"{found.lost}/{found.intentions}"
    bar = share_bar(Fraction(found.lost, found.intentions), number, f"{words} lost")
    notes = [f"{found.unresolved} open"] if found.unresolved else []
    if before is not None and before.of:
        notes.append(f"before {before.before}/{before.of}")
    worse = before is not None and before.of and before.now > before.before
    small = f" {', '.join(notes)}" if notes else ""
    return element("td", bar, " ", element("b", words, class_="fell" if worse else None), element("small", small))


def _worst(results: Sequence[TaskResult], series: Mapping[str, int]) -> Iterator[Markup]:
    """The tasks that keep least of their value, by the mean Shapley retention over all their items."""
    by_task: dict[str, dict[str, list[Interval]]] = {}
    least: dict[str, tuple[Fraction, TaskResult]] = {}
    for result in results:
        kept = result.retention.shapley
        if kept is not None and result.retention.status == "scored" and result.polarity == "normal":
            by_task.setdefault(result.task, {}).setdefault(result.condition, []).append(kept)
            if result.task not in least or kept.midpoint < least[result.task][0]:
                least[result.task] = kept.midpoint, result
    means = {task: mean_interval([one for some in rows.values() for one in some]) for task, rows in by_task.items()}
    below = sorted((task for task in means if means[task].low < 1), key=lambda task: (means[task].midpoint, task))
    if not below:
        return
    body = []
    for task in below[:WORST]:
        dots = [Dot(series[condition], mean_interval(some), condition) for condition, some in by_task[task].items()]
        items = sum(map(len, by_task[task].values()))
        body.append(
            element(
                "tr",
                element("th", element("a", _text(task), href=_address("task", task)), scope="row"),
                element("td", str(items), class_="n count"),
                element("td", show_interval(means[task]), class_="n"),
                element("td", dot_strip(dots), class_="plot"),
                element("td", _text(lost_in_short(least[task][1])), class_="what"),
            )
        )
    top = [
        element("th", "task", scope="col"),
        element("th", "items", scope="col", class_="n count"),
        element("th", "shapley", scope="col", class_="n"),
        element("th", "by condition, 0 to 1", scope="col", class_="plot"),
        element("th", "its worst item", scope="col", class_="what"),
    ]
    legend = [element("li", legend_mark(number), _text(condition)) for condition, number in series.items()]
    note = (
        f"{min(WORST, len(below))} of {counted(len(below), 'task')} that lost something, worst first: mean Shapley"
        " over items, and the most valuable loss of the worst item."
    )
    yield _section(
        "worst tasks",
        element("p", note, class_="note"),
        element("ul", *legend, class_="legend") if len(series) > 1 else Markup(),
        _scrolled("worst tasks", top, body),
    )


def _address(name: str, value: str) -> str:
    """The list of items with one filter set; what UTF-8 cannot hold finds nothing."""
    return f"#{name}={quote(value, safe='', errors='replace')}"


def _text(words: str) -> Markup:
    """Words of unknown script and origin, kept apart from the direction of what stands around them."""
    return element("bdi", words)

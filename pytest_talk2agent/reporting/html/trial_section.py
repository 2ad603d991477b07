"""What agents did, on the page: Native against execution as a plot, then each transcript with criteria and commands.

It needs no script. What agents and recognisers said is text, with what cannot be seen spelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt

from pytest_talk2agent.execution.record import Step
from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.reporting.html.markup import COLOURS, Markup, element
from pytest_talk2agent.reporting.losses import show_score
from pytest_talk2agent.reporting.trial_report import expectation
from pytest_talk2agent.reporting.visible import visible, visible_line
from pytest_talk2agent.results.verdict import show
from pytest_talk2agent.tasks.errors import counted

MOST = 400
"""So many transcripts are on the page; ``results.jsonl`` has all."""
MOST_STEPS = 40
"""So many of the last commands of a trial are."""
SIZE, LEFT, BOTTOM, TOP = 260, 44, 40, 14
_TICKS = tuple(Fraction(n, 4) for n in range(5))

Rounds = Sequence[TrialResult]


def trial_section(executed: Executed) -> Iterator[Markup]:
    """The section; nothing where nothing was executed."""
    if not executed.trials:
        return
    pairs = _pairs(executed.trials)
    series = {name: number for number, name in enumerate(dict.fromkeys(row.condition for row in executed.trials))}
    legend = [element("li", _mark(number), _line(name)) for name, number in series.items()]
    yield element(
        "section",
        element("h2", "Native against execution", id="executed"),
        element("ul", *legend, class_="legend"),
        element("div", *_plots(pairs, series), class_="wide plots"),
        element("p", _plot_note(pairs), class_="note"),
        aria_labelledby="executed",
    )
    ordered = sorted(pairs, key=_worst_first)
    items = [_pair(rounds) for rounds in ordered[:MOST]]
    more = len(ordered) - MOST
    note = [element("p", f"{more:,} more transcripts are in results.jsonl.", class_="note")] if more > 0 else []
    yield element(
        "section",
        element("h2", "what agents did", id="trials"),
        *items,
        *note,
        aria_labelledby="trials",
        class_="trials",
    )


def _pairs(trials: Sequence[TrialResult]) -> list[Rounds]:
    found: dict[tuple[str, str, str, str], list[TrialResult]] = {}
    for row in trials:
        found.setdefault(row.pair, []).append(row)
    return list(found.values())


def _mean(rounds: Rounds) -> Fraction | None:
    scores = [row.score for row in rounds if row.score is not None]
    return sum(scores, Fraction(0)) / len(scores) if scores else None


def _worst_first(rounds: Rounds) -> tuple[bool, Fraction, str]:
    mean = _mean(rounds)
    return mean is not None, mean or Fraction(0), rounds[0].node


def _mark(number: int) -> Markup:
    dot = element("circle", cx=7, cy=9, r=4.5, class_=f"dot s{number % COLOURS}")
    return element("svg", dot, class_="key", viewBox="0 0 14 18", aria_hidden="true")


def _plots(pairs: Sequence[Rounds], series: Mapping[str, int]) -> Iterator[Markup]:
    """One plot for each agent."""
    for agent in dict.fromkeys(rounds[0].agent for rounds in pairs):
        yield _scatter(agent, [rounds for rounds in pairs if rounds[0].agent == agent], series)


def _scatter(agent: str, pairs: Sequence[Rounds], series: Mapping[str, int]) -> Markup:
    counts: dict[tuple[float, float, int], list[str]] = {}
    for rounds in pairs:
        first, mean = rounds[0], _mean(rounds)
        if first.native is None or mean is None:
            continue
        place = (_x(first.native.midpoint), _y(mean), series[first.condition])
        counts.setdefault(place, []).append(f"{first.key} under {first.condition}")
    parts = [*_axes(), element("text", _line(agent, plain=True), x=LEFT, y=TOP - 3, class_="tick")]
    for (x, y, number), names in sorted(counts.items(), key=lambda one: -len(one[1])):
        said = f"{len(names)}: {', '.join(names[:8])}{' and others' if len(names) > 8 else ''}"
        dot = element("circle", cx=x, cy=y, r=round(3 + sqrt(len(names)), 1), class_=f"dot s{number % COLOURS}")
        parts.append(element("g", element("title", visible_line(said)), dot))
    width, height = LEFT + SIZE + 12, TOP + SIZE + BOTTOM
    label = f"Native against execution by {visible_line(agent)}: {counted(len(pairs), 'transcript')}"
    return element("svg", *parts, class_="scatter", viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


def _axes() -> Iterator[Markup]:
    for tick in _TICKS:
        x, y = _x(tick), _y(tick)
        yield element("line", x1=x, x2=x, y1=TOP, y2=TOP + SIZE, class_="axis")
        yield element("line", x1=LEFT, x2=LEFT + SIZE, y1=y, y2=y, class_="axis")
        yield element("text", show(tick), x=x, y=TOP + SIZE + 15, text_anchor="middle", class_="tick")
        yield element("text", show(tick), x=LEFT - 6, y=y + 4, text_anchor="end", class_="tick")
    yield element("line", x1=_x(Fraction(0)), y1=_y(Fraction(0)), x2=_x(Fraction(1)), y2=_y(Fraction(1)), class_="axis")
    yield element("text", "Native", x=LEFT + SIZE / 2, y=TOP + SIZE + 32, text_anchor="middle", class_="tick")
    middle = TOP + SIZE / 2
    turned = f"rotate(-90 12 {middle})"
    yield element("text", "execution", x=12, y=middle, text_anchor="middle", transform=turned, class_="tick")


def _x(value: Fraction) -> float:
    return round(LEFT + float(min(max(value, Fraction(0)), Fraction(1))) * SIZE, 1)


def _y(value: Fraction) -> float:
    return round(TOP + SIZE - float(value) * SIZE, 1)


def _plot_note(pairs: Sequence[Rounds]) -> str:
    undefined = sum(rounds[0].native is None for rounds in pairs)
    missing = sum(_mean(rounds) is None for rounds in pairs)
    parts = [
        "A dot is a transcript, at the mean of its rounds; a larger one is several. Open scores stand in the middle."
    ]
    if undefined:
        parts.append(f"{undefined:,} have no Native and are left out.")
    if missing:
        parts.append(f"{missing:,} have no executed score and are left out.")
    return " ".join(parts)


def _pair(rounds: Rounds) -> Markup:
    first, mean = rounds[0], _mean(rounds)
    failed = mean is None or any(row.fails for row in rounds)
    scores = f"execution {'missing' if mean is None else show(mean)}"
    facts = f"projection {show_score(first.predicted)} · Native {show_score(first.native)}"
    head = element(
        "summary",
        element("span", scores, class_=f"state {'failed' if failed else 'passed'}"),
        " ",
        element("b", _line(first.task)),
        " ",
        element("small", _line(f"{first.take} · {first.condition} · {first.agent}".removeprefix(" · "))),
        " ",
        element("small", f"{facts} · Shapley {show_score(first.shapley)} · {expectation(first)}"),
    )
    return element(
        "details",
        head,
        element("p", element("small", "said "), _line(first.said)),
        element("p", element("small", "heard "), _line(first.heard or "nothing")),
        _criteria(rounds),
        *(_round(row) for row in rounds),
        class_="trial",
    )


def _criteria(rounds: Rounds) -> Markup:
    names = list(dict.fromkeys(name for row in rounds for name in row.record.criteria))
    if not names:
        return Markup()
    heads = ["criterion", "heard", *(f"round {row.round}" for row in rounds), "why"]
    body = []
    for name in names:
        found = [row.record.criteria.get(name) for row in rounds]
        why = next((one.why for one in found if one is not None and not one.held), "")
        marks = ["-" if one is None else "✓" if one.held else "✗" for one in found]
        label = rounds[0].labels.get(name, "fixed")
        cells = [element("td", label), *(element("td", mark, class_="n") for mark in marks), element("td", _line(why))]
        body.append(element("tr", element("th", _line(name), scope="row"), *cells))
    top = [element("th", head, scope="col", class_="n" if head.startswith("round") else None) for head in heads]
    return element("table", element("thead", element("tr", *top)), element("tbody", *body))


def _round(row: TrialResult) -> Markup:
    record = row.record
    score = "no score" if row.score is None else show(row.score)
    cost = "".join(f", {name} {amount:g}" for name, amount in sorted(record.cost.items()))
    state = "" if record.state == "scored" else f", {record.state.replace('_', ' ')}: {record.reason}"
    steps = record.steps[-MOST_STEPS:]
    left = len(record.steps) - len(steps)
    more = [element("p", f"The first {left} commands are in results.jsonl.", class_="note")] if left else []
    head = f"round {row.round}: {score}, {len(record.steps)} commands, {record.seconds:g} s{cost}{state}"
    return element("details", element("summary", _line(head)), *more, *(_step(step) for step in steps))


def _step(step: Step) -> Markup:
    ended = step.stopped or (f"status {step.status}" if step.status else "")
    return element(
        "div",
        element("pre", f"$ {visible(step.command)}"),
        element("pre", visible(step.output), class_="muted") if step.output else Markup(),
        element("small", visible_line(ended)) if ended else Markup(),
        class_="step",
    )


def _line(words: str, *, plain: bool = False) -> Markup | str:
    """One line of somebody's words, kept apart from the direction of what stands around them."""
    return visible_line(words) if plain else element("bdi", visible_line(words))

"""HTML and SVG that are escaped by construction: everything that is not `Markup` is text.

Plots are coloured by classes, so that they follow the page from light to dark and onto paper.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.verdict import show_interval

VOID = frozenset({"meta", "link", "input"})


class Markup(str):
    """A piece of finished HTML."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | float | bool | None) -> Markup:
    """An element; children and attribute values that are not `Markup` are escaped.

    An underscore at the end of an attribute's name is dropped, others become hyphens; None and False leave it out.
    """
    given = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        plain = key.removesuffix("_").replace("_", "-")
        given.append(plain if value is True else f'{plain}="{html.escape(str(value))}"')
    head = " ".join([name, *given])
    if name in VOID:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{join(children)}</{name}>")


def join(children: tuple[str, ...] | list[str]) -> Markup:
    """Pieces one after the other, text among them escaped."""
    return Markup("".join(c if isinstance(c, Markup) else html.escape(c, quote=False) for c in children))


def data_block(identifier: str, value: object) -> Markup:
    """Plain values as a block that a browser neither runs nor can leave early.

    No ``<`` is left, so neither an end tag nor a comment can begin in it; JSON reads the escape as the same character.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(f'<script type="application/json" id="{html.escape(identifier)}">{safe}</script>\n')


def asset(name: str) -> str:
    """The text of a style or script that a page carries."""
    return files(__package__).joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def source_hash(text: str) -> str:
    """What a content security policy allows a style or script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


WIDTH, HEIGHT, MARGIN = 240, 18, 7
COLOURS = 8
"""How many conditions have a colour of their own; the next ones begin again."""

SHAPES = ("circle", "square", "diamond", "triangle")


@dataclass(frozen=True)
class Dot:
    """One value on a scale from 0 to 1, with the interval it may lie in; ``series`` chooses colour and shape."""

    series: int
    interval: Interval
    label: str
    hollow: bool = False


def dot_strip(dots: Sequence[Dot]) -> Markup:
    """Dots on a line from 0 to 1; what lies outside of it is drawn at its end. The text names every value."""
    parts = [element("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=HEIGHT / 2, y2=HEIGHT / 2, class_="axis")]
    for tick in (Fraction(0), Fraction(1, 2), Fraction(1)):
        parts.append(element("line", x1=_x(tick), x2=_x(tick), y1=5, y2=HEIGHT - 5, class_="axis"))
    for dot in reversed(dots):
        colour = f"s{dot.series % COLOURS}"
        if not dot.interval.is_point:
            low, high = _x(dot.interval.low), _x(dot.interval.high)
            parts.append(element("line", x1=low, x2=high, y1=HEIGHT / 2, y2=HEIGHT / 2, class_=f"range {colour}"))
        shape = element(
            "path",
            d=_outline(dot.series, _x(dot.interval.midpoint)),
            class_=f"{'ring' if dot.hollow else 'dot'} {colour}",
        )
        parts.append(element("g", element("title", _said(dot)), shape))
    return _svg("strip", ", ".join(map(_said, dots)), parts, WIDTH, HEIGHT)


def share_bar(share: Fraction, series: int, label: str) -> Markup:
    """A bar from 0 to 1."""
    width, height = 80, 8
    filled = round(float(min(max(share, Fraction(0)), Fraction(1))) * width, 1)
    parts = [
        element("rect", x=0, y=0, width=width, height=height, class_="track"),
        element("rect", x=0, y=0, width=filled, height=height, class_=f"bar s{series % COLOURS}"),
    ]
    return _svg("share", label, parts, width, height)


def legend_mark(series: int) -> Markup:
    """The dot of a series on its own."""
    dot = element("path", d=_outline(series, 7.0), class_=f"dot s{series % COLOURS}")
    return element("svg", dot, class_="key", viewBox=f"0 0 14 {HEIGHT}", aria_hidden="true")


def _svg(name: str, label: str, parts: Sequence[Markup], width: int, height: int) -> Markup:
    return element("svg", join(list(parts)), class_=name, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


def _x(value: Fraction) -> float:
    inside = float(min(max(value, Fraction(0)), Fraction(1)))
    return round(MARGIN + inside * (WIDTH - 2 * MARGIN), 1)


def _outline(series: int, x: float) -> str:
    middle, r = HEIGHT / 2, 4.5
    shape = SHAPES[series % len(SHAPES)]
    if shape == "circle":
        return f"M{x - r:.1f} {middle}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
    if shape == "square":
        return f"M{x - 4:.1f} {middle - 4}h8v8h-8z"
    if shape == "diamond":
        return f"M{x:.1f} {middle - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"
    return f"M{x:.1f} {middle - 5}l5 9h-10z"


def _said(dot: Dot) -> str:
    return f"{dot.label} {show_interval(dot.interval)}"

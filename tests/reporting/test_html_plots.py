"""Small plots: where a value stands, and that a reader who does not see it is told."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from pytest_talk2agent.reporting.html.markup import MARGIN, SHAPES, WIDTH, Dot, dot_strip, legend_mark, share_bar
from tests.results.builders import interval


@pytest.mark.parametrize(
    ("value", "x"),
    [("0", MARGIN), ("1/2", WIDTH / 2), ("1", WIDTH - MARGIN), ("3/2", WIDTH - MARGIN), ("-1/2", MARGIN)],
)
def test_a_dot_stands_at_its_value_or_at_the_end_of_the_scale(value: str, x: float) -> None:
    image = ElementTree.fromstring(dot_strip([Dot(0, interval(value), "tiny")]))
    path = image.find("g/path")
    assert path is not None
    assert path.attrib["d"].startswith(f"M{x - 4.5:.1f} 9.0a4.5")


def test_an_interval_is_a_line_and_every_value_is_said() -> None:
    dots = [Dot(0, interval("1/4", "3/4"), "a"), Dot(9, interval("1"), "<b>", hollow=True)]
    image = ElementTree.fromstring(dot_strip(dots))
    assert image.attrib["aria-label"] == "a [0.25, 0.75], <b> 1"
    ranges = [line.attrib for line in image.iter("line") if line.attrib["class"].startswith("range")]
    assert [(line["x1"], line["x2"], line["class"]) for line in ranges] == [("63.5", "176.5", "range s0")]
    assert [path.attrib["class"] for path in image.iter("path")] == ["ring s1", "dot s0"]  # the first on top
    assert [title.text for title in image.iter("title")] == ["<b> 1", "a [0.25, 0.75]"]


def test_each_shape_is_drawn_and_they_come_again() -> None:
    shapes = [legend_mark(number).partition('d="')[2] for number in range(len(SHAPES) + 1)]
    assert len({shape.partition('"')[0] for shape in shapes}) == len(SHAPES)


@pytest.mark.parametrize(
    ("share", "width"), [("0", "0.0"), ("1/4", "20.0"), ("1", "80.0"), ("2", "80.0"), ("-1", "0.0")]
)
def test_a_bar_is_as_long_as_its_share(share: str, width: str) -> None:
    image = ElementTree.fromstring(share_bar(Fraction(share), 2, "1/4 lost"))
    assert [bar.attrib["width"] for bar in image.iter("rect")] == ["80", width]
    assert image.attrib["aria-label"] == "1/4 lost"

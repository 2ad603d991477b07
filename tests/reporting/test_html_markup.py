"""What is escaped by construction, and plots made of it."""

from __future__ import annotations

import json
from fractions import Fraction
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.reporting.html.markup import (
    MARGIN,
    SHAPES,
    WIDTH,
    Dot,
    Markup,
    data_block,
    dot_strip,
    element,
    join,
    legend_mark,
    share_bar,
)
from tests.results.builders import interval

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt;",
    "\u2028\u2029\x00\x85",
    "\udcff",
]


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00")) | st.sampled_from(HOSTILE[:6]))
def test_text_and_attributes_come_out_as_they_went_in(text: str) -> None:
    seen = read(element("p", text, title=text))
    assert seen.tags == [("p", {"title": text})]
    assert seen.text == text


def test_finished_markup_is_left_alone_and_attributes_are_named_as_in_html() -> None:
    inner = element("b", "1 < 2")
    made = element("td", inner, " & ", class_="n", aria_label="x", hidden=True, title=None, open=False, colspan=2)
    assert made == '<td class="n" aria-label="x" hidden colspan="2"><b>1 &lt; 2</b> &amp; </td>'
    assert isinstance(made, Markup)
    assert join(["<", Markup("<br>")]) == "&lt;<br>"


def test_an_empty_element_has_no_end() -> None:
    assert element("meta", name="viewport", content="a") == '<meta name="viewport" content="a">'


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_data_block_ends_it_and_all_comes_back(text: str) -> None:
    block = data_block("index", {"text": text, text: [text]})
    start, end = block.index(">") + 1, block.rindex("</script>")
    assert "<" not in block[start:end]
    assert not set("\u2028\u2029") & set(block)
    assert json.loads(block[start:end]) == {"text": text, text: [text]}


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        data_block("index", [float("nan")])


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

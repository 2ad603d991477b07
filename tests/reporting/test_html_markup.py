"""HTML by construction: text is text, wherever it comes from."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.reporting.html.markup import Markup, data_block, element, join

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

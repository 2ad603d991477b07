from __future__ import annotations

import pytest

from pytest_talk2agent.context.headings import DOCUMENTS, headings
from pytest_talk2agent.context.workspace import MOST_BYTES

MARKDOWN = """\
---
title: no heading
---
# Tide *service* #

Text
====

```sh
# export TOKEN=abc
```
<!--
# hidden
-->
## [Roll back](docs/back.md) with `tidectl`

- item
---
Nora Lindgren
-------------
#no heading
"""
RST = """\
============
Tide service
============

Roll back
---------

::

    Hidden
    ------

=====  =====
a      b
=====  =====
"""
HTML = "<html><head><title>Tide service</title></head><body><h2>Roll <b>back</b></h2><p>text</p><h7>no</h7>"


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        (".md", MARKDOWN, ["Tide  service", "Text", "Roll back with  tidectl", "Nora Lindgren"]),
        (".markdown", "# A\r\n\r\n## B\r\n", ["A", "B"]),
        (".rst", RST, ["Tide service", "Roll back"]),
        (".html", HTML, ["Tide service", "Roll back"]),
        (".htm", "<h1>open", ["open"]),
        (
            ".htm",
            "<H1 class=x>A &amp; B</H1><!-- <h2>no</h2> --><script>'<h2>no'</script><h2>C<h3>D",
            ["A & B", "C", "D"],
        ),
        (".md", "", []),
    ],
)
def test_headings_by_markup(suffix: str, text: str, expected: list[str]) -> None:
    assert headings(text, suffix) == expected


LONG = ("[a](", "<h1>", "<!--", "#", "=", "`", "a ", "<", "<a ", '<h1 a="', "# ", "*", "&#")


@pytest.mark.parametrize("suffix", sorted(DOCUMENTS))
@pytest.mark.parametrize("piece", LONG)
def test_a_line_without_end_is_no_heading(suffix: str, piece: str) -> None:
    """The largest file that is read; with patterns that take the square of a line's length this would never end."""
    found = headings(piece * (MOST_BYTES // len(piece)), suffix)
    assert not any(heading.strip("&#") for heading in found)

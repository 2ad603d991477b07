from __future__ import annotations

import pytest

from pytest_talk2agent.context.headings import headings

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
        (".md", "", []),
    ],
)
def test_headings_by_markup(suffix: str, text: str, expected: list[str]) -> None:
    assert headings(text, suffix) == expected

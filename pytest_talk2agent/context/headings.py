"""Headings of a document, by its markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

MARKDOWN = frozenset((".md", ".markdown"))
DOCUMENTS = MARKDOWN | {".rst", ".html", ".htm"}
"""Suffixes of the files whose headings are read."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ATX = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_SETEXT = re.compile(r"^(?![ \t]|[-*+>|#]|\d+[.)])(.+)\n(?:=+|-{2,})[ \t]*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?![ \t]|\.\. )(.*[^\W_].*)\n([=\-`:'\"~^_*+#<>.])\2{2,}[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?")
_MARKS = re.compile(r"[*`~|]+|<[^>]*>")


def headings(text: str, suffix: str) -> list[str]:
    """The headings in order, without markup; those of code blocks, comments and front matter are none."""
    text = text.replace("\r\n", "\n")
    if suffix in MARKDOWN:
        text = _COMMENT.sub("", _FENCE.sub("", _FRONT_MATTER.sub("", text)))
        found = sorted((match.start(), match[1]) for pattern in (_ATX, _SETEXT) for match in pattern.finditer(text))
        return [_plain(heading) for _, heading in found]
    if suffix == ".rst":
        return [_plain(match[1]) for match in _UNDERLINED.finditer(text)]
    parser = _Headings()
    parser.feed(text)
    parser.close()
    return parser.found


def _plain(heading: str) -> str:
    return _MARKS.sub(" ", _LINK.sub(r"\1", heading)).strip()


class _Headings(HTMLParser):
    """Collects the text of `h1` to `h6` and of the title."""

    _TAGS = frozenset(("title", "h1", "h2", "h3", "h4", "h5", "h6"))

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._TAGS:
            self._inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._TAGS:
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data

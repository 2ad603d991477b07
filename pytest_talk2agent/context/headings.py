"""Headings of a document, by its markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

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
_CODE = re.compile(r"<(script|style)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>title|h[1-6])(?![\w-])[^<>]*>|<[^<>]*>", re.IGNORECASE)
_LONG = re.compile(r"^.{401,}$", re.MULTILINE)
"""Lines that are no headings, and would take the patterns above a time of many times their length."""
_MARKS = re.compile(r"[*`~|]+|<[^>]*>")


def headings(text: str, suffix: str) -> list[str]:
    """The headings in order, without markup; those of code blocks, comments and front matter are none."""
    text = text.replace("\r\n", "\n")
    if suffix in MARKDOWN or suffix == ".rst":
        text = _LONG.sub("", text)
    if suffix in MARKDOWN:
        text = _COMMENT.sub("", _FENCE.sub("", _FRONT_MATTER.sub("", text)))
        found = sorted((match.start(), match[1]) for pattern in (_ATX, _SETEXT) for match in pattern.finditer(text))
        return [_plain(heading) for _, heading in found]
    if suffix == ".rst":
        return [_plain(match[1]) for match in _UNDERLINED.finditer(text)]
    return list(_in_tags(_COMMENT.sub("", _CODE.sub("", text))))


def _plain(heading: str) -> str:
    return _MARKS.sub(" ", _LINK.sub(r"\1", heading)).strip()


def _in_tags(text: str) -> Iterator[str]:
    """The text of `h1` to `h6` and of the title; in one pass, as the parser of the library takes the square of it."""
    parts: list[str] | None = None
    last = 0
    for tag in _TAG.finditer(text):
        if parts is not None:
            parts.append(text[last : tag.start()])
        last = tag.end()
        if tag["name"]:
            if parts is not None:
                yield html.unescape("".join(parts))
            parts = None if tag["end"] else []
    if parts is not None:
        yield html.unescape("".join([*parts, text[last:]]))

"""The names that a file offers: keys of a configuration, headings of a document, identifiers of code."""

from __future__ import annotations

import configparser
import html
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import yaml

from pytest_talk2agent.speech.words import listed

DEEPEST = 100
"""No configuration is nested deeper, and a parser takes the square of the depth."""
_PROPERTY = re.compile(r"^[ \t\f]*(?![#!])((?:\\.|[^\s:=\\])+)[ \t\f]*[:=]", re.MULTILINE)
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
CODE = frozenset(
    listed(
        ".py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .go .rs .c .h .cc .cpp .cxx .hpp .cs .swift .m"
        " .dart .rb .php .pl .pm .r .jl .lua .sql .hs .vue .svelte .sh .bash .zsh"
    )
)
"""Suffixes of the files whose identifiers are read."""
_SHELL = frozenset((".sh", ".bash", ".zsh"))
_STRINGS = (
    r"'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)|`(?:\\.|[^`\\])*(?:`|\Z)|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?"
)
_HEREDOC = r"<<[-~]?(['\"]?)(?P<end>[A-Z_]\w*)\1[^\n]*\n.*?^\s*(?P=end)\b"
_COMMENTS = r"/\*.*?(?:\*/|\Z)|//[^\n]*|\#[^\n]*"
_NOT_CODE = re.compile(f"{_HEREDOC}|{_STRINGS}|{_COMMENTS}", re.DOTALL | re.MULTILINE)
_DASH_COMMENT = re.compile(r"--[^\n]*")
_DASHED = frozenset((".sql", ".lua", ".hs"))
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEFINED = re.compile(
    r"\b(?:def|class|function\*?|func|fn|fun|struct|enum|union|interface|trait|type|module|namespace|const|let|var|val"
    r"|static|sub|record|protocol|extension|table|index|view|procedure|trigger)[ \t]+(?:mut[ \t]+|if not exists[ \t]+)?"
    r"(?:\([^)\n]*\)[ \t]*)?([^\W\d]\w*)"
    r"|^[ \t]*(?:\w+\.)*([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)"
    r"|\b([^\W\d]\w*)[ \t]*\([^()]*\)[^;(){}=]*\{",
    re.MULTILINE | re.IGNORECASE,
)
"""A keyword that defines and the name behind it; what is assigned at the begin of a line; a function with its body."""
_SHELL_NAME = re.compile(
    r"^[ \t]*(?:(?:export|local|readonly|declare|typeset)[ \t]+(?:-\w+[ \t]+)*)?([^\W\d]\w*)="
    r"|^[ \t]*(?:function[ \t]+)?([^\W\d][\w-]*)[ \t]*\(\)",
    re.MULTILINE,
)
_SEVERAL_PARTS = re.compile(r"[^\W_]_+[^\W_]|[a-z\d][A-Z]|[A-Z]{2}[a-z]|[^\W\d_]{2}\d")


def keys(text: str, suffix: str) -> list[str]:
    """The keys and section names of a configuration file, in order; none where it is malformed.

    ``suffix`` is one of `CONFIGURATION`.
    """
    return _READERS[suffix](text)


def _json(text: str) -> list[str]:
    found: list[str] = []

    def collect(pairs: list[tuple[str, object]]) -> None:
        found.extend(key for key, _ in pairs)

    try:
        json.loads(text, object_pairs_hook=collect)
    except (ValueError, RecursionError):
        return []
    return found


def _yaml(text: str) -> list[str]:
    found: list[str] = []
    # For each open collection: whether the next node is a key of it. Events need no recursion and follow no alias.
    stack: list[bool | None] = []

    def node() -> bool:
        """Count a node; whether it is a key."""
        if not stack or stack[-1] is None:
            return False
        is_key = stack[-1]
        stack[-1] = not is_key
        return is_key

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent):
                if node():
                    found.append(event.value)
            elif isinstance(event, yaml.AliasEvent):
                node()
            elif len(stack) == DEEPEST and isinstance(event, yaml.CollectionStartEvent):
                return []
            elif isinstance(event, yaml.MappingStartEvent):
                node()
                stack.append(True)
            elif isinstance(event, yaml.SequenceStartEvent):
                node()
                stack.append(None)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
    except yaml.YAMLError:
        return []
    return found


def _toml(text: str) -> list[str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pytest needs it there, too
        import tomli as tomllib

    try:
        todo: list[object] = [tomllib.loads(text)]
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    found: list[str] = []
    while todo:
        value = todo.pop(0)
        if isinstance(value, dict):
            found.extend(value)
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return found


def _ini(text: str) -> list[str]:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    sections = [parser.default_section, *parser.sections()]
    named: Iterable[str] = parser.sections()
    return [*named, *(key for section in sections for key in parser[section])]


def _properties(text: str) -> list[str]:
    joined = re.sub(r"\\\r?\n", "", text)
    return _PROPERTY.findall(joined)


_READERS: dict[str, Callable[[str], list[str]]] = {
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".toml": _toml,
    ".ini": _ini,
    ".cfg": _ini,
    ".properties": _properties,
}
CONFIGURATION = frozenset(_READERS)
"""Suffixes of the files whose keys are read."""


def headings(text: str, suffix: str) -> list[str]:
    """The headings in order, without markup; lines in code blocks, comments and front matter do not count."""
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


class Identifiers(NamedTuple):
    """The names that a text defines, and all that it uses, the defined ones among them."""

    defined: frozenset[str]
    used: frozenset[str]


def identifiers(text: str, suffix: str) -> Identifiers:
    """The names of several parts (`load_rows`, `loadRows`, `utf8`) in a text of code.

    One scan serves all languages: quotation marks of every sort begin a string, ``#``, ``//`` and ``/*`` a comment.
    Where a language means something else by them names are lost; text of a string never comes out. A shell's words are
    not marked as strings, so there only names that are assigned or are functions count. A name of one word is either
    an English word or an abbreviation, and is left out.
    """
    code = _NOT_CODE.sub(" ", text)
    if suffix in _DASHED:
        code = _DASH_COMMENT.sub(" ", code)
    defining = _SHELL_NAME if suffix in _SHELL else _DEFINED
    defined = _named(group for found in defining.finditer(code) for group in found.groups() if group)
    return Identifiers(defined, defined if suffix in _SHELL else _named(_IDENTIFIER.findall(code)))


def _named(names: Iterable[str]) -> frozenset[str]:
    return frozenset(
        name for name in names if _SEVERAL_PARTS.search(name) and not (name.startswith("__") and name.endswith("__"))
    )

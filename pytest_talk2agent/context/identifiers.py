"""Names that code defines, and where it uses them; nothing of its strings and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pytest_talk2agent.speech.words import listed

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

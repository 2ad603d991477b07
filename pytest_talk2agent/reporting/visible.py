r"""Text that was heard, named or thrown elsewhere, made fit for a terminal and the log of a CI service.

Characters that steer a terminal or are invisible are spelled as Python escapes: ``\x1b`` for an escape, ``\u202e`` for
a change of the reading direction, ``\u200b`` for a blank of no width. What a service would take for a command is broken
up by spelling one character of it: ``##\x5bgroup]``, and ``\x3a:stop`` where that would begin a line. All else stays
as it is, so plain text is unchanged, and text that was made visible is.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Sequence

_UNSEEN = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 without the line feed, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # no width, directions, line and paragraph separators
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # half a character
    "\ufdd0-\ufdef\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_JOINING = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""What Persian, Hindi and emoji are written with: it stays where it stands in them, and is spelled elsewhere."""
_KEYCAP = "\u20e3"
_LOGGED = re.compile(r"(##\w*)\[")  # GitHub and Azure look for it anywhere in a line, TeamCity too
_BEGINS = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_LINE_END = re.compile(r"\r?\n")
_BREAK = re.compile("\r\n|[\t\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")
"""What Unicode calls the end of a line, and the tab."""
_ASCII = str.maketrans(
    {
        **dict.fromkeys("█▓■", "#"),
        **dict.fromkeys("·•…", "."),
        **dict.fromkeys("–—−‐‑", "-"),
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("│┃", "|"),
        "→": ">",
        "←": "<",
        "↑": "^",
        "↓": "v",
        "×": "x",
        "\u00a0": " ",
    }
)


def visible(text: str) -> str:
    """The text with all that cannot be seen, or would be taken for a command, spelled; line feeds stay."""
    return _BEGINS.sub(r"\1\\x3a", _LOGGED.sub(r"\1\\x5b", spelled(_LINE_END.sub("\n", text))))


def visible_line(text: str) -> str:
    """The same on one line: a blank for each line break, whatever its character, and for each tab."""
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text  # as most are, and every result has a score of them
    return visible(_BREAK.sub(" ", text))


def visible_lines(lines: Iterable[str]) -> list[str]:
    """The same for each of several lines."""
    return [visible_line(line) for line in lines]


def spelled(text: str) -> str:
    """The text with the characters spelled that cannot be seen, and with nothing else changed."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_spell, text)


def visible_json(text: str) -> str:
    """The text of a JSON value with the same characters escaped as JSON has it, which leaves the value as it is."""
    escaped = _UNSEEN.sub(lambda found: found[0] if _stays(found) else json.dumps(found[0])[1:-1], text)
    return _LOGGED.sub(r"\1\\u005b", escaped)


def _spell(found: re.Match[str]) -> str:
    return found[0] if _stays(found) else _python(found[0])


def _python(character: str) -> str:
    return character.encode("unicode-escape").decode("ascii")


def _stays(found: re.Match[str]) -> bool:
    return found[0] in _JOINING and _joins(found.string, found.start())


def _joins(text: str, at: int) -> bool:
    """Letters, marks or pictures outside ASCII stand on the side, or both sides, that the character needs."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] in "\ufe0e\ufe0f":
        return _is_seen(before) or (after == _KEYCAP and before in "0123456789#*" and before != "")
    # A selector may stand between a picture and what joins it to the next one.
    before = text[at - 2 : at - 1] if before in ("\ufe0e", "\ufe0f") else before
    return _is_seen(before) and _is_seen(after)


def _is_seen(character: str) -> bool:
    return character != "" and not character.isascii() and character.isprintable() and not _UNSEEN.match(character)


def encodable(text: str, encoding: str | None = None) -> str:
    """The text as a stream of an encoding can hold it: bars, arrows and quotation marks in ASCII, the rest escaped.

    Without ``encoding``, that of the terminal: pytest escapes a whole text, its line breaks too, where one character of
    it cannot be written.
    """
    encoding = encoding or terminal_encoding()
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return visible(text.translate(_ASCII)).encode(encoding, errors="backslashreplace").decode(encoding)
    return text


def terminal_encoding() -> str:
    """The encoding of the terminal that this process was started on, whatever captures its output now."""
    return "utf-8" if sys.__stdout__ is None else sys.__stdout__.encoding


def shell_word(text: str) -> str:
    r"""A text as one word of a command line, readable before it is pasted.

    Where it holds what cannot be seen, the quotes are those of bash and zsh that know escapes: ``$'a\x1bb'``.
    """
    if visible_line(text) == text:
        return shlex.quote(text)
    quoted = "".join({"\\": "\\\\", "'": "\\'", "\n": "\\n"}.get(one, one) for one in text)
    return "$'" + _LOGGED.sub(r"\1\\x5b", _UNSEEN.sub(lambda found: _byte(found[0]), quoted)) + "'"


def _byte(character: str) -> str:
    """A byte of a file name that is no UTF-8 is that byte again in the shell."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if 0x80 <= code < 0x100 else _python(character)  # there, \\x would be a byte


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell, two blanks apart; no trailing blanks."""
    head, *rows = map(visible_lines, [head, *rows])
    everything = [head, *rows]
    widths = [max(len(row[column]) for row in everything) for column in range(len(head))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in everything)
    return ["  ".join(row).rstrip() for row in padded]

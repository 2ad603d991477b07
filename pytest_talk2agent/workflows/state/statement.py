"""One SQL statement: its parameters, what it must not use, its form for each database, and the record of its run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# What holds no parameter: strings, quoted names, comments, dollar quotes, casts. Then a parameter, or an end.
_PIECE = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\1 | ::
    | :(?P<name>[A-Za-z_][A-Za-z0-9_]*) | (?P<end>;) | (?P<word>[A-Za-z_][A-Za-z0-9_]*)""",
    re.VERBOSE | re.DOTALL,
)
_UNREPEATABLE = {
    **dict.fromkeys(("now", "current_date", "current_time", "current_timestamp"), "time"),
    **dict.fromkeys(("localtime", "localtimestamp", "clock_timestamp", "timeofday"), "time"),
    **dict.fromkeys(("statement_timestamp", "transaction_timestamp"), "time"),
    **dict.fromkeys(("random", "randomblob", "gen_random_uuid", "setseed"), "chance"),
}
_INSTEAD = {"time": "use :today or :now", "chance": "take the value from a table of the seed"}


@dataclass(frozen=True)
class Ran:
    """A statement as it ran: its text, what it was given, how many rows it gave or changed, and why it failed."""

    sql: str
    parameters: Mapping[str, Any]
    rows: int
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values, as they stand in a session's log."""
        return {"sql": self.sql, "parameters": dict(self.parameters), "rows": self.rows, "error": self.error}


def parameters(sql: str) -> tuple[str, ...]:
    """The names after a colon, in their order, each once; what stands in strings and comments is no parameter."""
    return tuple(dict.fromkeys(piece["name"] for piece in _PIECE.finditer(sql) if piece["name"]))


def for_psycopg(sql: str) -> str:
    """The statement with ``%(name)s`` in the place of ``:name``, and every other percent sign doubled."""
    parts: list[str] = []
    end = 0
    for piece in _PIECE.finditer(sql):
        if piece["name"]:
            parts.extend([sql[end : piece.start()].replace("%", "%%"), f"%({piece['name']})s"])
            end = piece.end()
    return "".join([*parts, sql[end:].replace("%", "%%")])


def faults(sql: str) -> Iterator[str]:
    """What makes a statement unfit: that it is several or none, or depends on the time or on chance."""
    pieces = list(_PIECE.finditer(sql))
    ends = [piece.end() for piece in pieces if piece["end"]]
    if not any(piece["word"] for piece in pieces):
        yield "this is no statement"
    elif ends and any(piece["word"] for piece in pieces if piece.start() >= ends[0]):
        yield "these are several statements; write each one by itself"
    seen = set()
    for piece in pieces:
        word = (piece["word"] or "").casefold()
        # A column may have such a name; a function has a parenthesis behind it, the SQL constants have none.
        called = word.startswith(("current_", "local")) or sql[piece.end() :].lstrip().startswith("(")
        if word in _UNREPEATABLE and called and word not in seen:
            seen.add(word)
            kind = _UNREPEATABLE[word]
            yield f"`{word}` depends on {'the time' if kind == 'time' else 'chance'}; {_INSTEAD[kind]}"

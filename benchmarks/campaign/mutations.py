"""Seeded mutations of good inputs: of bytes, of words, and of the structure of plain values."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Sequence
from typing import Any

from campaign.leaves import Place, inner, leaves, removed, replaced

ODD_VALUES: Sequence[Any] = (
    None, True, False, 0, -1, 7, 10**400, 1e308, -0.0, float("nan"), float("inf"), "", " ", "x", "0", "1", "-1", "1/0",
    "nan", "inf", "1e999999999", "1e-999999999", "9" * 5_000, "\u0000", "\ud800", "\u02bc", "\u202e", "\x1b[2J", "a\nb",
    "../../etc/passwd", "/dev/zero", "~", "..", "x" * 10_000, [], {}, [None], [[]], {"x": None}, ["x", 1], {"": ""},
)  # fmt: skip
ODD_TEXTS: Sequence[str] = (
    "\u02bc", "\u2028", "\u00a0", "\u0301", "\u200d", "\ufeff", "\u2044", "\u00bd", "\u2460", "\u2075",
    "\u0660", "\U0001d7d8",
    "-", "--", "'", "\"", ".", "..", ",", ":", "::", "/", "\\", "@", "#", "%", "$", "&", "+", "=", "_", "~",
    "^", "*", "<", ">",
    "(", ")", "[", "]", "{", "}", "|", ";", "!", "?", "`", "\t", "\n", "\r", "\x00", "\x1b", "0", "00", "1",
    "-1", "9" * 40, "1e9",
    "$730", "07:30", "850,50", "1,2,3", "3.", ".5", "1/2", "2nd", "XIV", "not", "no", "never", "dot", "slash", "dash",
    "underscore", "at", "point", "hundred", "thousand", "million", "and", "half", "percent", "euros", "o'clock", "pm",
    "January", "tomorrow", "zero", "oh", "double", "triple", "capital", "letter", "new line", "comma",
    "http://", "a.b.c",
    "file.tar.gz", "C:\\x", "~/x", "x@y.z", "10.0.0.1", "::1", "#fff", "e.g.", "U.S.A.", "i", "I", "ein",
    "ß", "İ", "ﬃ", "中文",
)  # fmt: skip
_DEEP = re.compile(r'"@deep (list|object) (\d+)@"')
"""What stands for a value that is too deep to be built."""
_TOKENS = (
    b"\x00", b"\xff", b"\n", b"\r", b"\t", b" ", b"[", b"]", b"{", b"}", b'"', b"'", b":", b",", b"-", b"#", b"&a",
    b"*a",
    b"!!", b"|", b">", b"%", b"@", b"`", b"\\", b"\xc3", b"\xef\xbb\xbf", b"---\n", b"null", b"1e9", b"<<: ", b"? ",
)  # fmt: skip


def bytes_of(chance: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """One to five changes of bytes."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        data = _bytes_once(chance, data, others)
    return data


def _bytes_once(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    one, two = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    two = min(two, one + chance.choice((1, 2, 8, 64, 1_000)))
    how = chance.randrange(9)
    if how == 0 and data:
        place = chance.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
    if how == 1:
        return data[:one] + data[two:]
    if how == 2:
        return data[:two] + data[one:two] * chance.choice((1, 2, 50)) + data[two:]
    if how == 3:
        return data[:one] + chance.choice(_TOKENS) * chance.choice((1, 1, 3, 2_000)) + data[one:]
    if how == 4:
        return data[:one]
    if how == 5:
        return data[:one] + chance.randbytes(two - one) + data[two:]
    if how == 6 and others:
        other = chance.choice(others)
        return data[:one] + other[chance.randrange(len(other) + 1) :]
    if how == 7:
        lines = data.split(b"\n")
        chance.shuffle(lines) if chance.random() < 0.2 else lines.pop(chance.randrange(len(lines)))
        return b"\n".join(lines)
    return data[:one] + chance.choice(_TOKENS) + data[two:]


def value_of(chance: random.Random, document: Any) -> Any:
    """One or two changes of the structure: values replaced, dropped, renamed, repeated, moved or nested."""
    for _ in range(chance.choice((1, 1, 2))):
        document = _value_once(chance, document)
    return document


def _value_once(chance: random.Random, document: Any) -> Any:
    places = [place for place, _ in leaves(document)] + list(inner(document))
    place: Place = chance.choice(places)
    how = chance.randrange(7)
    if how == 0 and place:
        return removed(document, place)
    if how == 1:
        return replaced(document, place, f"@deep {chance.choice(('list', 'object'))} {chance.choice((3, 90, 2_000))}@")
    if how == 2:
        other = copy.deepcopy(_at(document, chance.choice(places)))
        return replaced(document, place, other)
    if how == 3 and place and isinstance(place[-1], str):
        value = _at(document, place)
        renamed = chance.choice((place[-1] + "s", "", place[-1].upper(), "schema", "x" * 300, "\u0000"))
        return replaced(removed(document, place), (*place[:-1], renamed), value)
    if how == 4:
        value = _at(document, place)
        return replaced(document, place, [value] * chance.choice((1, 2, 60)))
    if how == 5:
        return replaced(document, place, {str(_at(document, place))[:40]: _at(document, place)})
    return replaced(document, place, chance.choice(ODD_VALUES))


def json_of(chance: random.Random, document: Any, *, lines: bool = False) -> bytes:
    """A changed document as JSON, or as JSON Lines."""
    changed = value_of(chance, document)
    if lines and isinstance(changed, list):
        text = "".join(json.dumps(line) + "\n" for line in changed)
    else:
        text = json.dumps(changed)
    return _DEEP.sub(lambda found: _nested(int(found[2]), found[1]), text).encode()


def _nested(depth: int, kind: str) -> str:
    return "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth


def words_of(chance: random.Random, text: str) -> str:
    """One to six changes of words: dropped, repeated, swapped, joined, cut, or odd ones put in."""
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        words = text.split(" ")
        at = chance.randrange(len(words))
        how = chance.randrange(9)
        if how == 0:
            del words[at]
        elif how == 1:
            words[at:at] = [words[at]] * chance.choice((1, 2, 30))
        elif how == 2:
            chance.shuffle(words)
        elif how == 3:
            words[at : at + 2] = ["".join(words[at : at + 2])]
        elif how == 4:
            words[at] = words[at][: chance.randrange(len(words[at]) + 1)]
        elif how == 5:
            words[at] += chance.choice(ODD_TEXTS)
        elif how == 6:
            words[at] = chance.choice(ODD_TEXTS) + words[at]
        elif how == 7:
            words[at] = words[at].upper() if chance.random() < 0.5 else words[at][::-1]
        else:
            words[at:at] = chance.choices(ODD_TEXTS, k=chance.choice((1, 1, 4, 40)))
        text = " ".join(words)
    return text


def _at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document

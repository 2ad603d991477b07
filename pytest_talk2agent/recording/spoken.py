"""How one literal is spoken: candidates in the order in which a style prefers them, each held to come back.

What comes back is decided by the judge that later labels transcripts: a reading counts where the literal is retained
both against the script that says it and against the instruction that writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal as Either

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.number_words import cardinal, digits, in_pairs
from pytest_talk2agent.speech.saying import aloud, forms
from pytest_talk2agent.speech.symbols import SYMBOL_NAMES
from pytest_talk2agent.tasks.intention import Intention, Kind

Style = Either["people", "symbols"]
"""As people say it (`two point ten`, no `https`), or with every symbol and digit (`two dot one zero`)."""

STYLES: tuple[Style, ...] = ("people", "symbols")
SYMBOLIC: frozenset[Kind] = frozenset(
    ("path", "filename", "flag", "url", "email", "identifier", "version", "code", "text", "term")
)
_PIECE = re.compile(r"[^\W\d_]+|\d+|--|\s+|.", re.DOTALL)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]")
_WORDS_ONLY = re.compile(r"[^\W\d_][^\W\d_'. -]*(?:[ '.-]+[^\W\d_]+)*\.?")
_SHORT = frozenset("a am an as at be by do go he i if in is it me my no of off on or so to up us we".split())  # noqa: SIM905
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_CELL = re.compile(r"[A-Za-z]{1,3}-?\d{1,2}")
_SCHEME = re.compile(r"^https?://(?:www\.)?")


@lru_cache(maxsize=65536)
def comes_back(kind: Kind, value: str, spoken: str) -> bool:
    """Whether the judge retains a literal that was heard as it is spoken, alone in a sentence."""
    intention = Intention(say=value, kind=kind)
    written, said = f"set the value to {value} now", f"set the value to {spoken} now"
    return all(
        judge(Case(script, script, {"it": intention}, said)).findings["it"].label is Label.RETAINED
        for script in (said, written)
    )


@lru_cache(maxsize=65536)
def say(kind: Kind, value: str, style: Style = "people") -> str | None:
    """The first reading of a literal, by the order of the style, that comes back; None where none does."""
    return next((said for said in readings(kind, value, style) if comes_back(kind, value, said)), None)


def readings(kind: Kind, value: str, style: Style = "people") -> Iterator[str]:
    """Ways to say a literal in words alone, the preferred one first."""
    if kind not in SYMBOLIC:
        found = [form for form in forms(kind, value) if _WORDS_ONLY.fullmatch(form)]
        yield from found if style == "people" else sorted(found, key=_is_loose)
        yield from _amount(value)
    if kind == "url" and style == "people" and _SCHEME.match(value):
        yield from _symbolic(_SCHEME.sub("", value), style)
        yield from _symbolic(value.partition("://")[2], style)
    if kind == "version" and style == "people":
        yield from (said.replace(" dot ", " point ") for said in _symbolic(value, style))
    one_by_one = kind == "code" and not _CELL.fullmatch(value)
    plain = list(_symbolic(value, "symbols" if one_by_one else style))
    # `-l` and `-L` are two flags, and whoever asks for symbols in full wants capitals named everywhere.
    yield from reversed(plain) if kind == "flag" or style == "symbols" else plain
    yield from aloud(kind, value)
    yield from _symbolic(value, "symbols")
    spelled = _spelled(value)
    if spelled is not None:
        yield spelled


_AMOUNT = re.compile(r"(?P<sign>[^\d\s]*)\s?(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>\D*)")
_SAID_UNITS = {"¥": "yen", "Ah": "ampere hours", "mAh": "milliampere hours"}
"""What `speech.saying` leaves out: a sign of two currencies, and units whose names no list of units has."""


def _amount(value: str) -> Iterator[str]:
    found = _AMOUNT.fullmatch(value)
    unit = _SAID_UNITS.get((found["sign"] or found["unit"]).strip()) if found else None
    if found and unit:
        yield from (f"{said} {unit}" for said in forms("number", found["number"]) if _WORDS_ONLY.fullmatch(said))


def _is_loose(form: str) -> bool:
    """Whether a form leaves out what another states: the half of the day said in words, a number in halves."""
    return bool(re.search(r"half|quarter|morning|afternoon|evening|night", form))


def _symbolic(value: str, style: Style) -> Iterator[str]:
    words: list[str] = []
    capitals: list[str] = []
    for piece in _PIECE.findall(value):
        if piece.isspace():
            continue
        if piece[0].isdecimal():
            said = _digits(piece, style)
        elif piece[0].isalpha():
            said = _letters(piece)
            capitals.append(_marked(piece))
            words.append(said)
            continue
        elif piece in SYMBOL_NAMES and piece != "--":
            said = SYMBOL_NAMES[piece]
        elif piece == "--":
            said = "dash dash"
        else:
            return
        words.append(said)
        capitals.append(said)
    yield " ".join(words)
    if capitals != words:
        yield " ".join(capitals)


def _digits(piece: str, style: Style) -> str:
    if not piece.isascii():
        return piece
    if style == "people":
        if len(piece) == 4 and "1100" <= piece <= "2099":
            return in_pairs(piece) or cardinal(int(piece))
        if len(piece) < 3 and (piece[0] != "0" or piece == "0"):
            return cardinal(int(piece))
    return digits(piece)


def _letters(piece: str) -> str:
    """Words as they are, what nobody can pronounce by its letters; the words of a name in camel case one by one."""
    parts = _HUMP.findall(piece) if piece.isascii() else [piece]
    if len(parts) > 2 and sum(part.isupper() or len(part) < 3 for part in parts) > 1:
        return " ".join(piece.lower())  # drawn by chance rather than made of words
    said = " ".join(map(_word, parts))
    return f"camel case {said}" if len(parts) > 1 and parts[0].islower() else said


def _word(part: str) -> str:
    lower = part.lower()
    odd = len(part) < 3 and lower not in _SHORT
    unspeakable = len(part) < 6 and not _VOWEL.search(part)
    if part.isascii() and (odd or unspeakable or (part.isupper() and len(part) < 4 and len(part) > 1)):
        return " ".join(lower)
    return lower


def _marked(piece: str) -> str:
    """The same with its capitals named."""
    if piece.islower() or not piece.isascii():
        return _letters(piece)
    if piece.isupper():
        return " ".join(f"capital {letter.lower()}" for letter in piece)
    return " ".join(
        f"capital {_word(part)}" if part[0].isupper() and len(part) > 1 else _word(part)
        for part in _HUMP.findall(piece)
    )


def _spelled(value: str) -> str | None:
    """Every character by its name; None where one has none."""
    said = []
    for character in value:
        if character.isspace():
            continue
        if character.isascii() and character.isalpha():
            said.append(f"capital {character.lower()}" if character.isupper() else character)
        elif character.isascii() and character.isdecimal():
            said.append(digits(character))
        elif character in SYMBOL_NAMES:
            said.append(SYMBOL_NAMES[character])
        else:
            return None
    return " ".join(said)

"""How a term may be said, in sounds, and how far what was heard is from that, sound by sound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, islice, product
from math import inf

from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.sounds import sound_key
from pytest_talk2agent.speech.symbols import EXTENSION_SOUNDS
from pytest_talk2agent.speech.tokens import fold
from pytest_talk2agent.speech.words import NEGATORS, listed

LETTERS = {
    "a": "A", "b": "bE", "c": "sE", "d": "dE", "e": "E", "f": "ef", "g": "jE", "h": "AC", "i": "Y", "j": "jA",
    "k": "kA", "l": "el", "m": "em", "n": "en", "o": "O", "p": "pE", "q": "kiU", "r": "ar", "s": "es", "t": "tE",
    "u": "iU", "v": "vE", "w": "d@b@liU", "x": "eks", "y": "wY", "z": "zE",
}  # fmt: skip
"""The names of the letters, in the sounds of `sound_key`."""

_EXPANDED = str.maketrans({"L": "@l", "N": "@n", "R": "@r", "I": "E"})
_PART = re.compile(r"[^\W\d_a-z]+(?![^\W\d_A-Z])|[^\W\d_]?[^\W\d_A-Z]+|\d+|[^\w\s]|_")
# How an English syllable may begin; what begins otherwise is said with the name of its first letter (`r sync`).
_ONSET = re.compile(
    r"(?:[bcfgkp][lr]|[dt]r|[cgprstw]h|s[ckmnptwlqv]|s[cpt][lr]|[cpst]h[lr]|w[hr]|[kgp]n|p[st]|[dt]w|qu|mc|"
    r"[^aeiouy])?[aeiouy]"
)
_SPELLED = 3
_SPELLED_EXTENSION = 4
_SPELLED_CAPITALS = 5
_MOST_READINGS = 8
_FIRST_ATOM = "\ue000"
_ATOMS: dict[str, str] = {}
_FRESH = count(ord(_FIRST_ATOM))
_DIGITS = frozenset("0123456789")
VOWELS = frozenset("aeiouAEOUWY@")
_WEAK = 0.2
_VOWEL = 0.4
_OTHER_VOWEL = 0.3
_LIKE = 0.4
_FAINT = 0.5
_SYMBOL = 0.01
_ALIKE = frozenset(map(frozenset, listed("pb td kg fv sz CS Cj mn Tf sS sC zS jz jS bv wv lr")))
_SAME_VOWEL = frozenset(map(frozenset, listed("aA eE iE iY oO uU uW oW aW eA ei iU")))
_ENDS = frozenset("td")


@dataclass(frozen=True)
class Reading:
    """One way to say a term: a sign for each sound, digit and symbol, and the index of the part it belongs to."""

    sounds: str
    owners: tuple[int, ...]

    def of(self, part: int) -> str:
        """The sounds of one part."""
        return "".join(sound for sound, owner in zip(self.sounds, self.owners, strict=True) if owner == part)


@dataclass(frozen=True)
class Term:
    """A term with its parts (words, runs of digits, symbols; small letters), and the ways to say it."""

    text: str
    parts: tuple[str, ...]
    readings: tuple[Reading, ...]

    @cached_property
    def letters(self) -> str:
        """Letters and digits, small, without anything between them."""
        return "".join(part for part in self.parts if part[0].isalnum())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The parts that are words."""
        return tuple(part for part in self.parts if part.isalpha())

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The parts that are symbols."""
        return frozenset(part for part in self.parts if not part[0].isalnum())

    @cached_property
    def lead(self) -> str:
        """The symbol that the term begins with, if any."""
        return self.parts[0] if self.parts[0] in self.symbols else ""

    @cached_property
    def trail(self) -> str:
        """The symbol that the term ends in, if any."""
        return self.parts[-1] if self.parts[-1] in self.symbols else ""

    @cached_property
    def extension(self) -> bool:
        """The last part is a file name extension."""
        return len(self.parts) > 2 and self.parts[-2] == "." and self.parts[-1].isalpha() and len(self.parts[-1]) < 6


@lru_cache(maxsize=4096)
def pronounced(text: str) -> Term:
    """A term and at most eight readings of it, the likeliest first."""
    written = _PART.findall(text)
    parts = tuple(map(fold, written))
    ways = [
        _ways(part, capitals=written[index].isupper(), extension=index > 1 and parts[index - 1] == ".")
        for index, part in enumerate(parts)
    ]
    readings = {
        Reading("".join(chosen), tuple(index for index, sounds in enumerate(chosen) for _ in sounds)): None
        for chosen in islice(product(*ways), _MOST_READINGS)
    }
    return Term(text, parts, tuple(readings))


@lru_cache(maxsize=8192)
def sounds_of(word: str) -> str:
    """The sounds of a word in small letters; one that cannot be said as a word is spelled."""
    if len(word) == 1:
        return LETTERS.get(word, word)
    if not re.search(r"[aeiouy]", word):
        return _spelled(word)
    return sound_key(word).translate(_EXPANDED)


def atom(word: str) -> str | None:
    """One sign that is like no other, for a word that must not be mistaken: a number or a negation."""
    if word not in _ATOMS and (word in NEGATORS or (is_numeric(word) and word.isalpha())):
        return _ATOMS.setdefault(word, chr(next(_FRESH)))
    return _ATOMS.get(word)


def is_fixed(sign: str) -> bool:
    """The sign stands for a digit or for an `atom`: nothing may take its place."""
    return sign in _DIGITS or sign >= _FIRST_ATOM


def _ways(part: str, *, capitals: bool, extension: bool) -> tuple[str, ...]:
    if not part[0].isalpha():
        return (part,)
    fixed = atom(part)
    if fixed is not None:
        return (fixed,)
    found = [sounds_of(part)]
    if extension:
        found += _as_extension(part)
    if not _ONSET.match(part):
        found.append("".join(_split(part)))
    if part.endswith("x") and len(part) > _SPELLED:  # `engine x`
        found.append("".join(_split(part[:-1])) + LETTERS["x"])
    if len(part) <= (_SPELLED_CAPITALS if capitals else _SPELLED_EXTENSION if extension else _SPELLED):
        found.append(_spelled(part))
    return tuple(dict.fromkeys(filter(None, found)))


def _as_extension(part: str) -> list[str]:
    return ["".join(map(sounds_of, words)) for words, extensions in EXTENSION_SOUNDS.items() if part in extensions]


def _split(word: str) -> Iterator[str]:
    """Letter names until what is left can be said."""
    while len(word) > 2 and not _ONSET.match(word):
        yield LETTERS.get(word[0], word[0])
        word = word[1:]
    yield sounds_of(word)


def _spelled(word: str) -> str:
    return "".join(LETTERS.get(letter, letter) for letter in word)


@dataclass(frozen=True)
class Closeness:
    """The cost of taking one for the other, in consonants: all of it, and that of each owner on both sides."""

    cost: float
    heard: dict[int, float]
    said: dict[int, float]


@lru_cache(maxsize=4096)
def weight(sign: str) -> float:
    """What a sound weighs when it is missing or added; nothing for a symbol, infinitely much for a digit."""
    if is_fixed(sign):
        return inf
    if sign == "@":
        return _WEAK
    if sign in VOWELS:
        return _VOWEL
    if sign == "h":
        return _FAINT
    return 1.0 if sign.isalpha() else _SYMBOL


def weigh(sounds: str) -> float:
    """The weight of sounds, digits and fixed words counting as one consonant each."""
    return sum(1.0 if is_fixed(sign) else weight(sign) for sign in sounds)


@lru_cache(maxsize=4096)
def _swap(heard: str, said: str) -> float:
    if heard == said:
        return 0.0
    if (
        is_fixed(heard)
        or is_fixed(said)
        or not (heard.isalpha() or heard == "@")
        or not (said.isalpha() or said == "@")
    ):
        return inf
    pair = frozenset((heard, said))
    if heard in VOWELS and said in VOWELS:
        return 0.1 if pair in _SAME_VOWEL or "@" in pair else _OTHER_VOWEL
    if heard in VOWELS or said in VOWELS:
        return inf
    return _LIKE if pair in _ALIKE else 1.0


def _added(sounds: str, index: int) -> float:
    """The cost of a sound that was heard but not said; a symbol of speech is never heard for nothing."""
    sign = sounds[index]
    if sign == "-":
        return _SYMBOL
    cost = weight(sign)
    if cost == _SYMBOL:
        return inf
    return _FAINT if sign in _ENDS and index and sounds[index - 1] not in VOWELS else cost


def _missing(sounds: str, index: int) -> float:
    sign = sounds[index]
    faint = sign in _ENDS and index > 0 and sounds[index - 1] not in VOWELS
    return _FAINT if faint else weight(sign)


@lru_cache(maxsize=8192)
def closeness(
    heard: str, heard_owners: tuple[int, ...], said: str, said_owners: tuple[int, ...], most: float
) -> Closeness | None:
    """Align two rows of sounds; None where it costs more than ``most``."""
    rows: list[list[float]] = [[0.0]]
    missing = [_missing(said, index) for index in range(len(said))]
    for cost in missing:
        rows[0].append(rows[0][-1] + cost)
    for index, sign in enumerate(heard):
        before = rows[-1]
        added = _added(heard, index)
        row = [before[0] + added]
        for place, other in enumerate(said):
            row.append(min(before[place] + _swap(sign, other), before[place + 1] + added, row[place] + missing[place]))
        if min(row) > most:
            return None
        rows.append(row)
    if rows[-1][-1] > most:
        return None
    return _attributed(rows, heard, heard_owners, said, said_owners, missing)


def _attributed(
    rows: list[list[float]],
    heard: str,
    heard_owners: tuple[int, ...],
    said: str,
    said_owners: tuple[int, ...],
    missing: list[float],
) -> Closeness:
    by_heard = dict.fromkeys(heard_owners, 0.0)
    by_said = dict.fromkeys(said_owners, 0.0)
    index, place = len(heard), len(said)
    while index or place:
        here = rows[index][place]
        if index and place and here == rows[index - 1][place - 1] + _swap(heard[index - 1], said[place - 1]):
            cost, index, place = _swap(heard[index - 1], said[place - 1]), index - 1, place - 1
        elif index and here == rows[index - 1][place] + _added(heard, index - 1):
            cost, index = _added(heard, index - 1), index - 1
        else:
            cost, place = missing[place - 1], place - 1
        by_heard[heard_owners[min(index, len(heard) - 1)]] += cost
        by_said[said_owners[min(place, len(said) - 1)]] += cost
    return Closeness(rows[-1][-1], by_heard, by_said)

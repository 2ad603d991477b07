"""How a term may be said: its parts, and the sounds of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, islice, product

from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.sounds import sound_key
from pytest_talk2agent.speech.symbols import EXTENSION_SOUNDS
from pytest_talk2agent.speech.tokens import fold
from pytest_talk2agent.speech.words import NEGATORS

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

"""Names seen in the context of a task: which of them are terms, where each stands, and which come first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple

from pytest_talk2agent.context.secrets import is_secret_file, looks_secret
from pytest_talk2agent.speech.words import EMPTY, listed

MOST_CHARACTERS = 60
"""Longer texts are no names."""
MOST_WORDS = 4
"""A line of up to four words (a heading, a button), none of them a mere joint (`the`, `of`), is a name."""
MOST_PARTS = 6
"""Nobody says a name of more parts (`test_a_huge_run_is_cut_at_a_line`) in one breath."""

EXTENSION = re.compile(r"(?:\.tar)?\.[A-Za-z][A-Za-z0-9]{0,7}$")
"""The extension of a file name."""
_VALUE = re.compile(r"=|:(?!//)")
_SECRET_WORD = re.compile(
    r"\b(?:pass(?:word|wd|code|phrase)?|secret|(?:api|access|private)[ _-]?key|token|pin|credentials?)\b", re.IGNORECASE
)
_PLAIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INNER_CAPITAL = re.compile(r"[^\W\d_A-Z][A-Z]")
_PARTS = re.compile(r"[^\W\d_A-Z]+|[A-Z]+[^\W\d_A-Z]*|\d+")
_WORDS = re.compile(r"[^\W_]+")
_TWO_LETTERS = re.compile(r"[^\W\d_][^\W\d]*[^\W\d_]")
_AROUND = " \t\"'`.,;!?()[]{}<>«»“”‘’•·|→…*#"
_ENDINGS = listed("s es ed d ing er r ers est ly ally ment ness able")
_BEGINNINGS = listed("un re non pre dis over in")
_SHORTEST = 2


class Place(NamedTuple):
    """Where a name stands: under which root of the context, and in which file of it (both as the task names them)."""

    root: str
    path: str


class Vocabulary:
    """The names of a context. ``rejected`` counts the strings that were left out because they look like secrets."""

    def __init__(self) -> None:
        self.places: dict[str, set[Place]] = {}
        self._rejected: set[str] = set()

    @property
    def rejected(self) -> int:
        """How many different strings looked like secrets."""
        return len(self._rejected)

    def add(self, name: str, place: Place) -> None:
        """Take in a name, unless it is no term; what follows ``=`` or ``:`` in it is a value and is dropped."""
        term = clean(name)
        if looks_secret(term):
            self._rejected.add(term)
        elif is_term(term):
            self.places.setdefault(term, set()).add(place)

    def add_path(self, path: str, place: Place) -> None:
        """Take in the folders and the file name of a path; nothing of one that holds keys.

        A file is said with its extension (`harbor_sales.xlsx`), so the name without it, which begins the same, is left
        out. But where no underscore stands in that, it is often said alone (`Hanna Brandt.vcf`, `BK-7316.pdf`).
        """
        if is_secret_file(path):
            return
        parts = PurePosixPath(path.replace("\\", "/")).parts
        for part in parts:
            self.add(part, place)
        alone = EXTENSION.sub("", parts[-1]) if parts else ""
        if parts and "_" not in alone and alone != parts[-1]:
            self.add(alone, place)

    def add_line(self, line: str, place: Place) -> None:
        """Take in a heading or another short text: itself where it is a name, and the names in it."""
        for name in _names(line):
            self.add(name, place)

    def ranked(self) -> list[str]:
        """All terms, the best first: those in most places, of these the longest, then by text."""
        return sorted(self.places, key=lambda term: (-len(self.places[term]), -len(term), term))


def clean(name: str) -> str:
    """A name without what follows ``=`` or ``:``, in one Unicode form (file systems differ), blanks made one."""
    return unicodedata.normalize("NFC", " ".join(_VALUE.split(name, maxsplit=1)[0].split()))


def is_term(term: str) -> bool:
    """Whether a recogniser can use the term.

    It is of 3 to 60 printable characters, two letters among them, of at most six parts, and not one plain English word:
    those the recogniser knows, and pushing it towards them harms all that sounds like them. A name of several parts
    (`load_rows`, `budget.ods`, `DuckDuckGo`, `map server`) stays, whatever its parts are.
    """
    least = 3 if term.isascii() else 2
    if not least <= len(term) <= MOST_CHARACTERS or not term.isprintable() or not _TWO_LETTERS.search(term):
        return False
    if len(_PARTS.findall(term)) > MOST_PARTS:
        return False
    if _PLAIN.fullmatch(term):
        return bool(_INNER_CAPITAL.search(term)) or not is_ordinary(term.lower())
    return True


def words_of(text: str) -> list[str]:
    """Letters and digits between all other characters, in small letters: how texts are compared here."""
    return [word.casefold() for word in _WORDS.findall(unicodedata.normalize("NFC", text))]


def stands_in(words: Sequence[str], text: str) -> bool:
    """The words, which are not none, follow each other in a text that `words_of` split and that blanks join."""
    return bool(words) and f" {' '.join(words)} " in f" {text} "


def _names(line: str) -> Iterator[str]:
    """What a line of text offers: of several words a phrase that is short, and each word that is written as a name."""
    line = _VALUE.split(line, maxsplit=1)[0]
    if secret := _SECRET_WORD.search(line):
        line = line[: secret.end()]
    words = [stripped for word in line.split() if (stripped := word.strip(_AROUND))]
    is_name = len(words) <= MOST_WORDS and EMPTY.isdisjoint(map(str.lower, words))
    if is_name:
        yield " ".join(words)
    if len(words) > 1:
        for index, word in enumerate(words):
            written_as_name = not _PLAIN.fullmatch(word) or _INNER_CAPITAL.search(word)
            if written_as_name or (index and not is_name and word[0].isupper()):
                yield word


class ContextError(Exception):
    """No list of terms can be made for a task, or it must not be used. One clear line."""


@lru_cache(maxsize=4)
def words_of_file(name: str) -> tuple[str, ...]:
    """The words of a list that is a file beside this module."""
    return tuple(files(__package__).joinpath(name).read_text(encoding="utf-8").split())


@lru_cache(maxsize=1)
def _ordinary_words() -> frozenset[str]:
    """About 3500 base forms of English words, which a recogniser gets right more often than a glossary does.

    Everyday words written down by hand, and what occurs in at least 15 of some 3,800 pages of documentation and spoken
    requests that were counted for it. A word that is wrongly taken for ordinary is at worst a repair that is not made.
    """
    return frozenset(words_of_file("ordinary_words.txt"))


@lru_cache(maxsize=8192)
def is_ordinary(word: str) -> bool:
    """Whether the word (small letters) is in the list or is an inflection of one that is, at most two steps away."""
    words = _ordinary_words()
    return word in words or any(base in words or any(root in words for root in _bases(base)) for base in _bases(word))


def _bases(word: str) -> Iterator[str]:
    """What the word may be an inflection of."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            base = word.removesuffix(ending)
            yield base
            if ending[0] in "eia":
                yield f"{base}e"
            if base[-1] == "i":
                yield f"{base[:-1]}y"
            elif len(base) > _SHORTEST and base[-1] == base[-2]:
                yield base[:-1]
    for beginning in _BEGINNINGS:
        if word.startswith(beginning) and len(word) - len(beginning) > _SHORTEST:
            yield word.removeprefix(beginning)

"""What was said and what was heard, word by word, with the differences marked."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache

from pytest_talk2agent.analysis.error_rates import normalise

MARKS = ("[", "]")
_WORD = re.compile(r"\S+")

Place = tuple[int, int]
"""Character offsets, the end exclusive; an empty place lies where the words would have stood."""


def differences(said: str, heard: str) -> Iterator[tuple[Place, Place]]:
    """Every stretch that differs, as its places in both texts; words are compared without case and punctuation."""
    reference, hypothesis = _words(said), _words(heard)
    matcher = difflib.SequenceMatcher(
        a=[_plain(said[start:end]) for start, end in reference],
        b=[_plain(heard[start:end]) for start, end in hypothesis],
        autojunk=False,
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _place(reference, a, b), _place(hypothesis, c, d)


def aligned(said: str, heard: str) -> tuple[str, str]:
    """Both texts, blanks made single, with every stretch that differs in brackets."""
    places = list(differences(said, heard))
    return _marked(said, [left for left, _ in places]), _marked(heard, [right for _, right in places])


def wrapped(label: str, text: str, width: int = 110) -> list[str]:
    """A labelled paragraph with a hanging indent."""
    indent = " " * (len(label) + 2)
    return textwrap.wrap(text, width, initial_indent=f"{label}  ", subsequent_indent=indent) or [f"{label}  (nothing)"]


_plain = lru_cache(maxsize=100_000)(normalise)  # a run says and hears the same few thousand words


def _words(text: str) -> list[Place]:
    return [match.span() for match in _WORD.finditer(text)]


def _place(words: list[Place], first: int, last: int) -> Place:
    if first < last:
        return words[first][0], words[last - 1][1]
    at = words[first - 1][1] if first else 0
    return at, at


def _marked(text: str, places: list[Place]) -> str:
    parts, done = [], 0
    for start, end in places:
        if start < end:
            parts.extend([text[done:start], f"{MARKS[0]}{text[start:end]}{MARKS[1]}"])
            done = end
    return " ".join("".join([*parts, text[done:]]).split())

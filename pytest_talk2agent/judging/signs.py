"""Signs and operators that are a part of a verbatim text (`-5`, `C#`, `=A1+B1`), beside marks that only join words.

Sentence punctuation, quotation marks, hyphens between words and the marks that are read as words (`%`, `&`) do not
count.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise

Verdict = tuple[Label, str]
Sign = tuple[int, str, bool]  # how many words stand before it, what it is, whether it is a sign or an operator

_OPERATORS = frozenset("+=<>^×÷*−±≤≥≠")
_READ = frozenset("%&°€£¥¢§©®™…•·♪¶()[]{}\"'`´")
_BETWEEN_DIGITS = frozenset(".,:/⁄")
_SPACED = frozenset(("-", "--"))
_LOOSE = frozenset(("-", "--", "*", "/"))  # behind a text these begin something else


@lru_cache(maxsize=1024)
def signs_of(value: str) -> tuple[Sign, ...]:
    """The signs and marks of a value."""
    stream = tokenise(value)
    return tuple(_signs(stream, 0, len(stream), frozenset()))


def signs_beside(
    stream: Stream, start: int, end: int, value: str, low: int, high: int
) -> tuple[tuple[Sign, ...], int, int]:
    """The signs of what was heard for a value, those that lean on it from outside included, and where it then stands.

    A name of a sign (`minus`, `hash`) counts where the value has that sign.
    """
    signs = signs_of(value)
    words = sum(token.kind != "symbol" for token in tokenise(value).tokens)
    leading = frozenset(mark for at, mark, _ in signs if at == 0)
    trailing = frozenset(mark for at, mark, _ in signs if at == words)
    start = _first(stream, start, low, leading)
    end = _last(stream, end, high, trailing)
    return tuple(_signs(stream, start, end, frozenset(mark for _, mark, _ in signs))), start, end


def _first(stream: Stream, start: int, low: int, wanted: frozenset[str]) -> int:
    """Where a text starts with the signs before it: `-5`, `minus five`, `= A1`."""
    while start > low:
        before = stream[start - 1]
        names = [at for at in (start - 1, start - 2) if at >= low and _named(stream, at, wanted) == start]
        glued = stream[start].glued and not (before.glued and start > 1)
        if names:
            start = min(names)
        elif before.kind == "symbol" and not _is_punctuation(before.norm) and (before.norm in wanted or glued):
            start -= 1
        else:
            break
    return start


def _last(stream: Stream, end: int, high: int, wanted: frozenset[str]) -> int:
    """Where a text ends with the signs behind it: `C++`, `C sharp`, `No. #`."""
    while end < high:
        token = stream[end]
        stop = _named(stream, end, wanted)
        leans = token.glued and not _is_punctuation(token.norm) and token.norm not in _LOOSE
        if stop and stop <= high and not token.paused and token.norm != "at":
            end = stop
        elif token.kind == "symbol" and (token.norm in wanted or leans):
            end += 1
        else:
            break
    return end


def _named(stream: Stream, index: int, wanted: frozenset[str]) -> int:
    """Where the name of a wanted sign ends that begins at the token; 0 where none does."""
    if not wanted or stream[index].kind == "symbol":
        return 0
    named = symbol_at(stream.norms, index)
    return named[1] if named and named[0] in wanted else 0


def _signs(stream: Stream, start: int, end: int, wanted: frozenset[str]) -> Iterator[Sign]:
    words, index = 0, start
    while index < end:
        token = stream[index]
        stop = _named(stream, index, wanted)
        if stop and stop <= end:
            named = symbol_at(stream.norms, index)
            mark = named[0] if named else ""
            yield words, mark, _is_operator(stream, index, stop, mark)
            index = stop
            continue
        if token.kind != "symbol":
            words += 1
        elif not _is_read(stream, index, start, end):
            minus = token.norm == "--" and index + 1 < end and stream[index + 1].kind == "digits" and not token.glued
            mark = "-" if minus else token.norm  # an en dash before a number
            yield words, mark, _is_operator(stream, index, index + 1, mark)
        index += 1


def _is_read(stream: Stream, index: int, start: int, end: int) -> bool:
    """Punctuation, a hyphen between words, or a mark that is read as a word."""
    token = stream[index]
    after = stream[index + 1] if index + 1 < end else None
    glued = after is not None and after.glued
    if _is_punctuation(token.norm):
        return True
    before = stream[index - 1] if index > start else None
    if token.norm in _BETWEEN_DIGITS:
        inside = before is not None and before.kind == "digits" and after is not None and after.kind == "digits"
        return (inside and token.glued and glued) or (not (token.glued and glued) and token.norm != "/")
    if token.norm in _SPACED:
        if before is not None and not token.glued and not glued:
            return True  # a dash between words
        if token.glued and glued:
            return token.norm == "--" or not (
                _chunk_has_digit(stream, index, -1) and _chunk_has_digit(stream, index, 1)
            )
        return not glued
    return False


def _is_punctuation(mark: str) -> bool:
    return mark in _READ or (not mark.isascii() and unicodedata.category(mark[0])[0] == "P")


def _chunk_has_digit(stream: Stream, index: int, step: int) -> bool:
    """The piece of print on this side of the mark has a digit."""
    at = index + step
    while 0 <= at < len(stream) and stream[at].kind != "symbol":
        if stream[at].kind == "digits":
            return True
        joined = stream[at].glued if step < 0 else (at + 1 < len(stream) and stream[at + 1].glued)
        if not joined:
            return False
        at += step
    return False


def _is_operator(stream: Stream, start: int, end: int, mark: str) -> bool:
    """A sign before a number, an operator, or what makes another name of a letter (`C#`)."""
    if mark in _OPERATORS:
        return True
    before = stream[start - 1] if start else None
    after = stream[end] if end < len(stream) else None
    if mark in ("-", "--"):
        return mark == "-" and after is not None and after.kind == "digits"
    if mark == "#":
        short = before is not None and before.kind == "word" and len(before.norm) == 1
        return short and (stream[start].glued or stream[start].kind == "word")
    return False


def compare_signs(wanted: tuple[Sign, ...], heard: tuple[Sign, ...], *, aligned: bool) -> Verdict | None:
    """What is wrong with the signs of a text of which the words are right; None where nothing is.

    ``aligned`` says that both have as many words, so that the places of the signs can be compared.
    """
    marks, others = [mark for _, mark, _ in wanted], [mark for _, mark, _ in heard]
    if marks == others:
        moved = aligned and [sign for sign in wanted if sign[2]] != [sign for sign in heard if sign[2]]
        return (Label.CHANGED, "a sign stands in another place") if moved else None
    operators, now = (Counter(mark for _, mark, operator in signs if operator) for signs in (wanted, heard))
    if operators - now:
        return Label.CHANGED, "a sign or operator is lost"
    if now - operators:
        return Label.CHANGED, "a sign or operator was added"
    if len(marks) == len(others):
        return Label.CHANGED, "another mark stands there"
    return Label.UNRESOLVED, "a mark between or before words is missing, or one too many"

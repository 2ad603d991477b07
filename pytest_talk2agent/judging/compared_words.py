"""The words of a text for comparison: numbers as digits, spelled letters joined, symbols and fillers left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pytest_talk2agent.speech.currencies import is_sign, sign_word
from pytest_talk2agent.speech.fractions import fraction_at
from pytest_talk2agent.speech.numerals import group_at, groups_at, is_numeric, may_start, ordinal_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.unit_names import written_out
from pytest_talk2agent.speech.words import FILLERS

_PERCENT = "percent"
_PERCENTS = frozenset(("percent", "percents", "pct"))
_SYMBOL_WORDS = {"%": _PERCENT, "&": "and"}
_YOU_KNOW = ("you", "know")


@dataclass(frozen=True, slots=True)
class Word:
    """A word for comparison: numbers are digits, spelled letters are joined.

    ``contracted`` is the whole contraction (`theyre`) at its first word, without the apostrophe. ``raw`` is the word of
    which the text is a unit's full name.
    """

    text: str
    start: int
    end: int
    contracted: str = ""
    raw: str = ""


class Words(NamedTuple):
    """The words of a text, where they start, and the different ones."""

    words: tuple[Word, ...]
    starts: list[int]
    texts: frozenset[str]


@lru_cache(maxsize=256)
def index_of(stream: Stream, kept: frozenset[str], *, apart: bool) -> Words:
    """`words_of` with what it takes to look something up in them."""
    if apart and not any(norm == "a" and len(after) == 1 and after.isalpha() for norm, after in pairwise(stream.norms)):
        return index_of(stream, kept, apart=False)
    words = words_of(stream, kept, apart=apart)
    return Words(words, [word.start for word in words], frozenset(word.text for word in words))


@lru_cache(maxsize=256)
def words_of(stream: Stream, kept: frozenset[str] = frozenset(), *, apart: bool = False) -> tuple[Word, ...]:
    """The words of a stream: symbols and fillers left out, numbers as digits, runs of single letters joined.

    ``kept`` are fillers that a value has of its own (`ER diagram`): they count as words. ``apart`` takes an `a` before
    other letters for the article.
    """
    words: list[Word] = []
    index = 0
    while index < len(stream):
        token = stream[index]
        if token.kind == "symbol":
            amount = group_at(stream, index + 1) if is_sign(token.norm) else None
            if amount is not None and stream[index + 1].glued:
                number = f"{amount.digits}.{amount.fraction}".rstrip(".")
                words.append(Word(number, index, amount.end))
                words.append(Word(sign_word(token.norm), amount.end - 1, amount.end))
                index = amount.end
                continue
            if token.norm in _SYMBOL_WORDS:
                words.append(Word(_SYMBOL_WORDS[token.norm], index, index + 1))
            index += 1
            continue
        if token.norm == "per" and stream.phrase_at(index, ("per", "cent")):
            words.append(Word(_PERCENT, index, index + 2))
            index += 2
            continue
        known = token.norm == "you" and stream.phrase_at(index, _YOU_KNOW)
        if (token.norm in FILLERS or known) and token.norm not in kept:
            index += 1 + known
            continue
        part = fraction_at(stream, index) if may_start(token.norm) else None
        if part and part[1] > index + 1 and part[0].denominator > 1:
            words.append(Word(str(part[0]), index, part[1]))
            index = part[1]
            continue
        ordinal = ordinal_at(stream, index) if may_start(token.norm) else None
        if ordinal:
            words.append(Word(f"{ordinal[0]}th", index, ordinal[1]))
            index = ordinal[1]
            continue
        groups = groups_at(stream, index) if may_start(token.norm) else ()
        if groups and token.norm not in ("a", "an"):
            text = "".join(group.digits + (f".{group.fraction}" if group.fraction else "") for group in groups)
            end = groups[-1].end
            decimals = groups_at(stream, end + 1) if stream.norms[end : end + 1] in (("point",), ("dot",)) else ()
            if decimals:
                text, end = f"{text}.{''.join(group.digits for group in decimals)}", decimals[-1].end
            words.append(Word(text, index, end))
            index = end
            continue
        counted = bool(words) and words[-1].end == index and words[-1].text.isdecimal()
        unit = written_out(token.norm) if counted else token.norm  # behind a number `GB` and `gigabytes` are the same
        if unit != token.norm or token.norm in _PERCENTS:
            words.append(Word(_PERCENT if token.norm in _PERCENTS else unit, index, index + 1, raw=token.norm))
            index += 1
            continue
        end = index + 1 if apart and token.norm == "a" else _spelled(stream, index)
        text = "".join(token.norm for token in stream.tokens[index:end] if token.kind != "symbol")
        contracted = ""
        if end == index + 1 < len(stream) and stream[end].glued and stream[end].kind == token.kind == "word":
            contracted = f"{token.text}{stream[end].text}".lower().replace("'", "").replace("’", "")
        words.append(Word(text, index, end, contracted))
        index = end
    return tuple(words)


def _spelled(stream: Stream, index: int) -> int:
    """Where a run of two or more single letters (`p d f`, `P.D.F.`) ends; one token further otherwise."""
    end, letters = index, 0
    if index and is_numeric(stream.norms[index - 1]) and stream.norms[index : index + 2] in (("a", "m"), ("p", "m")):
        return index + 2
    article = stream.norms[index : index + 1] == ("a",) and stream.norms[index + 1 : index + 2] != (".",)
    if article and all(len(norm) == 1 for norm in stream.norms[index + 1 : index + 3]):
        return index + 1  # `a P D F`
    while end < len(stream):
        norm = stream.norms[end]
        if len(norm) == 1 and norm.isalpha() and norm.isascii() and not (stream[end].paused and letters):
            letters += 1
        elif not (norm == "." and letters and stream[end].glued):
            break
        end += 1
    while end > index + 1 and stream[end - 1].kind == "symbol":
        end -= 1
    return end if letters > 1 else index + 1

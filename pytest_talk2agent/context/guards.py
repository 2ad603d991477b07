"""What a model must not do to a transcript while it repairs it: answer it, cut it, change a number or a negation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from pytest_talk2agent.remote.chat import is_answer
from pytest_talk2agent.speech.numerals import groups_at, is_numeric, ordinal_at, whole_values
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream, fold, tokenise
from pytest_talk2agent.speech.words import FILLERS, NEGATORS

VERSION = "1"

_LONGER, _SHORTER, _LETTERS = 1.3, 0.7, 8
_LEAST_LIKE = 0.6
_MOST_AT_ONCE = 14


def broken_guard(raw: str, repaired: str, terms: Sequence[str]) -> str | None:
    """Why a repaired text is not to be trusted, as ``GUARD: reason``; None where it is.

    Guards: "empty"; "answer" (an assistant's words, or another text than the one that was heard); "length" (letters,
    without numbers and the names of symbols: 0.7 to 1.3 times those of the raw text, 8 more or less in any case; no
    more than 14 of them dropped or added in one place); "numbers" and "negations" (the same, but for those of a term
    that was put in). Numbers count by their digits, in words or in print; ``don't`` is ``do not``.
    """
    if not repaired.strip():
        return "empty: nothing is left of it"
    if is_answer(repaired) and not is_answer(raw):
        return "answer: it speaks as an assistant"
    before, after = tokenise(raw), tokenise(repaired)
    put = [tokenise(term) for term in terms if fold(term) in fold(repaired) and fold(term) not in fold(raw)]
    return (
        _like(_content(before), _content(after))
        or _numbers(list(_digits(before)), list(_digits(after)), [digits for term in put for digits in _digits(term)])
        or _negations(before, after, put)
    )


def _content(stream: Stream) -> list[str]:
    """Words but for fillers, the names of symbols, and numbers, of which other guards take care."""
    words: list[str] = []
    index = 0
    while index < len(stream):
        named = symbol_at(stream.norms, index)
        if named is not None:
            index = named[1]
            continue
        norm = stream.norms[index]
        if stream[index].kind == "word" and norm not in FILLERS and not is_numeric(norm):
            words.append(norm)
        index += 1
    return words


def _like(before: list[str], after: list[str]) -> str | None:
    raw, repaired = "".join(before), "".join(after)
    most, least = max(_LONGER * len(raw), len(raw) + _LETTERS), min(_SHORTER * len(raw), len(raw) - _LETTERS)
    same = sum(block.size for block in SequenceMatcher(None, raw, repaired, autojunk=False).get_matching_blocks())
    if same < _LEAST_LIKE * min(len(raw), len(repaired)):
        return "answer: it is another text than the one that was heard"
    if not least <= len(repaired) <= most:
        return f"length: {len(repaired)} letters for {len(raw)}"
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lost, new = sum(map(len, before[start:end])), sum(map(len, after[first:last]))
        if kind != "equal" and abs(lost - new) > _MOST_AT_ONCE:
            words = before[start:end] if lost > new else after[first:last]
            return f"length: {'dropped' if lost > new else 'added'} {' '.join(words)!r}"
    return None


def _digits(stream: Stream) -> Iterator[frozenset[str]]:
    """The numbers of a text, each as the digits that it can be; an ordinal has its own."""
    index = 0
    while index < len(stream):
        ordinal = ordinal_at(stream, index)
        groups = groups_at(stream, index)
        if ordinal is not None:
            yield frozenset((f"{ordinal[0]}th",))
            index = ordinal[1]
        elif groups:
            joined = "".join(group.digits for group in groups)
            yield frozenset((joined, *(str(value) for value in whole_values(groups))))
            yield from (frozenset((group.fraction,)) for group in groups if group.fraction)
            index = groups[-1].end
        else:
            if is_numeric(stream.norms[index]):
                yield frozenset((stream.norms[index],))
            index += 1


def _numbers(before: list[frozenset[str]], after: list[frozenset[str]], put: list[frozenset[str]]) -> str | None:
    lost = _without(before, after)
    new = _without(_without(after, before), put)
    if not lost and not new:
        return None
    if _row(before) == _row(after):  # the same digits, grouped in another way
        return None
    if lost:
        return f"numbers: {_shown(lost)} is gone"
    return f"numbers: {_shown(new)} was not heard"


def _without(numbers: Iterable[frozenset[str]], others: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The numbers that have no partner among the others, each of which is a partner once."""
    free = list(others)
    alone = []
    for number in numbers:
        partner = next((other for other in free if other & number), None)
        if partner is None:
            alone.append(number)
        else:
            free.remove(partner)
    return alone


def _row(numbers: Iterable[frozenset[str]]) -> str:
    return "".join(max(number, key=lambda digits: (len(digits), digits)) for number in numbers)


def _shown(numbers: Sequence[frozenset[str]]) -> str:
    return ", ".join(min(number, key=lambda digits: (-len(digits), digits)) for number in numbers)


def _negations(before: Stream, after: Stream, put: Sequence[Stream]) -> str | None:
    raw, repaired = _negators(before.norms), _negators(after.norms)
    if gone := raw - repaired:
        return f"negations: {' '.join(sorted(gone.elements()))!r} is gone"
    if new := repaired - raw - _negators([norm for term in put for norm in term.norms]):
        return f"negations: {' '.join(sorted(new.elements()))!r} was not heard"
    return None


def _negators(norms: Iterable[str]) -> Counter[str]:
    return Counter(norm for norm in norms if norm in NEGATORS)

"""Match a reference spelling, symbol by symbol, against spoken or printed tokens.

The reference is a string of letters, digits and separators. Every token has a set of pieces that it may stand for
(`dot` is `dot` and `.`, `sierra` is `sierra` and `s`, `one seventy nine` is `179`); a match is a path through the
pieces that spells the reference. Departures in separators are collected as faults; a wrong letter or digit is no match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from typing import NamedTuple

from pytest_talk2agent.judging.pieces import Piece, Sort, pieces_at
from pytest_talk2agent.judging.reading import Fault
from pytest_talk2agent.speech.tokens import Stream, fold

_COST = {
    Fault.SEPARATOR: 4, Fault.JOINED: 4, Fault.OTHER: 4, Fault.EXTRA: 4, Fault.SPLIT: 2, Fault.BLANK: 1,
    Fault.LEAD: 4, Fault.EXTENSION: 9, Fault.SIMILAR: 5, Fault.SUM: 3, Fault.SOUND: 6,
}  # fmt: skip
_EXTENSION = re.compile(r"(?<=[^./\\])(?:\.tar)?\.[a-z][a-z0-9]{0,4}$")
_SIMILAR = frozenset(("o0", "0o", "i1", "1i", "l1", "1l"))
_STROKES = frozenset("Il")  # the two letters that look the same in print


@dataclass(frozen=True, slots=True)
class Spelling:
    """A match: its tokens, its faults, the letters and digits as they were written.

    ``spoken`` says that a symbol was named by a word, ``printed`` that no blank stands inside the span.
    """

    start: int
    end: int
    faults: Fault
    cased: str
    spoken: bool
    printed: bool


class _State(NamedTuple):
    cost: int
    faults: Fault
    cased: str
    spoken: bool
    sort: Sort


def candidates(reference: str, stream: Stream, low: int, high: int) -> Iterator[int]:
    """The tokens between two at which a match of the reference may begin."""
    starts = _by_first(stream)
    found = [starts[first] for first in _firsts(_folded(reference)) if first in starts]
    inside = (some[bisect_left(some, low) : bisect_left(some, high)] for some in found)
    return iter(dict.fromkeys(merge(*inside)))


@lru_cache(maxsize=64)
def _by_first(stream: Stream) -> dict[str, list[int]]:
    """The tokens of a text by what their pieces begin with."""
    found: dict[str, list[int]] = {}
    for index in range(len(stream)):
        for first in {piece.chars[:1] for piece in pieces_at(stream, index)}:
            found.setdefault(first, []).append(index)
    return found


def spell(
    reference: str, stream: Stream, start: int, limit: int, *, extension: bool = False, loose: bool = False
) -> Spelling | None:
    """The best match of the reference that starts at the token, or None.

    The cheapest in faults wins, then the longest. With ``extension`` the reference's file name extension may be
    missing (a fault). With ``loose`` a separator between two digits may be lost or added inside print, which is
    otherwise another value.
    """
    target = _folded(reference)
    firsts = _firsts(target)
    if not any(piece.chars[:1] in firsts for piece in pieces_at(stream, start)):
        return None
    stem = len(target)
    if extension and (ending_found := _EXTENSION.search(target)):
        stem = ending_found.start()
    states: dict[int, dict[tuple[int, Sort], _State]] = {
        start: {(0, "nothing"): _State(0, Fault.NONE, "", False, "nothing")}
    }
    best: tuple[int, int, _State] | None = None
    for index in range(start, limit):
        lead = stream[index].lead
        if index > start and lead and lead == lead.strip():
            break  # punctuation glued on both sides (`..`) is no separator and no blank
        here = states.pop(index, None)
        if not here:
            if not states:
                break
            continue
        for piece in pieces_at(stream, index):
            if piece.end > limit:
                continue
            for (place, sort), state in here.items():
                before = sort if piece.sort != "symbol" or _between_letters(stream, index) else "word"
                step = _consume(target, place, piece, before, stream[index].glued, loose)
                if step is None:
                    continue
                then, fault = step
                cost = state.cost + _price(fault & ~state.faults)
                cased = state.cased if piece.sort == "symbol" else state.cased + piece.cased
                after = piece.sort if piece.sort != "nothing" else sort
                new = _State(cost, state.faults | fault, cased, state.spoken or piece.spoken, after)
                bucket = states.setdefault(piece.end, {})
                known = bucket.get((then, after))
                if known is None or new.cost < known.cost:
                    bucket[then, after] = new
                if piece.sort == "nothing":
                    continue
                rest = target[then:]
                ending = Fault.NONE
                if rest:
                    if then == stem and stem < len(target):
                        ending = Fault.EXTENSION
                    elif any(character.isalnum() for character in rest):
                        continue
                    elif rest != "/":
                        ending = Fault.SEPARATOR
                total = new.cost + _price(ending)
                if best is None or (total, -piece.end) < (best[0], -best[1]):
                    best = (total, piece.end, new._replace(faults=new.faults | ending))
    if best is None:
        return None
    _, end, state = best
    printed = all(stream[index].glued for index in range(start + 1, end))
    return Spelling(start, end, state.faults, state.cased, state.spoken, printed)


def _between_letters(stream: Stream, index: int) -> bool:
    """The words glued to the symbol are single letters, as in `C.S.V.`, unlike `o.rg`."""
    sides = [index - 1] * (index > 0 and stream[index].glued) + [index + 1] * (
        index + 1 < len(stream) and stream[index + 1].glued
    )
    return all(len(stream.norms[each]) == 1 for each in sides)


@lru_cache(maxsize=2048)
def _firsts(target: str) -> frozenset[str]:
    """What the first piece of a match may begin with: the first letter or digit, or any separator before it."""
    first = next((index for index, character in enumerate(target) if character.isalnum()), len(target) - 1)
    letter = target[first]
    similar = {pair[1] for pair in _SIMILAR if pair[0] == letter} | (set("il") if letter in "il" else set())
    return frozenset((*target[: first + 1], *similar, *("-/\\._:#@" if first else "")))


@lru_cache(maxsize=4096)
def _folded(reference: str) -> str:
    return fold(reference)


@lru_cache(maxsize=2048)
def _price(fault: Fault) -> int:
    return sum(cost for one, cost in _COST.items() if one in fault)


def _consume(target: str, place: int, piece: Piece, before: Sort, glued: bool, loose: bool) -> tuple[int, Fault] | None:
    """Where the reference stands after the piece, and the faults of the step; None where it does not fit."""
    fault = piece.fault
    if piece.sort == "nothing":
        return (place, fault) if place else None
    if piece.sort == "symbol":
        letters = before == "letter" and piece.chars == "." and glued and place > target.rfind(".") > 0
        if letters and target[place : place + 1].isalnum():
            return place, fault  # `C.S.V.`
        return _consume_symbol(target, place, piece.chars, fault, loose)
    if piece.extension and (place == 0 or target[place - 1] != "." or before != "symbol"):
        return None
    first, skipped = True, False
    for number, character in enumerate(piece.chars):
        while place < len(target) and not target[place].isalnum() and target[place] != character:
            digits = 0 < place < len(target) - 1 and target[place - 1].isdigit() and target[place + 1].isdigit()
            if target[place] == " " and first and not glued:
                pass
            elif place == 0 or (first and not target[:place].strip("-./~_\\")):
                fault |= Fault.LEAD
            elif first and not glued:
                fault |= Fault.SEPARATOR
            elif not loose and digits and (not first or before in ("digits", "spoken digits")):
                return None
            else:
                fault |= Fault.JOINED
            place, skipped = place + 1, True
        if place >= len(target):
            return None
        if target[place] != character:
            strokes = target[place] in "il" and piece.cased[number : number + 1] in _STROKES
            if not strokes and target[place] + character not in _SIMILAR:
                return None
            fault |= Fault.SIMILAR
        place, first = place + 1, False
    if not skipped and not glued and before not in ("symbol", "nothing"):
        fault |= _boundary(before, piece.sort)
    return place, fault


def _consume_symbol(target: str, place: int, symbol: str, fault: Fault, loose: bool) -> tuple[int, Fault] | None:
    if target.startswith(symbol, place):
        return place + len(symbol), fault
    if target.startswith(f" {symbol}", place):
        return place + 1 + len(symbol), fault  # the blank before it is not said
    if place < len(target) and not target[place].isalnum():
        return place + 1, fault | Fault.OTHER
    inside = 0 < place < len(target)
    if not inside or (not loose and target[place - 1].isdigit() and target[place].isdigit()):
        return None
    return place, fault | Fault.EXTRA


def _boundary(before: Sort, after: Sort) -> Fault:
    """The fault of a blank inside a run of letters and digits."""
    letters = {"word", "letter"}
    if before in letters and after in letters:
        return Fault.NONE if before == after == "letter" else Fault.SPLIT
    return Fault.BLANK if "digits" in (before, after) else Fault.NONE

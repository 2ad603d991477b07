"""Match a reference spelling, symbol by symbol, against spoken or printed tokens.

The reference is a string of letters, digits and separators. Every token has a set of pieces that it may stand for
(`dot` is `dot` and `.`, `sierra` is `sierra` and `s`, `one seventy nine` is `179`); a match is a path through the
pieces that spells the reference. Departures in separators are collected as faults; a wrong letter or digit is no match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge
from typing import Literal, NamedTuple

from pytest_talk2agent.judging.reading import Fault
from pytest_talk2agent.speech.numerals import group_at, groups_at, is_numeric, whole_values
from pytest_talk2agent.speech.symbols import (
    EXTENSION_SOUNDS,
    LETTER_HOMOPHONES,
    LETTER_NAMES,
    NATO,
    NUMBER_HOMOPHONES,
    symbol_at,
    symbol_starts,
)
from pytest_talk2agent.speech.tokens import Stream, fold
from pytest_talk2agent.speech.words import FILLERS, listed

Sort = Literal["word", "letter", "digits", "spoken digits", "symbol", "nothing"]
_LONGEST_NUMBER = 12
_VOWELS = frozenset("aeiouy")
_COST = {
    Fault.SEPARATOR: 4, Fault.JOINED: 4, Fault.OTHER: 4, Fault.EXTRA: 4, Fault.SPLIT: 2, Fault.BLANK: 1,
    Fault.LEAD: 4, Fault.EXTENSION: 9, Fault.SIMILAR: 5, Fault.SUM: 3, Fault.SOUND: 6,
}  # fmt: skip
_EXTENSION = re.compile(r"(?<=[^./\\])(?:\.tar)?\.[a-z][a-z0-9]{0,4}$")
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_AS_IN = (("as", "in"), ("is", "for"), ("as",), ("for",), ("like",))
# Words that are given as examples of their first letter behind a mere `for`, which elsewhere goes on with the sentence.
_EXAMPLES = frozenset(NATO) | frozenset(
    listed(
        "adam able apple ann boy baker bob cat charles dog david easy edward egg fox frank fred george girl harry "
        "henry "
        "ida ink item jack john king kate kitten love larry london mary mother money nancy nan nut ocean orange otto "
        "peter paul paris queen queenie robert roger rome sam sugar simon tom tommy tare tiger uncle union vic vera "
        "van william water xmas young yellow york zebra zero zoo"
    )
)
# Prints of the spoken alphabet that are other words elsewhere.
_ALPHABET = {"mic": "m", "viktor": "v", "oskar": "o"}
_SIMILAR = frozenset(("o0", "0o", "i1", "1i", "l1", "1l"))
_STROKES = frozenset("Il")  # the two letters that look the same in print


class Piece(NamedTuple):
    """What the tokens up to ``end`` may stand for: ``chars`` to compare, ``cased`` as it was written."""

    end: int
    chars: str
    cased: str
    sort: Sort
    spoken: bool
    fault: Fault = Fault.NONE
    extension: bool = False


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


@lru_cache(maxsize=1)
def _special() -> frozenset[str]:
    """Words that may stand for more than themselves; all others are one piece."""
    tables: tuple[Iterable[str], ...] = (
        NATO, LETTER_NAMES, LETTER_HOMOPHONES, NUMBER_HOMOPHONES, _ALPHABET, _TIMES, FILLERS, symbol_starts(),
        (words[0] for words in EXTENSION_SOUNDS), listed("capital upper uppercase big lower lowercase small"),
    )  # fmt: skip
    return frozenset(word for table in tables for word in table)


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
        for first in {piece.chars[:1] for piece in _pieces(stream, index)}:
            found.setdefault(first, []).append(index)
    return found


@lru_cache(maxsize=65536)
def _pieces(stream: Stream, index: int) -> tuple[Piece, ...]:
    token, norms = stream[index], stream.norms
    if token.kind == "word" and len(token.norm) > 3 and token.norm not in _special() and not is_numeric(token.norm):
        return (Piece(index + 1, token.norm, token.text, "word", False),)
    after = index + 1
    if token.kind == "symbol":
        return (Piece(after, token.norm, token.text, "symbol", False),)
    pieces: list[Piece] = []
    if token.kind == "word":
        letters = len(token.norm) <= 3 and _VOWELS.isdisjoint(token.norm)  # `h tml`
        sort: Sort = "letter" if len(token.norm) == 1 or letters else "word"
        pieces.append(Piece(after, token.norm, token.text, sort, False))
        pieces.extend(_named(stream, index))
    if token.norm in FILLERS:
        pieces.append(Piece(after, "", "", "nothing", False))
    groups = groups_at(stream, index)[:_LONGEST_NUMBER]
    for count in range(1, len(groups) + 1):
        some = groups[:count]
        if any(group.fraction for group in some[:-1]):
            break
        joined = "".join(group.digits for group in some)
        spoken = any(not group.printed for group in some)
        kind: Sort = "spoken digits" if spoken else "digits"
        sums = {str(value) for value in whole_values(some)} - {joined} if len(joined) > 1 and count > 1 else set()
        last = some[-1]
        if last.fraction:
            pieces.append(Piece(last.end, f"{joined}.{last.fraction}", f"{joined}.{last.fraction}", kind, False))
            joined_end = last.end - 2
        else:
            joined_end = last.end
        text = stream.text[stream[index].start : stream[joined_end - 1].end]
        if last.printed and count == 1 and "," in text:  # thousands separators stand between tokens
            pieces.append(Piece(after, token.norm, token.text, "digits", False))
        doubt = Fault.SUM if sums else Fault.NONE
        if any(norm in ("o", "oh") for norm in norms[index:joined_end]):
            doubt |= Fault.SIMILAR
        pieces.append(Piece(joined_end, joined, joined, kind, False, doubt))
        pieces.extend(Piece(joined_end, total, total, kind, False, Fault.SUM) for total in sums)
    if token.norm in NUMBER_HOMOPHONES:
        digits = str(NUMBER_HOMOPHONES[token.norm])
        pieces.append(Piece(after, digits, digits, "spoken digits", False, Fault.SOUND))
    if token.norm == "oh" or token.norm == "o":
        pieces.append(Piece(after, "0", "0", "spoken digits", False, Fault.SIMILAR))
    for length in (4, 3, 2, 1):
        for extension in EXTENSION_SOUNDS.get(norms[index : index + length], ()):
            if not token.glued and index + length <= len(stream):
                pieces.append(Piece(index + length, extension, extension, "word", False, extension=True))
    return tuple(pieces)


def _named(stream: Stream, index: int) -> list[Piece]:
    """Symbols and letters by their names."""
    norms, word = stream.norms, stream.norms[index]
    pieces: list[Piece] = []
    if named := symbol_at(norms, index):
        pieces.append(Piece(named[1], named[0], named[0], "symbol", True))
        shorter = symbol_at(norms[: index + 1], index)
        if shorter and shorter != named:
            pieces.append(Piece(shorter[1], shorter[0], shorter[0], "symbol", True))
    following = norms[index + 1] if index + 1 < len(norms) else ""
    letter = _letter(word)
    if letter:
        pieces.append(Piece(index + 1, letter, letter, "letter", False))
    if word == "x" and (end := _x_ray(norms, index)):
        pieces.append(Piece(end, "x", "x", "letter", False))
    if compared := _compared(stream, index):
        end, letter, agrees = compared
        fault = Fault.NONE if agrees else Fault.SIMILAR
        pieces.append(Piece(end, letter, stream[index].text[0], "letter", False, fault))
    if word in LETTER_HOMOPHONES:
        letter = LETTER_HOMOPHONES[word]
        pieces.append(Piece(index + 1, letter, letter, "letter", False, Fault.SOUND))
    if word == "double" and following in ("u", "you"):
        pieces.append(Piece(index + 2, "w", "w", "letter", False))
    elif word in _TIMES and len(following) == 1 and following.isalpha():
        pieces.append(Piece(index + 2, following * _TIMES[word], following, "letter", False))
    elif (
        word in _TIMES and index + 1 < len(norms) and (digit := group_at(stream, index + 1)) and len(digit.digits) == 1
    ):
        digits = digit.digits * _TIMES[word]
        pieces.append(Piece(digit.end, digits, digits, "spoken digits", False))
    for lead in (("capital",), ("upper", "case"), ("uppercase",), ("big",)):
        at = index + len(lead)
        if norms[index:at] == lead and at < len(norms) and norms[at].isalpha():
            cased = norms[at].upper() if len(norms[at]) == 1 or lead[0] != "capital" else norms[at].title()
            pieces.append(Piece(at + 1, norms[at], cased, "letter" if len(norms[at]) == 1 else "word", True))
    for lead in (("lower", "case"), ("lowercase",), ("small",)):
        at = index + len(lead)
        if norms[index:at] == lead and at < len(norms) and norms[at].isalpha():
            pieces.append(Piece(at + 1, norms[at], norms[at], "letter" if len(norms[at]) == 1 else "word", True))
    return pieces


def _letter(word: str) -> str | None:
    """The letter that a word of a spoken alphabet, or its own name, stands for."""
    return NATO.get(word) or LETTER_NAMES.get(word) or _ALPHABET.get(word)


def _x_ray(norms: tuple[str, ...], index: int) -> int:
    """Where `x-ray` or `x ray` ends; 0 where it does not stand there."""
    for between in (("-", "ray"), ("ray",)):
        if norms[index + 1 : index + 1 + len(between)] == between:
            return index + 1 + len(between)
    return 0


def _compared(stream: Stream, index: int) -> tuple[int, str, bool] | None:
    """`B as in boy`: where it ends, the letter, and whether the word agrees with it."""
    norms, word = stream.norms, stream.norms[index]
    letter = word if len(word) == 1 and word.isalpha() else LETTER_NAMES.get(word) or LETTER_HOMOPHONES.get(word)
    if not letter:
        return None
    for between in _AS_IN:
        at = index + 1 + len(between)
        if norms[index + 1 : at] != between or at >= len(norms) or stream[at].kind != "word":
            continue
        if len(norms[at]) > 1 and (len(between) == 2 or (norms[at] in _EXAMPLES and norms[at][0] == letter)):
            return _x_ray(norms, at) or at + 1, letter, norms[at][0] == letter
    return None


def letters_at(stream: Stream, index: int, *, least: int = 2) -> tuple[str, int] | None:
    """The letters and digits that are spelled one by one from the token on, and where they end; None for fewer."""
    letters: list[str] = []
    end = index
    while end < len(stream):
        token = stream[end]
        if token.kind == "symbol":
            if not letters or token.norm not in ("-", "."):
                break
            end += 1
            continue
        pieces = [piece for piece in _pieces(stream, end) if piece.sort in ("letter", "spoken digits", "digits")]
        pieces = [piece for piece in pieces if piece.sort != "letter" or len(piece.chars) == 1 or piece.end > end + 1]
        pieces = [piece for piece in pieces if not piece.fault & ~Fault.SIMILAR and len(piece.chars) <= 3]
        if not pieces:
            break
        best = max(pieces, key=lambda piece: (piece.end, -int(piece.fault)))
        letters.append(best.chars)
        end = best.end
    while end > index and stream[end - 1].kind == "symbol":
        end -= 1
    text = "".join(letters)
    return (text, end) if len(letters) >= least else None


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
    if not any(piece.chars[:1] in firsts for piece in _pieces(stream, start)):
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
        for piece in _pieces(stream, index):
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

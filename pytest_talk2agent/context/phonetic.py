"""The phonetic repair: terms of the visible context are put where words that sound or are spelled like them were heard.

Offline and deterministic. A transcript is right until shown otherwise, so words are replaced only where

- they are marked as a name: by a symbol, a spelled letter, a word that is no ordinary English, or the file
  name extension of the term behind two other parts;
- every ordinary word sounds like its part of the term, the others nearly so (`pronunciation.closeness`);
- digits, number words, negations and the symbols that were said are those of the term, in order;
- they end where a name ends: not over punctuation, nor inside a longer name;
- no other term is as good there, and no term stands there already.

This is repeated until nothing changes, so that a repaired text is repaired to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.context.pronunciation import Closeness, Reading, Term, closeness, is_fixed, pronounced, weigh
from pytest_talk2agent.context.repair import Change, Repair, Repaired
from pytest_talk2agent.context.vocabulary import is_ordinary
from pytest_talk2agent.context.windows import Piece, class_of, consonants, goes_on, hear, lost
from pytest_talk2agent.speech.sounds import sounds_alike
from pytest_talk2agent.speech.tokens import fold

NAME = "phonetic"
VERSION = "1"

_TIE = 0.3
# Costs are in consonants (see `closeness`), shares are of the weight of the term or of one of its parts.
_ALONE = 0.25
_SAME = 0.35
_NEARLY = 0.6
_PART_SHARE = 0.34
_WHOLE_SHARE = 0.2
_FAINT = 1.0
_PENALTY = 3.0
_FEWEST_LETTERS = 4
_LEAST_WEIGHT = 2.4
_ANCHOR_LETTERS = 3
_ANCHOR_DIGITS = 2
_PARTS_BEFORE_EXTENSION = 2


class PhoneticRepair(Repair):
    """Repair by sound and spelling; see the module. Needs no model and no network."""

    def identity(self) -> Mapping[str, str]:
        """Name and version; the version changes whenever any repaired text could."""
        return {"name": NAME, "version": VERSION}

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        """Put the terms where they were misheard; ``changes`` are in the order in which they were made."""
        known = tuple(term for term in dict.fromkeys(terms) if term.isprintable())
        changes: list[Change] = []
        seen = {text}
        while found := _found(text, known):
            better = text
            for each in reversed(found):
                better = f"{better[: each.start]}{each.term.text}{better[each.end :]}"
            if better in seen:  # a term for itself, or for one that was it before
                break
            seen.add(better)
            changes += [Change(text[each.start : each.end], each.term.text) for each in found]
            text = better
        return Repaired(text, tuple(changes))


def _found(text: str, terms: tuple[str, ...]) -> list[Match]:
    """What is to be replaced, in the order of the text; no two overlap."""
    pieces = hear(text)
    known = sorted(matches(pieces, glossary(terms), _kept(text, pieces, terms)), key=lambda match: match.rank)
    taken: list[Match] = []
    for match in known:
        if not any(match.overlaps(other) for other in taken):
            taken.append(match)
    return sorted((match for match in taken if not _is_tied(match, known)), key=lambda match: match.first)


def _is_tied(match: Match, known: Sequence[Match]) -> bool:
    """Another term is as good for some of the same words."""
    return any(
        match.overlaps(other)
        and other.term.text != match.term.text
        and other.exact == match.exact
        and other.quality > match.quality - _TIE
        for other in known
    )


def _kept(text: str, pieces: Sequence[Piece], terms: tuple[str, ...]) -> list[tuple[int, int]]:
    """The pieces that terms cover which stand there already; a single ordinary word may well be no term."""
    folded, sought = fold(text), [fold(term) for term in terms]
    if len(folded) != len(text):  # a ligature, say: then places in one are none in the other
        folded, sought = text, list(terms)
    starts = {piece.start: index for index, piece in enumerate(pieces)}
    ends = {piece.end: index + 1 for index, piece in enumerate(pieces)}
    spans = set()
    for term in filter(None, sought):
        start = folded.find(term)
        while start >= 0:
            first, last = starts.get(start), ends.get(start + len(term))
            if first is not None and last is not None and not (last == first + 1 and pieces[first].ordinary):
                spans.add((first, last))
            start = folded.find(term, start + 1)
    return sorted(spans)


@dataclass(frozen=True)
class Match:
    """A term for the pieces from ``first`` to ``last`` (exclusive); ``start`` and ``end`` are characters.

    ``exact`` says that letters and digits are those of the term, ``quality`` how much of the term was heard less what
    differs, in consonants.
    """

    term: Term
    first: int
    last: int
    start: int
    end: int
    exact: bool
    quality: float

    @property
    def rank(self) -> tuple[bool, float, int, int, str]:
        """The best first."""
        return not self.exact, -self.quality, self.first, self.last, self.term.text

    def overlaps(self, other: Match) -> bool:
        """The two want some of the same words."""
        return self.first < other.last and other.first < self.last


@dataclass(frozen=True)
class Said:
    """One reading of a term, with what is looked at before it is compared in full."""

    term: Term
    reading: Reading
    counts: int
    weight: float
    size: float
    fixed: bool


@dataclass(frozen=True)
class _Rendering:
    """A piece as it stands for a part of one term: its sounds, its letters, and what it is read as."""

    sounds: str
    letters: str
    symbol: bool = False
    digits: bool = False


@lru_cache(maxsize=64)
def glossary(terms: tuple[str, ...]) -> Mapping[str, tuple[Said, ...]]:
    """Readings by the class of their first sound; a single ordinary word is what a recogniser gets right by itself."""
    found: dict[str, list[Said]] = {}
    for term in map(pronounced, terms):
        if not term.words or (len(term.parts) == 1 and is_ordinary(term.parts[0])):
            continue
        for reading in term.readings:
            loose = "".join(sign for sign in reading.sounds if not is_fixed(sign))
            said = Said(term, reading, consonants(loose), weigh(loose), weigh(reading.sounds), loose != reading.sounds)
            found.setdefault(class_of(reading.sounds[0]), []).append(said)
    return {sign: tuple(group) for sign, group in found.items()}


def matches(
    pieces: Sequence[Piece], known: Mapping[str, tuple[Said, ...]], kept: Sequence[tuple[int, int]]
) -> Iterator[Match]:
    """Every window that may mean a term. ``kept`` are windows that terms cover already: they may only grow."""
    for first, piece in enumerate(pieces):
        if first > 0 and goes_on(pieces[first - 1], piece):
            continue
        for sign in sorted(piece.classes):
            for said in known.get(sign, ()):
                for last in _ends(pieces, first, said):
                    if not _cuts(pieces, first, last, kept) and (match := _match(pieces, first, last, said)):
                        yield match


def _ends(pieces: Sequence[Piece], first: int, said: Said) -> Iterator[int]:
    """Where a window that may be this reading can end, by the weight, the consonants and the marks of its pieces."""
    least, most, sure, possible = 0.0, 0.0, 0, 0
    most_cost = _WHOLE_SHARE * said.size
    marked, numbers = said.term.extension, False
    for index in range(first, min(len(pieces), first + 3 * len(said.term.parts) + 2)):
        piece = pieces[index]
        if index > first and piece.paused:
            return
        most += piece.weight
        possible += piece.counts
        if not piece.symbol:
            least += piece.weight
            sure += piece.counts
        marked = marked or not piece.ordinary or bool(piece.symbol) or piece.joined
        numbers = numbers or bool(piece.options or piece.fixed)
        if least > said.weight + most_cost + _FAINT or (numbers and not said.fixed):
            return
        if not marked or numbers != said.fixed or most < said.weight - most_cost - _FAINT:
            continue
        if lost(said.counts, possible) <= most_cost and lost(sure, said.counts) <= most_cost:
            yield index + 1


def _cuts(pieces: Sequence[Piece], first: int, last: int, kept: Sequence[tuple[int, int]]) -> bool:
    """The window ends inside a longer name, or is no more than a term that stands there."""
    if last < len(pieces) and goes_on(pieces[last - 1], pieces[last]):
        return True
    return any(
        start < last and first < end and not (first <= start and end <= last and last - first > end - start)
        for start, end in kept
    )


def _match(pieces: Sequence[Piece], first: int, last: int, said: Said) -> Match | None:
    """The match of a window with a reading; None where they are not close or the window may well be prose."""
    window, term = pieces[first:last], said.term
    rendered = [each for each in (_rendered(piece, said) for piece in window) if each is not None]
    if len(rendered) < len(window) or not _is_name(window, rendered, term):
        return None
    cost = 0.0
    letters = "".join(each.letters for each in rendered)
    exact = _is_spelled(letters, fold(term.text))
    if not exact:
        if len(term.letters) < _FEWEST_LETTERS or said.size < _LEAST_WEIGHT or _is_inflected(letters, term.letters):
            return None
        close = _compared(rendered, said)
        if close is None or not _is_close(window, rendered, said, close):
            return None
        cost = close.cost
    return Match(term, first, last, window[0].start, window[-1].end, exact, said.size - _PENALTY * cost)


def _rendered(piece: Piece, said: Said) -> _Rendering | None:
    """The piece as a part of the term; None where no part of this term can be meant."""
    term = said.term
    for index, part in enumerate(term.parts):
        if part == piece.norm or (part.isalpha() and piece.sounds and _alike(piece.norm, part)):
            return _Rendering(said.reading.of(index), piece.norm, symbol=not part[0].isalnum(), digits=part.isdigit())
    if piece.options:
        option = next((option for option in piece.options if option in term.text), None)
        return None if option is None else _Rendering(option, option, digits=True)
    if piece.fixed:
        return None
    if piece.symbol and set(piece.symbol) <= set(term.text):
        return _Rendering(piece.symbol, piece.symbol, symbol=True)
    if piece.printed:  # recognisers put hyphens between the syllables of words they do not know
        return _Rendering("", "") if piece.symbol == "-" and piece.joined else None
    return _Rendering(piece.sounds, piece.norm)


@lru_cache(maxsize=65536)
def _alike(heard: str, said: str) -> bool:
    return sounds_alike(heard, said)


def _is_name(window: Sequence[Piece], rendered: Sequence[_Rendering], term: Term) -> bool:
    """The window has the edges of the term and is marked as something else than prose."""
    for piece, each, edge in ((window[0], rendered[0], term.lead), (window[-1], rendered[-1], term.trail)):
        if each.symbol != bool(edge) or not each.letters or (piece.empty and piece.norm not in term.parts):
            return False
    if any(each.symbol for each in rendered):
        return True
    odd = any(not piece.ordinary for piece in window)
    if not term.symbols:
        return odd
    if len(window) > 1 and all(piece.joined for piece in window[1:]):
        return True
    behind = term.extension and sum(part[0].isalnum() for part in term.parts) > _PARTS_BEFORE_EXTENSION
    return behind or (odd and any(each.digits for each in rendered))


def _is_spelled(heard: str, said: str) -> bool:
    """What was heard are the letters of the term, but for symbols that were not said."""
    place = 0
    for sign in heard:
        while place < len(said) and said[place] != sign and not said[place].isalnum():
            place += 1
        if place == len(said) or said[place] != sign:
            return False
        place += 1
    return not any(map(str.isalnum, said[place:]))


def _compared(rendered: Sequence[_Rendering], said: Said) -> Closeness | None:
    heard = "".join(each.sounds for each in rendered)
    owners = tuple(index for index, each in enumerate(rendered) for _ in each.sounds)
    return closeness(heard, owners, said.reading.sounds, said.reading.owners, _WHOLE_SHARE * said.size)


def _is_close(window: Sequence[Piece], rendered: Sequence[_Rendering], said: Said, close: Closeness) -> bool:
    """No part is far off, and no ordinary word is replaced that does not sound like what it is replaced by."""
    term = said.term
    last = len(term.parts) - 1
    for index, cost in close.said.items():
        part = term.parts[index]
        share = _PART_SHARE * weigh(said.reading.of(index))
        if part[0].isalnum() and cost > (min(share, _SAME) if term.extension and index == last else share):
            return False
    if all(piece.spelled for piece in window if piece.sounds):
        return False
    ending = window[-1].norm
    if term.extension and ending != term.parts[-1] and len(ending) == len(term.parts[-1]) < _FEWEST_LETTERS:
        return False  # another extension
    sure = [
        part
        for index, part in enumerate(term.parts)
        if part[0].isalnum() and close.said.get(index) == 0 and not (term.extension and index == last)
    ]
    named = any(each.symbol or each.digits for each in rendered)
    if not sure and not named and close.cost > _ALONE:
        return False
    anchored = named and any(len(part) >= (_ANCHOR_DIGITS if part.isdigit() else _ANCHOR_LETTERS) for part in sure)
    limit = _NEARLY if anchored else _SAME
    return all(close.heard.get(index, 0.0) <= limit for index, piece in enumerate(window) if piece.ordinary)


def _is_inflected(heard: str, said: str) -> bool:
    """The two are the singular and the plural of one word, or a name and its genitive."""
    return heard in (f"{said}s", f"{said}es") or said in (f"{heard}s", f"{heard}es")

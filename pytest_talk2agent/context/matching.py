"""Where a transcript may mean a term: windows of its pieces, compared with the ways to say the term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.context.closeness import Closeness, closeness, weigh
from pytest_talk2agent.context.ordinary import is_ordinary
from pytest_talk2agent.context.pronunciation import Reading, Term, is_fixed, pronounced
from pytest_talk2agent.context.windows import Piece, class_of, consonants, goes_on, lost
from pytest_talk2agent.speech.sounds import sounds_alike
from pytest_talk2agent.speech.tokens import fold

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

"""The phonetic repair: terms of the visible context are put where words that sound or are spelled like them were heard.

Offline and deterministic. A transcript is right until shown otherwise, so words are replaced only where

- they are marked as a name (`matching`): by a symbol, a spelled letter, a word that is no ordinary English, or the file
  name extension of the term behind two other parts;
- every ordinary word sounds like its part of the term, the others nearly so (`closeness`);
- digits, number words, negations and the symbols that were said are those of the term, in order;
- they end where a name ends: not over punctuation, nor inside a longer name;
- no other term is as good there, and no term stands there already.

This is repeated until nothing changes, so that a repaired text is repaired to itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.context.matching import Match, glossary, matches
from pytest_talk2agent.context.repair import Change, Repair, Repaired
from pytest_talk2agent.context.windows import Piece, hear
from pytest_talk2agent.speech.tokens import fold

NAME = "phonetic"
VERSION = "1"

_TIE = 0.3


class PhoneticRepair(Repair):
    """Repair by sound and spelling; see the module. Needs no model and no network."""

    def identity(self) -> Mapping[str, str]:
        """Name and version; the version changes whenever any repaired text could."""
        return {"name": NAME, "version": VERSION}

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        """Put the terms where they were misheard; ``changes`` are in the order in which they were made."""
        known = tuple(term for term in dict.fromkeys(terms) if term.isprintable())
        changes: list[Change] = []
        while found := _found(text, known):
            changes += [Change(text[each.start : each.end], each.term.text) for each in found]
            for each in reversed(found):
                text = f"{text[: each.start]}{each.term.text}{text[each.end :]}"
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
    folded = fold(text)
    if len(folded) != len(text):
        folded = text
    starts = {piece.start: index for index, piece in enumerate(pieces)}
    ends = {piece.end: index + 1 for index, piece in enumerate(pieces)}
    spans = set()
    for term in filter(None, map(fold, terms)):
        start = folded.find(term)
        while start >= 0:
            first, last = starts.get(start), ends.get(start + len(term))
            if first is not None and last is not None and not (last == first + 1 and pieces[first].ordinary):
                spans.add((first, last))
            start = folded.find(term, start + 1)
    return sorted(spans)

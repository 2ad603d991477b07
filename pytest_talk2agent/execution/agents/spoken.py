"""A transcript as a person would write it down: number words, letters and names of symbols become what they stand for.

It takes one reading where speech has several, as an agent must. `tilde slash downloads slash twenty twenty six` is
`~/downloads/2026`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_talk2agent.speech.numerals import groups_at, may_start
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import listed

_SYMBOLS = frozenset("./-_~%")
_APART = frozenset(listed("to in into from with and at the of as under run by for a an every"))
"""Words that no path goes on from: what follows them begins anew."""
_LETTERS = frozenset("bcdefghjklmnopqrstuvwxyz")
_SHORT = 4


@dataclass
class _Piece:
    """A part of the text; ``before`` and ``after`` tell whether it sticks to its neighbours."""

    text: str
    lead: str
    before: bool = False
    after: bool = False


def written(transcript: str) -> str:
    """The transcript in writing."""
    stream = tokenise(transcript)
    pieces: list[_Piece] = []
    index = 0
    while index < len(stream):
        piece, index = _piece(stream, index)
        pieces.append(piece)
    text = "".join(
        piece.text if number and _joined(pieces, number) else piece.lead + piece.text
        for number, piece in enumerate(pieces)
    )
    return (text + transcript[stream[len(stream) - 1].end :]).strip() if pieces else transcript


def _joined(pieces: list[_Piece], number: int) -> bool:
    """Whether a part sticks to the one before."""
    previous, piece = pieces[number - 1], pieces[number]
    if previous.after:
        return piece.text.casefold() not in _APART
    if piece.text.isdecimal() and number > 1 and pieces[number - 2].text == ".":  # .mp 3
        return len(previous.text) < _SHORT and previous.text.isalpha() and not piece.lead.strip()
    return piece.before and previous.text.casefold() not in _APART and not piece.lead.strip()


def _piece(stream: Stream, index: int) -> tuple[_Piece, int]:
    token = stream[index]
    if token.kind == "word":
        if stream.norms[index : index + 2] == ("camel", "case") and index + 3 < len(stream):
            first, second = stream[index + 2], stream[index + 3]
            return _Piece(first.norm + second.norm.capitalize(), token.lead), index + 4
        named = symbol_at(stream.norms, index)
        if named is not None and named[0] in _SYMBOLS:
            return _Piece(named[0], token.lead, before=True, after=named[0] != "%"), named[1]
        end = index
        while end < len(stream) and _is_letter(stream, end):
            end += 1
        if end - index > 1:
            return _Piece("".join(stream[place].text for place in range(index, end)), token.lead), end
        groups = groups_at(stream, index) if may_start(token.norm) and token.norm not in ("a", "an", "half") else ()
        if groups and not groups[0].printed:
            return _Piece("".join(group.digits for group in groups), token.lead), groups[-1].end
    return _Piece(token.text, token.lead), index + 1


def _is_letter(stream: Stream, index: int) -> bool:
    return stream[index].kind == "word" and stream[index].norm in _LETTERS

"""A transcript in pieces: words, numbers and symbols as they can stand for a part of a term."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.context.pronunciation import VOWELS, atom, is_fixed, sounds_of, weigh
from pytest_talk2agent.context.vocabulary import is_ordinary
from pytest_talk2agent.speech.numerals import groups_at, whole_values
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EMPTY, listed

NUMBER = "#"
"""The class of digits and fixed words."""

# Consonants of two classes are never alike (see `closeness`); d and t, which are easily lost, are not counted.
_CLASSES = {sign: group[0] for group in ("bpfvwT", "dt", "gk", "szSCj", "mn", "lr") for sign in group}
_COUNTED = sorted({*_CLASSES.values()} - {"d"})
_ONE = {sign: 1 << 8 * index for index, sign in enumerate(_COUNTED)}
# What joins the parts of a name in speech; a slash also stands between whole names.
_JOINERS = frozenset("._-")
_FUNCTION_WORDS = frozenset(listed("or but if by from into onto are was were be been has have had do does did will"))
_VOWEL_LETTERS = frozenset("aeiouy")
_OPENERS = frozenset("/\\([{<~=,*'|")
_CLOSERS = frozenset("/\\)]}>=,*'|")


@dataclass(frozen=True, slots=True)
class Piece:
    """One word, number or symbol that was heard, between two characters of the transcript.

    ``options`` are the digits that a number can be; ``symbol`` is what a symbol or its name stands for. ``fixed`` is
    the sign of a number word or a negation. ``joined`` says that nothing stands before it, ``paused`` that punctuation
    does.
    """

    norm: str
    start: int
    end: int
    sounds: str
    counts: int
    weight: float
    classes: frozenset[str]
    options: tuple[str, ...] = ()
    symbol: str = ""
    printed: bool = False
    fixed: str | None = None
    ordinary: bool = True
    joined: bool = False
    paused: bool = False

    @property
    def empty(self) -> bool:
        """A word that adds nothing to a name."""
        return self.norm in EMPTY or self.norm in _FUNCTION_WORDS

    @property
    def spelled(self) -> bool:
        """A letter, or letters that cannot be said as a word."""
        return (not self.symbol and not _VOWEL_LETTERS.intersection(self.norm)) or len(self.norm) == 1


@lru_cache(maxsize=512)
def hear(text: str) -> tuple[Piece, ...]:
    """The pieces of a transcript, in order."""
    stream = tokenise(text)
    pieces: list[Piece] = []
    index = 0
    while index < len(stream):
        end, piece = _piece(stream, index)
        pieces.append(piece)
        index = end
    return tuple(pieces)


def goes_on(before: Piece, behind: Piece) -> bool:
    """One name runs over the border between two pieces: something joins them that is more than a slash."""
    if behind.paused:
        return False
    if behind.joined and not (before.symbol in _OPENERS or behind.symbol in _CLOSERS):
        return True
    spoken = before.symbol if not before.printed else ""
    return bool(_JOINERS.intersection(spoken + (behind.symbol if not behind.printed else "")))


def consonants(sounds: str) -> int:
    """How many consonants of each class there are, one byte a class; each that is lost or added costs a consonant."""
    return sum(_ONE.get(_CLASSES.get(sign, sign), 0) for sign in sounds)


@lru_cache(maxsize=65536)
def lost(counts: int, others: int) -> int:
    """How many consonants the one has that the other has not."""
    shifts = range(0, 8 * len(_COUNTED), 8)
    return sum(max(0, (counts >> shift & 255) - (others >> shift & 255)) for shift in shifts)


def class_of(sign: str) -> str:
    """What the first sound of two alike names has in common."""
    if is_fixed(sign):
        return NUMBER
    return "V" if sign in VOWELS else _CLASSES.get(sign, sign)


def _piece(stream: Stream, index: int) -> tuple[int, Piece]:
    token = stream[index]
    groups = groups_at(stream, index)
    if groups:
        end = groups[-1].end
        joined = "".join(f"{group.digits}.{group.fraction}" if group.fraction else group.digits for group in groups)
        sums = sorted(str(value) for value in whole_values(groups)) if "." not in joined else []
        fixed = atom(token.norm) if end == index + 1 else None
        return end, _made(stream, index, end, "", options=tuple(dict.fromkeys([joined, *sums])), fixed=fixed)
    if token.kind == "symbol":
        return index + 1, _made(stream, index, index + 1, "", symbol=token.norm, printed=True)
    named = symbol_at(stream.norms, index)
    if named is not None and not any(stream[place].paused for place in range(index + 1, named[1])):
        sounds = "".join(sounds_of(norm) for norm in stream.norms[index : named[1]])
        return named[1], _made(stream, index, named[1], sounds, symbol=named[0])
    fixed = atom(token.norm)
    sounds = "" if fixed else sounds_of(token.norm)
    ordinary = token.norm in "ai" if len(token.norm) == 1 else is_ordinary(token.norm)
    return index + 1, _made(stream, index, index + 1, sounds, fixed=fixed, ordinary=ordinary)


def _made(
    stream: Stream,
    index: int,
    end: int,
    sounds: str,
    *,
    options: tuple[str, ...] = (),
    symbol: str = "",
    printed: bool = False,
    fixed: str | None = None,
    ordinary: bool = True,
) -> Piece:
    token = stream[index]
    classes = {class_of(sounds[0])} if sounds else set()
    if symbol:
        classes.add(symbol[0])
    if options or fixed:
        classes.add(NUMBER)
    start, stop = stream.span(index, end)
    return Piece(
        norm="".join(stream.norms[index:end]), start=start, end=stop, sounds=sounds, counts=consonants(sounds),
        weight=weigh(sounds), classes=frozenset(classes), options=options, symbol=symbol, printed=printed, fixed=fixed,
        ordinary=ordinary, joined=token.glued, paused=index > 0 and token.paused,
    )  # fmt: skip

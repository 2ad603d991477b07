"""How far what was heard is from what was said, sound by sound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

from pytest_talk2agent.context.pronunciation import is_fixed
from pytest_talk2agent.speech.words import listed

VOWELS = frozenset("aeiouAEOUWY@")
_WEAK = 0.2
_VOWEL = 0.4
_OTHER_VOWEL = 0.3
_LIKE = 0.4
_FAINT = 0.5
_SYMBOL = 0.01
_ALIKE = frozenset(map(frozenset, listed("pb td kg fv sz CS Cj mn Tf sS sC zS jz jS bv wv lr")))
_SAME_VOWEL = frozenset(map(frozenset, listed("aA eE iE iY oO uU uW oW aW eA ei iU")))
_ENDS = frozenset("td")


@dataclass(frozen=True)
class Closeness:
    """The cost of taking one for the other, in consonants: all of it, and that of each owner on both sides."""

    cost: float
    heard: dict[int, float]
    said: dict[int, float]


@lru_cache(maxsize=4096)
def weight(sign: str) -> float:
    """What a sound weighs when it is missing or added; nothing for a symbol, infinitely much for a digit."""
    if is_fixed(sign):
        return inf
    if sign == "@":
        return _WEAK
    if sign in VOWELS:
        return _VOWEL
    if sign == "h":
        return _FAINT
    return 1.0 if sign.isalpha() else _SYMBOL


def weigh(sounds: str) -> float:
    """The weight of sounds, digits and fixed words counting as one consonant each."""
    return sum(1.0 if is_fixed(sign) else weight(sign) for sign in sounds)


@lru_cache(maxsize=4096)
def _swap(heard: str, said: str) -> float:
    if heard == said:
        return 0.0
    if (
        is_fixed(heard)
        or is_fixed(said)
        or not (heard.isalpha() or heard == "@")
        or not (said.isalpha() or said == "@")
    ):
        return inf
    pair = frozenset((heard, said))
    if heard in VOWELS and said in VOWELS:
        return 0.1 if pair in _SAME_VOWEL or "@" in pair else _OTHER_VOWEL
    if heard in VOWELS or said in VOWELS:
        return inf
    return _LIKE if pair in _ALIKE else 1.0


def _is_sound(sign: str) -> bool:
    return not is_fixed(sign) and (sign.isalpha() or sign == "@")


def _added(sounds: str, index: int) -> float:
    """The cost of a sound that was heard but not said; a symbol of speech is never heard for nothing."""
    sign = sounds[index]
    if sign == "-":
        return _SYMBOL
    cost = weight(sign)
    if cost == _SYMBOL:
        return inf
    return _FAINT if sign in _ENDS and index and sounds[index - 1] not in VOWELS else cost


def _missing(sounds: str, index: int) -> float:
    sign = sounds[index]
    faint = sign in _ENDS and index > 0 and sounds[index - 1] not in VOWELS
    return _FAINT if faint else weight(sign)


@lru_cache(maxsize=8192)
def closeness(
    heard: str, heard_owners: tuple[int, ...], said: str, said_owners: tuple[int, ...], most: float
) -> Closeness | None:
    """Align two rows of sounds; None where it costs more than ``most``."""
    rows: list[list[float]] = [[0.0]]
    missing = [_missing(said, index) for index in range(len(said))]
    for cost in missing:
        rows[0].append(rows[0][-1] + cost)
    for index, sign in enumerate(heard):
        before = rows[-1]
        added = _added(heard, index)
        row = [before[0] + added]
        for place, other in enumerate(said):
            row.append(min(before[place] + _swap(sign, other), before[place + 1] + added, row[place] + missing[place]))
        if min(row) > most:
            return None
        rows.append(row)
    if rows[-1][-1] > most:
        return None
    return _attributed(rows, heard, heard_owners, said, said_owners, missing)


def _attributed(
    rows: list[list[float]],
    heard: str,
    heard_owners: tuple[int, ...],
    said: str,
    said_owners: tuple[int, ...],
    missing: list[float],
) -> Closeness:
    by_heard = dict.fromkeys(heard_owners, 0.0)
    by_said = dict.fromkeys(said_owners, 0.0)
    index, place = len(heard), len(said)
    while index or place:
        here = rows[index][place]
        if index and place and here == rows[index - 1][place - 1] + _swap(heard[index - 1], said[place - 1]):
            cost, index, place = _swap(heard[index - 1], said[place - 1]), index - 1, place - 1
        elif index and here == rows[index - 1][place] + _added(heard, index - 1):
            cost, index = _added(heard, index - 1), index - 1
        else:
            cost, place = missing[place - 1], place - 1
        by_heard[heard_owners[min(index, len(heard) - 1)]] += cost
        by_said[said_owners[min(place, len(said) - 1)]] += cost
    return Closeness(rows[-1][-1], by_heard, by_said)

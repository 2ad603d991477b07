"""Which token of the script became which token of the transcript."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pytest_talk2agent.speech.numerals import SCALES, TEENS, TENS, UNITS
from pytest_talk2agent.speech.sounds import sounds_alike, starts_alike
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import FILLERS

# Costs in tenths of a word. A substitution is dearer than either gap and cheaper than both.
_GAP_WORD, _GAP_LIGHT = 7, 3
_SAME_CLASS, _ALIKE, _OTHER_WORD, _OTHER_CLASS = 8, 6, 11, 13
_DENSE_CELLS = 60_000
_MOST_CELLS = 3_000_000
_SHINGLE = 3
_MOVED = 3


@lru_cache(maxsize=64)
def keys_of(stream: Stream) -> tuple[str, ...]:
    """What the tokens are compared by: number words are digits and names of symbols are symbols."""
    keys = []
    numbers = UNITS | TEENS | TENS
    for index, token in enumerate(stream.tokens):
        if token.norm in numbers:
            keys.append(str(numbers[token.norm]))
        elif token.kind == "word" and (named := symbol_at(stream.norms[index : index + 1], 0)):
            keys.append(named[0])
        else:
            keys.append(token.norm)
    return tuple(keys)


@dataclass(frozen=True)
class Alignment:
    """Token indices of the transcript for the tokens of a script; -1 where a token has none.

    ``pairs`` holds every pair, ``exact`` says which of them are the same token.
    """

    pairs: tuple[int, ...]
    exact: tuple[bool, ...]
    length: int

    def region(self, start: int, end: int) -> tuple[int, int]:
        """What stands in the transcript between the neighbours of the script's tokens ``start`` to ``end``."""
        inner = [pair for pair in self.pairs[start:end] if pair >= 0]
        if inner:
            low = self._after(start, inner[0])
            return low, max(self._before(end, inner[-1]), inner[-1] + 1)
        low = next((self.pairs[index] + 1 for index in range(start - 1, -1, -1) if self.pairs[index] >= 0), 0)
        high = next((self.pairs[i] for i in range(end, len(self.pairs)) if self.pairs[i] >= low), self.length)
        return low, max(low, min(high, next((i for i in range(low, self.length) if i in self.taken), self.length)))

    def _after(self, start: int, limit: int) -> int:
        """Step back from ``limit`` over tokens that nothing is aligned with."""
        while limit > 0 and limit - 1 not in self.taken:
            limit -= 1
        return limit

    def _before(self, end: int, last: int) -> int:
        last += 1
        while last < self.length and last not in self.taken:
            last += 1
        return last

    @cached_property
    def taken(self) -> frozenset[int]:
        """Transcript tokens that have a partner."""
        return frozenset(pair for pair in self.pairs if pair >= 0)

    @cached_property
    def heard(self) -> frozenset[int]:
        """Transcript tokens that are the same as their partner."""
        return frozenset(pair for pair, same in zip(self.pairs, self.exact, strict=True) if same)

    def anchored(self, start: int, end: int, reach: int = 3) -> bool:
        """A token near the slot, on either side, came across as it is."""
        near = (*range(max(0, start - reach), start), *range(end, min(len(self.pairs), end + reach)))
        return any(self.exact[index] for index in near)


def align(script: Stream, transcript: Stream) -> Alignment:
    """Align by least cost, then pair whole clauses that changed places.

    Quadratic in the lengths; long texts are first cut at runs of three tokens that stand once in both.
    """
    left, right = keys_of(script), keys_of(transcript)
    pairs = [-1] * len(left)
    for a0, a1, b0, b1 in _pieces(left, right):
        for a, b in _dense(left[a0:a1], right[b0:b1]):
            pairs[a0 + a] = b0 + b
    _pair_moved(left, right, pairs)
    exact = tuple(pair >= 0 and left[index] == right[pair] for index, pair in enumerate(pairs))
    return Alignment(tuple(pairs), exact, len(right))


def _pieces(left: tuple[str, ...], right: tuple[str, ...]) -> list[tuple[int, int, int, int]]:
    if len(left) * len(right) <= _DENSE_CELLS:
        return [(0, len(left), 0, len(right))]
    where = [_unique_shingles(side) for side in (left, right)]
    chain = _increasing([(at, where[1][shingle]) for shingle, at in where[0].items() if shingle in where[1]])
    pieces, a0, b0 = [], 0, 0
    for a, b in [*chain, (len(left), len(right))]:
        if a >= a0 and b >= b0 and (a > a0 or b > b0):
            pieces.append((a0, a, b0, b))
            a0, b0 = a, b
    # A piece beyond all bounds is no speech: its tokens stay without partners.
    return [piece for piece in pieces if (piece[1] - piece[0]) * (piece[3] - piece[2]) <= _MOST_CELLS]


def _unique_shingles(side: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    counts = Counter(side[index : index + _SHINGLE] for index in range(len(side) - _SHINGLE + 1))
    return {
        side[index : index + _SHINGLE]: index
        for index in range(len(side) - _SHINGLE + 1)
        if counts[side[index : index + _SHINGLE]] == 1
    }


def _increasing(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest chain that rises on both sides."""
    tails: list[int] = []
    ends: list[int] = []
    back = [-1] * len(points)
    points = sorted(points)
    for index, (_, b) in enumerate(points):
        place = bisect_left(tails, b)
        back[index] = ends[place - 1] if place else -1
        if place == len(tails):
            tails.append(b)
            ends.append(index)
        else:
            tails[place], ends[place] = b, index
    chain, at = [], ends[-1] if ends else -1
    while at >= 0:
        chain.append(points[at])
        at = back[at]
    return chain[::-1]


def _gap(key: str) -> int:
    return _GAP_LIGHT if key in FILLERS or not (key.isalnum()) else _GAP_WORD


def _class(key: str) -> int:
    """Number, word or symbol."""
    return 1 if key.isdecimal() or key in SCALES or key == "hundred" else 2 if key[0].isalnum() else 3


@lru_cache(maxsize=65536)
def _word_swap(left: str, right: str) -> int:
    shared = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        shared += 1
    alike = 2 * shared >= max(len(left), len(right)) or sounds_alike(left, right)
    return _ALIKE if alike else _OTHER_WORD


def is_like(left: str, right: str) -> bool:
    """The two compared forms are the same, spelled alike or sound alike."""
    return left == right or (_class(left) == _class(right) == 2 and _word_swap(left, right) == _ALIKE)


def _swaps(left: str, right: tuple[str, ...], classes: list[int]) -> list[int]:
    """The cost of one token in the place of each of the others."""
    kind = _class(left)
    if kind != 2:
        return [
            0 if other == left else _SAME_CLASS if kind == each else _OTHER_CLASS
            for other, each in zip(right, classes, strict=True)
        ]
    start = left[0]
    return [
        0
        if other == left
        else _OTHER_CLASS
        if each != 2
        else _word_swap(left, other)
        if other[0] == start or starts_alike(start, other[0])
        else _OTHER_WORD
        for other, each in zip(right, classes, strict=True)
    ]


def _dense(left: tuple[str, ...], right: tuple[str, ...]) -> list[tuple[int, int]]:
    """Pairs of a least-cost alignment; among equals a token of the left is left out late rather than early."""
    if left == right:
        return [(index, index) for index in range(len(left))]
    width = len(right)
    gaps = [_gap(key) for key in right]
    row = [0]
    for gap in gaps:
        row.append(row[-1] + gap)
    trace: list[bytearray] = []
    classes = [_class(key) for key in right]
    known: dict[str, list[int]] = {}
    for key in left:
        gap = _gap(key)
        if key not in known:
            known[key] = _swaps(key, right, classes)
        swaps = known[key]
        before, cost = row, row[0] + gap
        row, moves = [cost], bytearray(width)
        for column in range(width):
            pair = before[column] + swaps[column]
            up = before[column + 1] + gap
            cost += gaps[column]
            move = 2
            if pair <= cost:
                cost, move = pair, 0
            if up <= cost:
                cost, move = up, 1
            row.append(cost)
            moves[column] = move
        trace.append(moves)
    pairs, a, b = [], len(left), width
    while a and b:
        move = trace[a - 1][b - 1]
        a, b = a - (move != 2), b - (move != 1)
        if move == 0:
            pairs.append((a, b))
    return pairs[::-1]


def _runs(free: list[bool]) -> list[tuple[int, int]]:
    runs, start = [], None
    for index, open_ in enumerate([*free, False]):
        if open_ and start is None:
            start = index
        elif not open_ and start is not None:
            runs.append((start, index))
            start = None
    return [run for run in runs if run[1] - run[0] >= _MOVED]


def _pair_moved(left: tuple[str, ...], right: tuple[str, ...], pairs: list[int]) -> None:
    """Pair runs that were heard elsewhere: most of their tokens must be the same."""
    heard = {pair for index, pair in enumerate(pairs) if pair >= 0 and left[index] == right[pair]}
    lost = _runs([pair < 0 or left[index] != right[pair] for index, pair in enumerate(pairs)])
    spare = _runs([index not in heard for index in range(len(right))])
    for a0, a1 in lost:
        for b0, b1 in spare:
            if (a1 - a0) * (b1 - b0) > _DENSE_CELLS:
                continue
            found = _dense(left[a0:a1], right[b0:b1])
            same = sum(left[a0 + a] == right[b0 + b] for a, b in found if right[b0 + b].isalnum())
            if same >= _MOVED and 2 * same >= min(a1 - a0, b1 - b0):
                for index in range(a0, a1):
                    pairs[index] = -1
                for a, b in found:
                    for index, pair in enumerate(pairs):
                        if pair == b0 + b:
                            pairs[index] = -1
                    pairs[a0 + a] = b0 + b
                spare.remove((b0, b1))
                break

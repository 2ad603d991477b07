"""The game of a black box: any function of the set of retained intentions, tabulated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import lcm

from pytest_talk2agent.grading import dense
from pytest_talk2agent.grading.errors import GraderError
from pytest_talk2agent.grading.game import Pairs
from pytest_talk2agent.grading.node import bits

MAXIMUM_PLAYERS = 22
_REPEATED_FULLY = 8
_FLOAT_GRID = 10**9


class TableGame:
    """The game of a black box: all 2^n values, asked once."""

    def __init__(
        self, intentions: Sequence[str], function: Callable[[frozenset[str]], Fraction | int | str | float]
    ) -> None:
        self.players = len(intentions)
        if not 1 <= self.players <= MAXIMUM_PLAYERS:
            raise GraderError(
                f"a black box takes 1 to {MAXIMUM_PLAYERS} intentions, not {self.players}; write an expression",
                "intentions",
            )
        if len(set(intentions)) < self.players:
            raise GraderError("the intentions of a black box must have different names", "intentions")
        self._distinct: list[Fraction] = []
        numbers: dict[Fraction, int] = {}
        self._codes: list[int] = []
        for mask in range(1 << self.players):
            retained = frozenset(intentions[bit] for bit in bits(mask))
            value = _exact(function(retained))
            code = numbers.get(value)
            if code is None:
                code = numbers[value] = len(self._distinct)
                self._distinct.append(value)
            self._codes.append(code)
        for mask in self._repeated():
            retained = frozenset(intentions[bit] for bit in bits(mask))
            again = _exact(function(retained))
            if again != self.value(mask):
                raise GraderError(
                    f"the black box gave {self.value(mask)} and then {again} for the same set {sorted(retained)};"
                    " make it a function of the set alone"
                )

    def _repeated(self) -> list[int]:
        everything = (1 << self.players) - 1
        if self.players <= _REPEATED_FULLY:
            return list(range(everything + 1))
        singles = [1 << bit for bit in range(self.players)]
        return [0, everything, *singles, *(everything ^ single for single in singles)]

    def value(self, retained: int) -> Fraction:
        """The score v where exactly ``retained`` is retained."""
        return self._distinct[self._codes[retained]]

    def extremes(self, retained: int, unresolved: int) -> tuple[Fraction, Fraction]:
        """Least and greatest v over every way the unresolved may fall out, by looking at each."""
        codes: set[int] = set()
        chosen = unresolved
        while True:
            codes.add(self._codes[retained | chosen])
            if not chosen:
                break
            chosen = (chosen - 1) & unresolved
        values = [self._distinct[code] for code in codes]
        return min(values), max(values)

    def shapley(self) -> list[Fraction]:
        """The Shapley value of every intention."""
        return self._dense(lambda index: index, self.players)

    def _dense(self, place: Callable[[int], int], players: int) -> list[Fraction]:
        common = lcm(*(value.denominator for value in self._distinct))
        whole = [int(value * common) for value in self._distinct]
        codes = self._codes
        found = dense.shapley(
            players,
            max(map(abs, whole)),
            lambda start, size: [whole[codes[place(index)]] for index in range(start, start + size)],
        )
        return [value / common for value in found]

    def powerless(self) -> list[int]:
        """The intentions that change v at no end point."""
        codes = self._codes
        return [
            bit
            for bit in range(self.players)
            if all(codes[mask] == codes[mask | 1 << bit] for mask in range(len(codes)) if not mask >> bit & 1)
        ]

    def pairs(self) -> Pairs:
        """The pairwise Shapley interaction index of every pair where it is not 0."""
        result: Pairs = {}
        for first in range(self.players - 1):
            with_first = self._dense(partial(_insert, first, 1), self.players - 1)
            without = self._dense(partial(_insert, first, 0), self.players - 1)
            for second in range(first + 1, self.players):
                change = with_first[second - 1] - without[second - 1]
                if change:
                    result[first, second] = change
        return result


def _insert(position: int, bit: int, mask: int) -> int:
    """``mask`` with one bit more at ``position``."""
    low = mask & (1 << position) - 1
    return (mask ^ low) << 1 | bit << position | low


def _exact(value: Fraction | int | str | float) -> Fraction:
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise GraderError(f"the black box returned {value}; it must return a finite number")
        return Fraction(round(value * _FLOAT_GRID), _FLOAT_GRID)
    return Fraction(value)

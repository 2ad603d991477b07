"""The game behind a grader: what must be answered, and the answers for a compiled expression and for a black box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from math import lcm
from operator import or_
from typing import Protocol

from pytest_talk2agent.grading import dense, sparse
from pytest_talk2agent.grading.compiler import Compiled
from pytest_talk2agent.grading.extremes import extreme, polarity
from pytest_talk2agent.grading.grader_source import GraderError, GraderTooEntangledError
from pytest_talk2agent.grading.network import bits
from pytest_talk2agent.grading.shapley import shapley

Pairs = dict[tuple[int, int], Fraction]


class Game(Protocol):
    """Exact answers about v(F u R), with R a bit mask over ``players`` intentions."""

    players: int

    def value(self, retained: int) -> Fraction:
        """The score v where exactly ``retained`` is retained."""

    def extremes(self, retained: int, unresolved: int) -> tuple[Fraction, Fraction]:
        """Least and greatest v over every way the unresolved may fall out."""

    def shapley(self) -> list[Fraction]:
        """The Shapley value of every intention."""

    def powerless(self) -> list[int]:
        """The intentions that change v at no end point."""

    def pairs(self) -> Pairs:
        """The pairwise Shapley interaction index of every pair where it is not 0."""


class ExpressionGame:
    """The game of a compiled expression."""

    def __init__(self, players: int, compiled: Compiled) -> None:
        self.players = players
        self.network = compiled.network
        self.root, self.unit = compiled.value
        self._order = self.network.order(self.root)

    @cached_property
    def _polarity(self) -> tuple[int, int]:
        return polarity(self.network, self.root)

    def value(self, retained: int) -> Fraction:
        """The score v where exactly ``retained`` is retained."""
        return self.unit * self.network.evaluate(self._order, retained)

    def extremes(self, retained: int, unresolved: int) -> tuple[Fraction, Fraction]:
        """Least and greatest v over every way the unresolved may fall out.

        Raises:
            IntervalTooHardError: when the search exceeds its limit.
        """
        up, down = self._polarity
        if not up & down & unresolved:
            # the direction of each is known, so each end is one evaluation
            return self.value(retained | unresolved & down), self.value(retained | unresolved & up)
        network = self.network
        with network.scratch():
            part = network.restrict(self.root, retained, ((1 << self.players) - 1) & ~retained & ~unresolved)
            return self.unit * extreme(network, part, -1).value, self.unit * extreme(network, part, 1).value

    def shapley(self) -> list[Fraction]:
        """The Shapley value of every intention.

        Raises:
            GraderTooEntangledError: when an exact answer exceeds the limits.
        """
        found = self._shapley
        if isinstance(found, GraderTooEntangledError):
            raise found.with_traceback(None)
        return found

    @cached_property
    def _shapley(self) -> list[Fraction] | GraderTooEntangledError:
        # a refusal takes long and is final, so it is remembered too
        try:
            with self.network.scratch():
                found = shapley(self.network, self.root)
        except GraderTooEntangledError as error:
            return error
        return [self.unit * found.get(bit, Fraction(0)) for bit in range(self.players)]

    def powerless(self) -> list[int]:
        """The intentions that change v at no end point.

        Raises:
            IntervalTooHardError: when that cannot be decided within the limit.
        """
        return [bit for bit in range(self.players) if not self._has_power(bit)]

    def _has_power(self, bit: int) -> bool:
        network, mask = self.network, 1 << bit
        if not network.support[self.root] & mask:
            return False
        shares = self._shapley
        if not isinstance(shares, GraderTooEntangledError):
            up, down = self._polarity
            if shares[bit] or not up & down & mask:
                # where every contribution has one sign, they add up to 0 only if all are 0
                return shares[bit] != 0
        if self._is_pivotal(mask):
            return True
        with network.scratch():
            gain = network.linear(
                0, [(1, network.restrict(self.root, mask, 0)), (-1, network.restrict(self.root, 0, mask))]
            )
            return any(extreme(network, gain, sense).value for sense in (1, -1))

    def _is_pivotal(self, mask: int) -> bool:
        """Whether one of a few coalitions, growing from none to all others, shows that the intention has power."""
        others = [1 << bit for bit in range(self.players) if not mask >> bit & 1]
        for arrivals in (others, others[::-1]):
            coalitions = accumulate(arrivals, or_, initial=0)
            if any(self.value(coalition | mask) != self.value(coalition) for coalition in coalitions):
                return True
        return False

    def pairs(self) -> Pairs:
        """The pairwise Shapley interaction index of every pair where it is not 0.

        Raises:
            GraderTooEntangledError: when an exact answer exceeds the limits.
        """
        network, root = self.network, self.root
        result: Pairs = {}
        if sparse.estimate(network, root) <= sparse.MAXIMUM_TERMS:
            for members, coefficient in sparse.moebius(network, root).items():
                inside = list(bits(members))
                for position, first in enumerate(inside):
                    for second in inside[position + 1 :]:
                        share = self.unit * Fraction(coefficient, len(inside) - 1)
                        result[first, second] = result.get((first, second), Fraction(0)) + share
        else:
            for first in bits(network.support[root]):
                with network.scratch():
                    with_first = shapley(network, network.restrict(root, 1 << first, 0))
                    without = shapley(network, network.restrict(root, 0, 1 << first))
                for second in range(first + 1, self.players):
                    change = with_first.get(second, Fraction(0)) - without.get(second, Fraction(0))
                    result[first, second] = self.unit * change
        return {pair: amount for pair, amount in result.items() if amount}


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

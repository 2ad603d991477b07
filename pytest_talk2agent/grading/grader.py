"""A grader projected on the intentions of its instruction, with exact scores (Talk2Agent, section 4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm

from pytest_talk2agent.grading.compiler import compile_source
from pytest_talk2agent.grading.game import ExpressionGame, Game, TableGame
from pytest_talk2agent.grading.grader_source import GraderSource, Group
from pytest_talk2agent.grading.retention import Interval, Retention, Status

_MOST_REMEMBERED = 256
_known: dict[str, Grader] = {}
"""Graders by their source: the tasks of a benchmark often share one."""

__all__ = ["Grader", "GraderSource", "Group", "black_box", "compile_grader"]


def compile_grader(source: GraderSource) -> Grader:
    """Check and compile the grader of one task; that of another task which says the same is the same.

    Raises:
        GraderError: for whatever its author must mend, with the place (``where``, ``line``, ``column``).
        IntervalTooHardError: where a rule cannot be decided exactly within the limits.
    """
    key = json.dumps(source.to_json())
    known = _known.get(key)
    if known is None:
        game = ExpressionGame(len(source.intentions), compile_source(source))
        if len(_known) >= _MOST_REMEMBERED:
            _known.clear()
        known = _known[key] = Grader(tuple(source.intentions), game)
    return known


def black_box(function: Callable[[frozenset[str]], Fraction | int | str | float], intentions: Sequence[str]) -> Grader:
    """A grader for any function of the set of retained intentions, by asking it for all 2^n sets (n at most 22).

    Fractions, integers and decimal strings are taken exactly; a float is rounded to 1e-9 first, and everything is exact
    for the rounded game. The function is called again on some sets (on all of them up to n = 8).

    Raises:
        GraderError: for too many intentions, a repeated name, a value that is not a finite number, or a function that
            answers the same set differently.
    """
    return Grader(tuple(intentions), TableGame(intentions, function))


class Grader:
    """The game g(R) = v(F u R) - v(F) of one task, with exact answers about it.

    Attributes:
        intentions: the players, in the order they were declared.
        base: v(F), the score when every intention is lost.
        full: g(I), what there is to lose.
        status: ``scored``; ``not_addressable`` where g(I) = 0; ``inverted`` where g(I) < 0.
        reason: why the status is not ``scored``, in one line.
    """

    def __init__(self, intentions: tuple[str, ...], game: Game) -> None:
        self.intentions = intentions
        self.base = game.value(0)
        self.full = game.value((1 << len(intentions)) - 1) - self.base
        self.status: Status = "scored" if self.full > 0 else "inverted" if self.full < 0 else "not_addressable"
        self.reason = self._reason()
        self._game = game
        self._bits = {name: bit for bit, name in enumerate(intentions)}
        self._retentions: dict[tuple[int, int], Retention] = {}

    def _reason(self) -> str | None:
        if self.status == "scored":
            return None
        if self.status == "inverted":
            return f"keeping every intention lowers the score, from {self.base} to {self.base + self.full}"
        return f"the score is {self.base} whether every intention is kept or lost, so there is nothing to lose"

    @cached_property
    def powerless(self) -> tuple[str, ...]:
        """The intentions that change v at no end point (a Shapley value of 0 is not enough).

        Raises:
            IntervalTooHardError: when that cannot be decided within the limit.
        """
        return tuple(self.intentions[bit] for bit in self._game.powerless())

    def value(self, held: Collection[str]) -> Fraction:
        """v(F u held).

        Raises:
            ValueError: for a name that is not an intention.
        """
        return self._game.value(self._mask(held))

    def shapley(self) -> dict[str, Fraction]:
        """The exact Shapley value of every intention; they add up to ``full``.

        Raises:
            GraderTooEntangledError: when an exact answer exceeds the limits.
        """
        return dict(zip(self.intentions, self._shapley, strict=True))

    @cached_property
    def _shapley(self) -> list[Fraction]:
        values = self._game.shapley()
        if sum(values) != self.full:
            raise AssertionError(f"Shapley values add up to {sum(values)}, not {self.full}; please report this grader")
        return values

    @cached_property
    def _whole_shapley(self) -> list[int]:
        """The Shapley values on their common grid, as integers."""
        common = lcm(*(value.denominator for value in self._shapley))
        return [int(value * common) for value in self._shapley]

    def native_if_lost(self) -> dict[str, Fraction | None]:
        """N(I - {i}) for each intention i; None where Native is undefined."""
        everything = (1 << len(self.intentions)) - 1
        return {
            name: (self._game.value(everything & ~(1 << bit)) - self.base) / self.full if self.full else None
            for name, bit in self._bits.items()
        }

    def interactions(self, most: int = 5) -> list[tuple[tuple[str, ...], Fraction]]:
        """The pairs with the strongest Shapley interaction index, strongest first, then in declared order.

        The index of i and j is the change of the Shapley value of j, in the game of the others, between i retained and
        i lost: positive where they need each other, negative where one can stand in for the other.

        Raises:
            GraderTooEntangledError: when an exact answer exceeds the limits.
        """
        ranked = sorted(self._pairs.items(), key=lambda item: (-abs(item[1]), item[0]))
        return [
            ((self.intentions[first], self.intentions[second]), amount) for (first, second), amount in ranked[:most]
        ]

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], Fraction]:
        return self._game.pairs()

    def retention(self, retained: Collection[str], unresolved: Collection[str] = ()) -> Retention:
        """Native, Shapley, Flat and Lost of a transcript; every intention named in neither collection is lost.

        Raises:
            ValueError: for a name that is not an intention, or that is in both collections.
            GraderTooEntangledError: when the Shapley values exceed the limits.
            IntervalTooHardError: when the interval of Native exceeds the limit.
        """
        held, open_ = self._mask(retained), self._mask(unresolved)
        if held & open_:
            both = [name for name, bit in self._bits.items() if held & open_ >> bit & 1]
            raise ValueError(f"{', '.join(both)}: both retained and unresolved")
        known = self._retentions.get((held, open_))
        if known is None:
            # Most transcripts of a task lose the same, or nothing.
            if len(self._retentions) >= _MOST_REMEMBERED:
                self._retentions.clear()
            known = self._retentions[held, open_] = self._retention(held, open_)
        return known

    def _retention(self, held: int, open_: int) -> Retention:
        players = len(self.intentions)
        kept, uncertain = held.bit_count(), open_.bit_count()
        native = shapley = None
        if self.full:
            native = self._native(held, open_)
            shapley = self._share(held, open_)
        return Retention(
            native=native,
            shapley=shapley,
            flat=Interval(Fraction(kept, players), Fraction(kept + uncertain, players)),
            lost=players - kept - uncertain,
            lost_upper=players - kept,
            status=self.status,
            reason=self.reason,
        )

    def _native(self, held: int, unresolved: int) -> Interval:
        if unresolved:
            least, greatest = self._game.extremes(held, unresolved)
        else:
            least = greatest = self._game.value(held)
        ends = (least - self.base) / self.full, (greatest - self.base) / self.full
        return Interval(min(ends), max(ends))

    def _share(self, held: int, unresolved: int) -> Interval:
        values = self._whole_shapley
        whole = sum(values)
        sign = 1 if whole > 0 else -1
        low = high = 0
        for bit, value in enumerate(values):
            if held >> bit & 1:
                low += sign * value
                high += sign * value
            elif unresolved >> bit & 1:
                low += min(0, sign * value)
                high += max(0, sign * value)
        return Interval(Fraction(low, sign * whole), Fraction(high, sign * whole))

    def _mask(self, names: Collection[str]) -> int:
        if isinstance(names, str):
            raise ValueError(f"names come as a collection, not as the text '{names}'")
        mask = 0
        for name in names:
            bit = self._bits.get(name)
            if bit is None:
                raise ValueError(f"'{name}' is not an intention of this task; they are {', '.join(self.intentions)}")
            mask |= 1 << bit
        return mask

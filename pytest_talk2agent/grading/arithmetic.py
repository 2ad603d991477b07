"""Rational arithmetic on the integer nodes of a network."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from pytest_talk2agent.grading.network import Network


class Scaled(NamedTuple):
    """A node and what one unit of it is worth: the value is ``unit`` times the node. The unit is positive."""

    node: int
    unit: Fraction


class Arithmetic:
    """Operations on scaled nodes: units are brought together, and integers stay as small as they can."""

    def __init__(self) -> None:
        self.network = Network()

    def number(self, value: Fraction) -> Scaled:
        """The node of a constant."""
        return Scaled(self.network.constant(value.numerator), Fraction(1, value.denominator))

    def is_constant(self, value: Scaled) -> bool:
        """Whether the value depends on no intention."""
        return self.network.is_constant(value.node)

    def least(self, value: Scaled) -> Fraction:
        """A lower bound of the value at every end point."""
        return value.unit * self.network.low[value.node]

    def greatest(self, value: Scaled) -> Fraction:
        """An upper bound of the value at every end point."""
        return value.unit * self.network.high[value.node]

    def linear(self, constant: Fraction, terms: Sequence[tuple[Fraction, Scaled]]) -> Scaled:
        """``constant`` plus the sum of weight times value."""
        # plain integers: thousands of small fractions would take most of the time of compiling
        below = [weight.denominator * value.unit.denominator for weight, value in terms]
        above = [weight.numerator * value.unit.numerator for weight, value in terms]
        common = lcm(constant.denominator, *below)
        whole = [number * (common // divisor) for number, divisor in zip(above, below, strict=True)]
        start = constant.numerator * (common // constant.denominator)
        shared = gcd(start, *whole) or 1
        weighted = ((weight // shared, value.node) for weight, (_, value) in zip(whole, terms, strict=True))
        node = self.network.linear(start // shared, weighted)
        return Scaled(node, Fraction(shared, common))

    def aligned(self, values: Sequence[Scaled]) -> tuple[list[int], Fraction]:
        """The same values as nodes of one common unit."""
        common = lcm(*(value.unit.denominator for value in values))
        whole = [int(value.unit * common) for value in values]
        shared = gcd(*whole)
        nodes = [
            self.network.linear(0, [(size // shared, value.node)]) for size, value in zip(whole, values, strict=True)
        ]
        return nodes, Fraction(shared, common)

    def choice(self, condition: int, then: Scaled, otherwise: Scaled) -> Scaled:
        """``then`` where the 0/1 node ``condition`` is 1, else ``otherwise``."""
        nodes, unit = self.aligned([then, otherwise])
        return Scaled(self.network.choice(condition, *nodes), unit)

    def extremum(self, values: Sequence[Scaled], greatest: bool) -> Scaled:
        """The greatest or the least of several values."""
        nodes, unit = self.aligned(values)
        return Scaled(self.network.maximum(nodes) if greatest else self.network.minimum(nodes), unit)

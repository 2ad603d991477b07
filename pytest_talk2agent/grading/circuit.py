"""Shapley values of a decomposed network in one forward and one backward pass.

phi_i is the sum over k of k!(m-1-k)!/m! times the total marginal contribution d_i[k] of i to coalitions of size k.
Forward, every node below a threshold, cap or floor gets a table: value to the number of coalitions of each size that
give it; above, the moment (sum of the values by size) is enough. Backward, each node learns how the total depends on
it. Counts by size are polynomials, each packed into one integer (see ``dense``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from operator import add, mul
from typing import NamedTuple

from pytest_talk2agent.grading.dense import pack_width, unpack, weigh
from pytest_talk2agent.grading.network import Network, step_value

Table = dict[int, int]


class TooManyValuesError(Exception):
    """The value tables exceed the limit; ``node`` is the part that has too many distinct values."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class _Fold(NamedTuple):
    """One step of combining the children of a node: the table so far, the weight and the number of the next child."""

    table: Table | None
    weight: int
    child: int


class ValueCircuit:
    """The game of one decomposed node, on its own support.

    Raises (from ``shapley``):
        TooManyValuesError: when the tables need more than ``limit`` pairs of values.
    """

    def __init__(self, network: Network, root: int, limit: int) -> None:
        self.network = network
        self.root = root
        self.limit = limit
        self.pairs = 0
        self.players = network.support[root].bit_count()
        bound = max(abs(network.low[root]), abs(network.high[root]))
        self.width = pack_width(self.players, bound)
        self.powers: dict[int, int] = {}
        self.tables: dict[int, Table] = {}
        self.folds: dict[int, list[_Fold]] = {}
        self.moments: dict[int, int] = {}
        self.slopes: dict[int, int] = {}
        self.adjoints: dict[int, Table] = {}
        self.marginal: dict[int, int] = {}
        self.heap: list[int] = []
        self.queued: set[int] = set()

    def shapley(self) -> dict[int, Fraction]:
        """Shapley value of each variable below the root."""
        self._forward()
        self._slope(self.root, 1)
        while self.heap:
            node = -heappop(self.heap)
            if node in self.slopes:
                self._backward_linear(node, self.slopes.pop(node))
            if node in self.adjoints:
                self._backward_table(node, self.adjoints.pop(node))
        return {bit: weigh(unpack(packed, self.width, self.players)) for bit, packed in sorted(self.marginal.items())}

    def _size(self, node: int) -> int:
        return self.network.support[node].bit_count()

    def _free(self, count: int) -> int:
        """(1 + z)^count: every way in which ``count`` further variables may fall out."""
        power = self.powers.get(count)
        if power is None:
            power = self.powers[count] = (1 + (1 << self.width)) ** count
        return power

    def _branch_factors(self, node: int) -> tuple[int, int]:
        """Factors that bring both branches of a choice to the same variables."""
        _, then, otherwise = self.network.nodes[node].children
        together = (self.network.support[then] | self.network.support[otherwise]).bit_count()
        return self._free(together - self._size(then)), self._free(together - self._size(otherwise))

    def _forward(self) -> None:
        """Tables for what lies below a nonlinear node, moments for the rest, children first."""
        network = self.network
        tabled: set[int] = set()
        order = network.order(self.root)
        for node in reversed(order):
            if node in tabled or network.nodes[node].kind in ("steps", "minimum", "maximum"):
                tabled.add(node)
                tabled.update(network.nodes[node].children)
        linear = {self.root}
        for node in reversed(order):
            if node in linear and network.nodes[node].kind not in ("steps", "minimum", "maximum"):
                linear.update(network.nodes[node].children)
        for node in order:
            if node in tabled:
                self.tables[node] = self._table(node)
            if node in linear:
                self.moments[node] = self._moment(node)

    def _table(self, node: int) -> Table:
        kind, children, numbers = self.network.nodes[node]
        if kind == "constant":
            return {numbers[0]: 1}
        if kind == "variable":
            return {0: 1, 1: 1 << self.width}
        if kind == "linear":
            return self._fold(node, {numbers[0]: 1}, list(zip(numbers[1:], children, strict=True)), add)
        if kind in ("product", "minimum", "maximum"):
            return self._fold(node, None, [(1, child) for child in children], _OPERATIONS[kind])
        result: Table = {}
        if kind == "steps":
            for value, count in self.tables[children[0]].items():
                level = step_value(numbers, value)
                result[level] = result.get(level, 0) + count
            return result
        condition = self.tables[children[0]]
        for side, child, free in zip((1, 0), children[1:], self._branch_factors(node), strict=True):
            factor = condition.get(side, 0) * free
            for value, count in self.tables[child].items():
                result[value] = result.get(value, 0) + factor * count
        return result

    def _fold(
        self, node: int, start: Table | None, terms: Sequence[tuple[int, int]], operation: Callable[[int, int], int]
    ) -> Table:
        folds: list[_Fold] = []
        current = start
        for weight, child in sorted(terms, key=lambda term: (self._size(term[1]), term[1])):
            folds.append(_Fold(current, weight, child))
            table = self.tables[child]
            if current is None:
                current = table
                continue
            self.pairs += len(current) * len(table)
            if self.pairs > self.limit:
                raise TooManyValuesError(node)
            combined: Table = {}
            for value, count in table.items():
                value *= weight
                for other, others in current.items():
                    result = operation(other, value)
                    combined[result] = combined.get(result, 0) + (others if count == 1 else others * count)
            current = combined
        self.folds[node] = folds
        return current or {}

    def _moment(self, node: int) -> int:
        kind, children, numbers = self.network.nodes[node]
        moments = self.moments
        if kind == "constant":
            return numbers[0]
        if kind == "variable":
            return 1 << self.width
        if kind == "linear":
            size = self._size(node)
            total = numbers[0] * self._free(size)
            for weight, child in zip(numbers[1:], children, strict=True):
                total += weight * moments[child] * self._free(size - self._size(child))
            return total
        if kind == "product":
            total = 1
            for child in children:
                total *= moments[child]
            return total
        if kind == "choice":
            condition, then, otherwise = children
            then_free, otherwise_free = self._branch_factors(node)
            held = moments[condition]
            failed = self._free(self._size(condition)) - held
            return held * moments[then] * then_free + failed * moments[otherwise] * otherwise_free
        return sum(value * count for value, count in self.tables[node].items())

    def _queue(self, node: int) -> bool:
        if self.network.is_constant(node):
            return False
        if node not in self.queued:
            self.queued.add(node)
            heappush(self.heap, -node)
        return True

    def _slope(self, node: int, slope: int) -> None:
        if self._queue(node):
            self.slopes[node] = self.slopes.get(node, 0) + slope

    def _adjoin(self, node: int, value: int, amount: int) -> None:
        if self._queue(node):
            adjoint = self.adjoints.setdefault(node, {})
            adjoint[value] = adjoint.get(value, 0) + amount

    def _backward_linear(self, node: int, slope: int) -> None:
        kind, children, numbers = self.network.nodes[node]
        moments = self.moments
        if kind == "variable":
            self.marginal[numbers[0]] = self.marginal.get(numbers[0], 0) + slope
        elif kind == "linear":
            size = self._size(node)
            for weight, child in zip(numbers[1:], children, strict=True):
                self._slope(child, slope * weight * self._free(size - self._size(child)))
        elif kind == "product":
            after = [1]
            for child in reversed(children[1:]):
                after.append(after[-1] * moments[child])
            before = slope
            for child, rest in zip(children, reversed(after), strict=True):
                self._slope(child, before * rest)
                before *= moments[child]
        elif kind == "choice":
            condition, then, otherwise = children
            then_free, otherwise_free = self._branch_factors(node)
            held = moments[condition]
            failed = self._free(self._size(condition)) - held
            self._slope(then, slope * held * then_free)
            self._slope(otherwise, slope * failed * otherwise_free)
            self._slope(condition, slope * (moments[then] * then_free - moments[otherwise] * otherwise_free))
        else:
            for value in self.tables[node]:
                self._adjoin(node, value, slope * value)

    def _backward_table(self, node: int, adjoint: Table) -> None:
        kind, children, numbers = self.network.nodes[node]
        if kind == "variable":
            gain = adjoint.get(1, 0) - adjoint.get(0, 0)
            self.marginal[numbers[0]] = self.marginal.get(numbers[0], 0) + gain
        elif kind == "steps":
            for value in self.tables[children[0]]:
                self._adjoin(children[0], value, adjoint.get(step_value(numbers, value), 0))
        elif kind == "choice":
            condition = self.tables[children[0]]
            for side, child, free in zip((1, 0), children[1:], self._branch_factors(node), strict=True):
                factor = condition.get(side, 0) * free
                total = 0
                for value, count in self.tables[child].items():
                    amount = adjoint.get(value, 0)
                    total += count * amount
                    self._adjoin(child, value, factor * amount)
                self._adjoin(children[0], side, total * free)
        else:
            self._unfold(node, adjoint, add if kind == "linear" else _OPERATIONS[kind])

    def _unfold(self, node: int, adjoint: Table, operation: Callable[[int, int], int]) -> None:
        for current, weight, child in reversed(self.folds[node]):
            table = self.tables[child]
            if current is None:
                for value in table:
                    self._adjoin(child, value, adjoint.get(value, 0))
                return
            before: Table = {}
            for value, count in table.items():
                weighted = value * weight
                total = 0
                for other, others in current.items():
                    amount = adjoint.get(operation(other, weighted))
                    if amount is not None:
                        total += amount * others
                        before[other] = before.get(other, 0) + (amount if count == 1 else amount * count)
                self._adjoin(child, value, total)
            adjoint = before


_OPERATIONS: dict[str, Callable[[int, int], int]] = {"product": mul, "minimum": min, "maximum": max}

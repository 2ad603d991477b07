"""The compiled form of a grader: a hash-consed network of integer nodes, simplified exactly while it is built.

A node is a small integer; its children have smaller numbers, so ascending order is evaluation order. All values are
Python integers: the compiler keeps the rational unit of each node beside it. Recursion over a network is deeper than
Python's stack, so what recurses is written as a `Step` and run by `unwound`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, Literal, NamedTuple, TypeVar

from pytest_talk2agent.grading.expression import Span

Kind = Literal["constant", "variable", "linear", "product", "minimum", "maximum", "steps", "choice"]


class Node(NamedTuple):
    """One operation.

    ``numbers`` holds the value of a constant, the bit of a variable, the constant and then the weights of a linear
    node, and for steps the rising thresholds followed by one value more (the first is below all thresholds).
    A choice has three children: a 0/1 condition, the value where it is 1, the value where it is 0.
    """

    kind: Kind
    children: tuple[int, ...]
    numbers: tuple[int, ...]


def bits(mask: int) -> Iterator[int]:
    """Positions of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def step_value(numbers: Sequence[int], value: int) -> int:
    """The value of a steps node with these numbers where its child is ``value``."""
    half = len(numbers) // 2
    return numbers[half + bisect_right(numbers, value, 0, half)]


def corners(low: int, high: int, other_low: int, other_high: int) -> tuple[int, int]:
    """Least and greatest product of two bounded numbers."""
    products = (low * other_low, low * other_high, high * other_low, high * other_high)
    return min(products), max(products)


# scratch nodes come and go in one thread at a time
_SCRATCHING = RLock()


class Network:
    """The store of nodes: ``support`` masks the variables below a node, ``low`` and ``high`` enclose its values."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.support: list[int] = []
        self.low: list[int] = []
        self.high: list[int] = []
        self.origin: list[Span | None] = []
        self.writing: Span | None = None  # where the nodes that are being made come from
        self._ids: dict[Node, int] = {}

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Forget, on leaving, every node made inside; one thread at a time."""
        with _SCRATCHING:
            size, writing = len(self.nodes), self.writing
            try:
                yield
            finally:
                for node in self.nodes[size:]:
                    del self._ids[node]
                for column in (self.nodes, self.support, self.low, self.high, self.origin):
                    del column[size:]
                self.writing = writing

    def _make(self, kind: Kind, children: tuple[int, ...], numbers: tuple[int, ...], low: int, high: int) -> int:
        node = Node(kind, children, numbers)
        found = self._ids.get(node)
        if found is not None:
            return found
        support = 1 << numbers[0] if kind == "variable" else 0
        for child in children:
            support |= self.support[child]
        number = self._ids[node] = len(self.nodes)
        self.nodes.append(node)
        self.support.append(support)
        self.low.append(low)
        self.high.append(high)
        self.origin.append(self.writing)
        return number

    def is_constant(self, node: int) -> bool:
        """Whether the node depends on no variable."""
        return self.nodes[node].kind == "constant"

    def is_boolean(self, node: int) -> bool:
        """Whether the bounds show that the node is 0 or 1."""
        return self.low[node] >= 0 and self.high[node] <= 1

    def constant(self, value: int) -> int:
        """The node that is always ``value``."""
        return self._make("constant", (), (value,), value, value)

    def variable(self, bit: int) -> int:
        """The node that is 1 where intention ``bit`` is retained, else 0."""
        return self._make("variable", (), (bit,), 0, 1)

    def linear(self, constant: int, terms: Iterable[tuple[int, int]]) -> int:
        """``constant`` plus the sum of weight times node."""
        total: dict[int, int] = {}
        for weight, child in terms:
            node = self.nodes[child]
            if node.kind == "constant":
                constant += weight * node.numbers[0]
            elif node.kind == "linear":
                constant += weight * node.numbers[0]
                for inner, grandchild in zip(node.numbers[1:], node.children, strict=True):
                    total[grandchild] = total.get(grandchild, 0) + weight * inner
            else:
                total[child] = total.get(child, 0) + weight
        kept = sorted((child, weight) for child, weight in total.items() if weight)
        if not kept:
            return self.constant(constant)
        if constant == 0 and len(kept) == 1 and kept[0][1] == 1:
            return kept[0][0]
        low = high = constant
        for child, weight in kept:
            ends = (weight * self.low[child], weight * self.high[child])
            low += min(ends)
            high += max(ends)
        weights = tuple(weight for _, weight in kept)
        return self._make("linear", tuple(child for child, _ in kept), (constant, *weights), low, high)

    def complement(self, node: int) -> int:
        """1 minus the node."""
        return self.linear(1, [(-1, node)])

    def product(self, factors: Iterable[int]) -> int:
        """The product of nodes; a repeated 0/1 factor counts once."""
        coefficient = 1
        flat: list[int] = []
        for factor in factors:
            node = self.nodes[factor]
            if node.kind == "linear" and node.numbers[0] == 0 and len(node.children) == 1:
                coefficient *= node.numbers[1]
                factor = node.children[0]
                node = self.nodes[factor]
            if node.kind == "constant":
                coefficient *= node.numbers[0]
            elif node.kind == "product":
                flat.extend(node.children)
            else:
                flat.append(factor)
        if coefficient == 0:
            return self.constant(0)
        kept: list[int] = []
        for factor in sorted(flat):
            if not (kept and kept[-1] == factor and self.is_boolean(factor)):
                kept.append(factor)
        if not kept:
            return self.constant(coefficient)
        if len(kept) == 1:
            result = kept[0]
        else:
            low = high = 1
            for factor in kept:
                low, high = corners(low, high, self.low[factor], self.high[factor])
            result = self._make("product", tuple(kept), (), low, high)
        return result if coefficient == 1 else self.linear(0, [(coefficient, result)])

    def extremum(self, kind: Literal["minimum", "maximum"], nodes: Iterable[int]) -> int:
        """The least or the greatest of several nodes."""
        least = kind == "minimum"
        choose = min if least else max
        bound, other = (self.high, self.low) if least else (self.low, self.high)
        flat: set[int] = set()
        for node in nodes:
            flat.update(self.nodes[node].children if self.nodes[node].kind == kind else (node,))
        best = choose(bound[node] for node in flat)
        # one node that surely reaches the bound makes every node that never passes it redundant
        winner = min((node for node in flat if bound[node] == best), key=lambda node: (self.is_constant(node), node))
        kept = sorted(node for node in flat if node == winner or choose(other[node], best) != best)
        if len(kept) == 1:
            return winner
        if all(self.is_boolean(node) for node in kept):
            return self.product(kept) if least else self.complement(self.product(map(self.complement, kept)))
        if len(kept) == 2:
            for node, limit in (kept, reversed(kept)):
                two = self._two_valued(node) if self.is_constant(limit) else None
                if two is not None:
                    condition, off, on = two
                    off, on = choose(off, self.low[limit]), choose(on, self.low[limit])
                    return self.linear(off, [(on - off, condition)])
        low, high = choose(self.low[node] for node in kept), choose(self.high[node] for node in kept)
        return self._make(kind, tuple(kept), (), low, high)

    def _two_valued(self, node: int) -> tuple[int, int, int] | None:
        """The 0/1 node that this one is an affine function of, with the values where that is 0 and 1."""
        if self.is_boolean(node):
            return node, 0, 1
        kind, children, numbers = self.nodes[node]
        if kind == "linear" and len(children) == 1 and self.is_boolean(children[0]):
            return children[0], numbers[0], numbers[0] + numbers[1]
        return None

    def steps(self, child: int, thresholds: Sequence[int], values: Sequence[int]) -> int:
        """``values[j]``, where j counts the rising ``thresholds`` that the child reaches."""
        first, last = bisect_right(thresholds, self.low[child]), bisect_right(thresholds, self.high[child])
        level = values[first]
        kept: list[tuple[int, int]] = []
        reached = dict(
            zip(thresholds[first:last], values[first + 1 : last + 1], strict=True)
        )  # the last of equals holds
        for threshold, value in reached.items():
            if value != (kept[-1][1] if kept else level):
                kept.append((threshold, value))
        if not kept:
            return self.constant(level)
        numbers = (*(threshold for threshold, _ in kept), level, *(value for _, value in kept))
        two = self._two_valued(child)
        if two is not None:
            condition, off, on = two
            off, on = step_value(numbers, off), step_value(numbers, on)
            return self.linear(off, [(on - off, condition)])
        if len(kept) == 1:
            threshold, value = kept[0]
            step = self._make("steps", (child,), (threshold, 0, 1), 0, 1)
            return self.linear(level, [(value - level, step)])
        levels = numbers[len(kept) :]
        return self._make("steps", (child,), numbers, min(levels), max(levels))

    def choice(self, condition: int, then: int, otherwise: int) -> int:
        """``then`` where the 0/1 ``condition`` is 1, else ``otherwise``."""
        if self.is_constant(condition):
            return then if self.low[condition] else otherwise
        if then == otherwise:
            return then
        if self.is_constant(then) and self.is_constant(otherwise):
            low = self.low[otherwise]
            return self.linear(low, [(self.low[then] - low, condition)])
        if self.is_constant(otherwise) and self.low[otherwise] == 0:
            return self.product((condition, then))
        if self.is_constant(then) and self.low[then] == 0:
            return self.product((self.complement(condition), otherwise))
        low = min(self.low[then], self.low[otherwise])
        high = max(self.high[then], self.high[otherwise])
        return self._make("choice", (condition, then, otherwise), (), low, high)

    def rebuild(self, node: int, children: Sequence[int]) -> int:
        """The same operation on other children, simplified again."""
        kind, old, numbers = self.nodes[node]
        if tuple(children) == old:
            return node
        self.writing = self.origin[node]
        if kind == "linear":
            return self.linear(numbers[0], zip(numbers[1:], children, strict=True))
        if kind == "product":
            return self.product(children)
        if kind == "steps":
            half = len(numbers) // 2
            return self.steps(children[0], numbers[:half], numbers[half:])
        if kind == "choice":
            return self.choice(*children)
        return self.extremum("minimum" if kind == "minimum" else "maximum", children)

    def order(self, root: int) -> list[int]:
        """Every node below and including ``root``, children first."""
        seen = {root}
        stack = [root]
        while stack:
            for child in self.nodes[stack.pop()].children:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return sorted(seen)

    def restrict(self, root: int, ones: int, zeros: int, memo: dict[int, int] | None = None) -> int:
        """``root`` with the variables ``ones`` set to 1 and ``zeros`` to 0; ``memo`` serves these masks only."""
        memo = {} if memo is None else memo
        fixed = ones | zeros
        if not self.support[root] & fixed:
            return root
        pending: set[int] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in memo and node not in pending and self.support[node] & fixed:
                pending.add(node)
                stack.extend(self.nodes[node].children)
        for node in sorted(pending):
            kind, children, numbers = self.nodes[node]
            if kind == "variable":
                memo[node] = self.constant(ones >> numbers[0] & 1)
            else:
                memo[node] = self.rebuild(node, [memo.get(child, child) for child in children])
        return memo[root]

    def evaluate(self, order: Sequence[int], ones: int) -> int:
        """The value of the last node of ``order`` (from ``order()``) where exactly the variables in ``ones`` are 1."""
        return self.values(order, ones)[order[-1]]

    def values(self, order: Sequence[int], ones: int) -> dict[int, int]:
        """The value of each node of ``order``, which has the children of a node before it."""
        values: dict[int, int] = {}
        value = 0
        for number in order:
            kind, children, numbers = self.nodes[number]
            if kind == "variable":
                value = ones >> numbers[0] & 1
            elif kind == "linear":
                value = numbers[0]
                for weight, child in zip(numbers[1:], children, strict=True):
                    value += weight * values[child]
            elif kind == "product":
                value = 1
                for child in children:
                    value *= values[child]
            elif kind == "constant":
                value = numbers[0]
            elif kind == "steps":
                value = step_value(numbers, values[children[0]])
            elif kind == "choice":
                value = values[children[1] if values[children[0]] else children[2]]
            elif kind == "minimum":
                value = min(values[child] for child in children)
            else:
                value = max(values[child] for child in children)
            values[number] = value
        return values


T = TypeVar("T")

# what a recursive step is: it yields further steps, is sent their results and returns its own
Step = Generator[Any, Any, T]


def unwound(step: Step[T]) -> T:
    """The result of ``step``, with every nested step run on an explicit stack."""
    stack: list[Step[Any]] = [step]
    result: Any = None
    while stack:
        try:
            nested = stack[-1].send(result)
        except StopIteration as stop:
            stack.pop()
            result = stop.value
        else:
            stack.append(nested)
            result = None
    final: T = result
    return final

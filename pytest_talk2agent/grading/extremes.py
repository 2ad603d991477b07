"""The exact minimum or maximum of a node over end points: signs first, then independent parts, then branch and bound.

Talk2Agent, section 4: with unresolved intentions a score is the interval of its values over every way they may fall
out. Interval arithmetic is exact only where no variable repeats, and only the two corners are wrong for penalties.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

from pytest_talk2agent.grading.grader_source import IntervalTooHardError
from pytest_talk2agent.grading.network import Network, Step, bits, corners, step_value, unwound

MAXIMUM_BRANCHINGS = 20_000


class Extreme(NamedTuple):
    """The extreme ``value`` and a set of variables, as a mask, at which the node has it (all others 0)."""

    value: int
    ones: int


def extreme(network: Network, node: int, sense: int, limit: int = MAXIMUM_BRANCHINGS) -> Extreme:
    """The maximum (``sense`` 1) or minimum (``sense`` -1) of ``node`` over all assignments of its variables.

    Raises:
        IntervalTooHardError: after ``limit`` branchings; no outer bound is returned in its place.
    """
    if network.is_constant(node):
        return Extreme(network.low[node], 0)
    with network.scratch():
        return unwound(_Search(network, node, limit).extreme(node, sense))


def polarity(network: Network, root: int) -> tuple[int, int]:
    """Masks of the variables in which ``root`` may increase and may decrease (a variable in neither has no effect)."""
    return _polarities(network, root)[root]


def _polarities(network: Network, root: int) -> dict[int, tuple[int, int]]:
    signs: dict[int, tuple[int, int]] = {}
    low, high = network.low, network.high
    for node in network.order(root):
        kind, children, numbers = network.nodes[node]
        up = down = 0
        if kind == "variable":
            up = 1 << numbers[0]
        elif kind == "linear":
            for weight, child in zip(numbers[1:], children, strict=True):
                up, down = _join(up, down, signs[child], weight)
        elif kind == "product":
            for position, child in enumerate(children):
                rest = (1, 1)
                for other in children[:position] + children[position + 1 :]:
                    rest = corners(*rest, low[other], high[other])
                up, down = _join(up, down, signs[child], _sign(*rest))
        elif kind == "steps":
            values = numbers[len(numbers) // 2 :]
            rising = all(a <= b for a, b in pairwise(values))
            falling = all(a >= b for a, b in pairwise(values))
            up, down = _join(0, 0, signs[children[0]], 1 if rising else -1 if falling else 0)
        elif kind == "choice":
            condition, then, otherwise = children
            gain = _sign(low[then] - high[otherwise], high[then] - low[otherwise])
            for child, weight in ((condition, gain), (then, 1), (otherwise, 1)):
                up, down = _join(up, down, signs[child], weight)
        else:
            for child in children:
                up, down = _join(up, down, signs[child], 1)
        signs[node] = (up, down)
    return signs


def _sign(low: int, high: int) -> int:
    return 1 if low >= 0 else -1 if high <= 0 else 0


def _join(up: int, down: int, child: tuple[int, int], weight: int) -> tuple[int, int]:
    """Masks after adding ``weight`` times a child; weight 0 stands for an unknown sign."""
    more, less = child if weight > 0 else (child[1], child[0]) if weight < 0 else (child[0] | child[1],) * 2
    return up | more, down | less


class _Search:
    def __init__(self, network: Network, root: int, limit: int) -> None:
        self.network = network
        self.root = root
        self.limit = limit
        self.branchings = 0
        self.known: dict[tuple[int, int], Extreme] = {}

    def extreme(self, node: int, sense: int) -> Step[Extreme]:
        found = self.known.get((node, sense))
        if found is None:
            found = yield self._solve(node, sense)
            self.known[node, sense] = found
        return found

    def _solve(self, node: int, sense: int) -> Step[Extreme]:
        network = self.network
        ones = 0
        while True:
            up, down = polarity(network, node)
            rising, falling = (up & ~down, down & ~up) if sense > 0 else (down & ~up, up & ~down)
            support = network.support[node]
            ones |= rising & support
            zeros = support & (falling | ~(up | down))
            if not (rising | zeros) & support:
                break
            node = network.restrict(node, rising & support, zeros)
        if network.is_constant(node):
            return Extreme(network.low[node], ones)
        result = yield self._split(node, sense)
        return Extreme(result.value, result.ones | ones)

    def _split(self, node: int, sense: int) -> Step[Extreme]:
        """Independent parts one by one; where parts share variables, branch on one of them."""
        network = self.network
        kind, children, numbers = network.nodes[node]
        choose = max if sense > 0 else min
        if kind == "linear":
            groups = independent(network, children)
            if len(children) == 1 or len(groups) > 1:
                weights = dict(zip(children, numbers[1:], strict=True))
                value, ones = numbers[0], 0
                for members in groups:
                    if len(members) == 1:
                        weight = weights[members[0]]
                        part = yield self.extreme(members[0], sense if weight > 0 else -sense)
                        value += weight * part.value
                    else:
                        sub = network.linear(0, [(weights[child], child) for child in members])
                        part = yield self.extreme(sub, sense)
                        value += part.value
                    ones |= part.ones
                return Extreme(value, ones)
        elif kind == "steps":
            values = numbers[len(numbers) // 2 :]
            if all(a <= b for a, b in pairwise(values)):
                part = yield self.extreme(children[0], sense)
                return Extreme(step_value(numbers, part.value), part.ones)
            if all(a >= b for a, b in pairwise(values)):
                part = yield self.extreme(children[0], -sense)
                return Extreme(step_value(numbers, part.value), part.ones)
        elif kind == ("maximum" if sense > 0 else "minimum"):
            # the greatest of several maxima needs no independence
            best: Extreme | None = None
            for child in children:
                part = yield self.extreme(child, sense)
                if best is None or choose(part.value, best.value) != best.value:
                    best = part
            if best is not None:
                return best
        elif kind in ("minimum", "maximum"):
            if len(independent(network, children)) == len(children):
                parts = []
                for child in children:
                    parts.append((yield self.extreme(child, sense)))
                pick = min if kind == "minimum" else max
                return Extreme(pick(part.value for part in parts), _union(part.ones for part in parts))
        elif kind == "product" and len(independent(network, children)) == len(children):
            least, most = Extreme(1, 0), Extreme(1, 0)
            for child in children:
                low = yield self.extreme(child, -1)
                high = yield self.extreme(child, 1)
                pairs = [Extreme(a.value * b.value, a.ones | b.ones) for a in (least, most) for b in (low, high)]
                least, most = min(pairs), max(pairs)
            return most if sense > 0 else least
        branched: Extreme = yield self._branch(node, sense)
        return branched

    def _branch(self, node: int, sense: int) -> Step[Extreme]:
        network = self.network
        self.branchings += 1
        if self.branchings > self.limit:
            raise too_hard(network, self.root, self.limit)
        bit = self._most_shared(node)
        bound = network.high if sense > 0 else network.low
        branches = [(network.restrict(node, 1 << bit, 0), 1 << bit), (network.restrict(node, 0, 1 << bit), 0)]
        branches.sort(key=lambda branch: -sense * bound[branch[0]])
        first = yield self.extreme(branches[0][0], sense)
        best = Extreme(first.value, first.ones | branches[0][1])
        if sense * bound[branches[1][0]] > sense * best.value:
            second = yield self.extreme(branches[1][0], sense)
            if sense * second.value > sense * best.value:
                best = Extreme(second.value, second.ones | branches[1][1])
        return best

    def _most_shared(self, node: int) -> int:
        """The variable that the most operations see through their children; the lowest of equals."""
        network = self.network
        uses = dict.fromkeys(bits(network.support[node]), 0)
        for inner in network.order(node):
            for child in network.nodes[inner].children:
                for bit in bits(network.support[child]):
                    uses[bit] += 1
        return max(uses, key=lambda bit: (uses[bit], -bit))


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def independent(network: Network, nodes: Iterable[int]) -> list[list[int]]:
    """Group nodes so that different groups share no variable."""
    groups: list[tuple[int, list[int]]] = []
    for node in nodes:
        support = network.support[node]
        members: list[int] = []
        apart = []
        for mask, inside in groups:
            if mask & support:
                support |= mask
                members += inside
            else:
                apart.append((mask, inside))
        groups = [*apart, (support, [*members, node])]
    return [members for _, members in groups]


def too_hard(network: Network, node: int, limit: int) -> IntervalTooHardError:
    """The error for an extreme that needs more than ``limit`` branchings."""
    span = network.origin[node]
    text = (
        f"the exact interval needs more than {limit} branchings over {network.support[node].bit_count()} intentions"
        f"{f' in `{span.excerpt}`' if span else ''};"
        " resolve more intentions, or split the expression into a sum of parts that share none"
    )
    return IntervalTooHardError(text, *((span.where, span.line, span.column) if span else ()))

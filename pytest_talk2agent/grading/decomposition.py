"""Rewriting a network so that size polynomials can be multiplied: parts that meet must share no variable.

Below a threshold, cap or floor every operation gets children of disjoint support; above, in the part that is linear in
its terms, sums may share. Where parts share, the variable that most of them contain is decided:
``x ? part|x=1 : part|x=0``.
(The structure is that of deterministic decomposable circuits, on which counting by size is polynomial.)
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_talk2agent.grading.extremes import independent
from pytest_talk2agent.grading.network import Network, Step, bits, unwound


class TooManyNodesError(Exception):
    """The rewriting exceeds its limit; ``node`` is the part that was being decided."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


def decompose(network: Network, root: int, limit: int) -> int:
    """A node equal to ``root`` in decomposed form.

    Raises:
        TooManyNodesError: after ``limit`` new nodes.
    """
    return unwound(_Decomposition(network, limit).rewrite(root, True))


class _Decomposition:
    def __init__(self, network: Network, limit: int) -> None:
        self.network = network
        self.limit = len(network.nodes) + limit
        self.done: dict[tuple[int, bool], int] = {}
        self.restricted: dict[tuple[int, int], dict[int, int]] = {}

    def rewrite(self, node: int, linear: bool) -> Step[int]:
        found = self.done.get((node, linear))
        if found is None:
            found = yield self._rewrite(node, linear)
            self.done[node, linear] = found
        return found

    def _rewrite(self, node: int, linear: bool) -> Step[int]:
        network = self.network
        kind, children, numbers = network.nodes[node]
        if kind in ("constant", "variable"):
            return node
        rewritten: list[int] = []
        if kind == "steps" or (kind == "linear" and linear):
            for child in children:
                rewritten.append((yield self.rewrite(child, linear and kind == "linear")))
            return network.rebuild(node, rewritten)
        if kind == "choice":
            condition, then, otherwise = (network.support[child] for child in children)
            shared = condition & (then | otherwise)
            if shared:
                decided: int = yield self.decide(node, next(bits(shared)), linear)
                return decided
            for child in children:
                rewritten.append((yield self.rewrite(child, linear)))
            return network.rebuild(node, rewritten)
        groups = independent(network, children)
        inside = linear and kind == "product"
        if kind == "linear":
            weights = dict(zip(children, numbers[1:], strict=True))
            terms: list[tuple[int, int]] = []
            for members in groups:
                if len(members) == 1:
                    terms.append((weights[members[0]], (yield self.rewrite(members[0], False))))
                else:
                    network.writing = network.origin[node]
                    part = network.linear(0, [(weights[child], child) for child in members])
                    terms.append((1, (yield self.untie(part, members, False))))
            network.writing = network.origin[node]
            return network.linear(numbers[0], terms)
        for members in groups:
            if len(members) == 1:
                rewritten.append((yield self.rewrite(members[0], inside)))
            else:
                network.writing = network.origin[node]
                rewritten.append((yield self.untie(self.combine(kind, members), members, inside)))
        network.writing = network.origin[node]
        return self.combine(kind, rewritten)

    def combine(self, kind: str, nodes: Sequence[int]) -> int:
        if kind == "product":
            return self.network.product(nodes)
        return self.network.extremum("minimum" if kind == "minimum" else "maximum", nodes)

    def untie(self, part: int, members: Sequence[int], linear: bool) -> Step[int]:
        """Decide the variable of ``part`` that most members contain; the lowest of equals."""
        untied: int
        if len(self.network.nodes[part].children) < 2:
            untied = yield self.rewrite(part, linear)
            return untied
        uses = dict.fromkeys(bits(self.network.support[part]), 0)
        for member in members:
            for bit in bits(self.network.support[member] & self.network.support[part]):
                uses[bit] += 1
        untied = yield self.decide(part, max(uses, key=lambda bit: (uses[bit], -bit)), linear)
        return untied

    def decide(self, node: int, bit: int, linear: bool) -> Step[int]:
        network = self.network
        if len(network.nodes) > self.limit:
            raise TooManyNodesError(node)
        mask = 1 << bit
        then = network.restrict(node, mask, 0, self.restricted.setdefault((mask, 0), {}))
        otherwise = network.restrict(node, 0, mask, self.restricted.setdefault((0, mask), {}))
        then = yield self.rewrite(then, linear)
        otherwise = yield self.rewrite(otherwise, linear)
        network.writing = network.origin[node]
        return network.choice(network.variable(bit), then, otherwise)

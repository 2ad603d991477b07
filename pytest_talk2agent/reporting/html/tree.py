"""The grader of a task as a tree for a reader, and what its parts are worth in one transcript."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from pytest_talk2agent.grading.compiler import compile_source
from pytest_talk2agent.grading.expression import Call, Expression, Name, Number, Product, Sum, walk
from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.results.verdict import show

_CAPTIONS = {
    "all": "all of",
    "any": "any of",
    "no": "not",
    "sum": "sum of",
    "mean": "mean of",
    "gate": "gate",
    "atleast": "count",
    "steps": "steps",
    "cap": "capped",
    "floor": "floored",
    "clamp": "kept",
    "best": "best of",
}


class GraderTree:
    """The ``value`` of a grader and each ``let`` that it uses, as trees whose nodes are numbered in reading order.

    Raises GraderError where the source is no grader.
    """

    def __init__(self, source: GraderSource) -> None:
        self._source = source
        self._compiled = compile_source(source)
        self._places: dict[int, int] = {}
        for root in self._roots().values():
            for node in _reading_order(root):
                if node is root or not isinstance(node, Number):
                    self._places[id(node)] = len(self._places)
        self._full = self._values(source.intentions.keys())
        self._known: dict[tuple[frozenset[str], frozenset[str]], list[list[Any]]] = {}

    def to_json(self) -> list[list[Any]]:
        """For each root its name and its node: ``[kind, role, caption, words, value when nothing is lost, children]``.

        ``words`` is what the author wrote, shortened where it is long. Numbers are no nodes but part of the caption.
        """
        return [[name, self._node(root, "")] for name, root in self._roots().items()]

    def losses(self, lost: Collection[str], unresolved: Collection[str]) -> list[list[Any]]:
        """The nodes whose value differs from that when nothing is lost: ``[number, state, value]``.

        The state is "lost", or "open" where it is only if what is unresolved counts as lost; the value then shows both.
        """
        key = frozenset(lost), frozenset(unresolved)
        if key not in self._known:
            kept = [name for name in self._source.intentions if name not in key[0]]
            sure = [name for name in kept if name not in key[1]]
            pairs = zip(self._values(sure), self._values(kept), self._full, strict=True)
            self._known[key] = [
                [number, "open" if full in (low, high) else "lost", _both(low, high)]
                for number, (low, high, full) in enumerate(pairs)
                if not low == high == full
            ]
        return self._known[key]

    def _roots(self) -> dict[str, Expression]:
        parsed = self._compiled.expressions
        used = {node.name for root in parsed.values() for node in walk(root) if isinstance(node, Name)}
        return {
            "value": parsed[""],
            **{name: parsed[name] for name in self._source.let if name in used},
        }

    def _values(self, retained: Collection[str]) -> list[Fraction]:
        """What each node is worth where exactly ``retained`` is retained, by number."""
        network, parts = self._compiled.network, self._compiled.parts
        ones = sum(1 << bit for bit, name in enumerate(self._source.intentions) if name in retained)
        found = network.values(range(len(network.nodes)), ones)
        return [parts[place].unit * found[parts[place].node] for place in self._places]

    def _node(self, node: Expression, role: str) -> list[Any]:
        kind, caption = self._caption(node)
        parts = zip(node.children, _roles(node), strict=True)
        children = [self._node(child, word) for child, word in parts if not isinstance(child, Number)]
        full = show(self._full[self._places[id(node)]])
        return [kind, role, caption, node.span.excerpt, full, children]

    def _caption(self, node: Expression) -> tuple[str, str]:
        source = self._source
        if isinstance(node, Number):
            return "number", ""
        if isinstance(node, Name):
            if node.name in source.fixed:
                return "fixed", "" if source.fixed[node.name] else "does not hold"
            if node.name in source.groups:
                group = source.groups[node.name]
                count = "" if node.index else f"{group.count} criteria, "
                return "group", f"{count}needs {', '.join(group.needs)}"
            return ("let" if node.name in source.let else "intention"), ""
        return "call", _operation(node)


def _reading_order(root: Expression) -> list[Expression]:
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(node.children))
    return order


def _operation(node: Expression) -> str:
    """What a node does, with the numbers that it does it with."""
    parts = list(zip(node.children, _roles(node), strict=True))
    numbers = [child.span.excerpt for child, role in parts if isinstance(child, Number) and not role]
    named = [f"{role} {child.span.excerpt}" for child, role in parts if isinstance(child, Number) and role]
    if isinstance(node, Product):
        words = [" times ".join([*numbers, ""]).rstrip() if numbers else "product of"]
    elif isinstance(node, Sum):
        words = [" plus ".join([*numbers, ""]).rstrip() if numbers else "sum of"]
    elif isinstance(node, Call):
        words = [_CAPTIONS[node.function], *([f"{', '.join(numbers)} and"] if numbers else [])]
    else:
        words = ["minus", *numbers]
    return " ".join([*words, *named])


def _roles(node: Expression) -> list[str]:
    """The role of each child, where its position alone does not tell it."""
    count = len(node.children)
    if isinstance(node, Product):
        return [*[""] * len(node.factors), *["divided by"] * len(node.divisors)]
    if not isinstance(node, Call):
        return [""] * count
    if node.function == "steps":
        return ["of", *["from", "gives"] * ((count - 2) // 2), "else"]
    first = {
        "gate": ["if", "then", "else"],
        "atleast": ["at least"],
        "cap": ["", "at"],
        "floor": ["", "at"],
        "clamp": ["", "from", "to"],
    }.get(node.function, [])
    return [*first, *[""] * count][:count]


def _both(low: Fraction, high: Fraction) -> str:
    return show(low) if low == high else f"{show(low)} or {show(high)}"

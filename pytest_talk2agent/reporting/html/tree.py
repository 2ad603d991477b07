"""The grader of a task as a tree for a reader, and what its parts are worth in one transcript."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import prod
from typing import Any

from pytest_talk2agent.grading.declarations import parse_all
from pytest_talk2agent.grading.expression import Call, Expression, Name, Negative, Number, Product, Sum, walk
from pytest_talk2agent.grading.source import GraderSource
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
        self._parsed = parse_all(source)  # each after those that it needs
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
        """The nodes that are worth something else than when nothing is lost: ``[number, state, value]``.

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
        used = {node.name for root in self._parsed.values() for node in walk(root) if isinstance(node, Name)}
        return {
            "value": self._parsed[""],
            **{name: self._parsed[name] for name in self._source.let if name in used},
        }

    def _values(self, retained: Collection[str]) -> list[Fraction]:
        """What each node is worth where exactly ``retained`` is retained, by number."""
        source = self._source
        names = {name: Fraction(1) if name in retained else worth for name, worth in source.intentions.items()}
        names.update((name, Fraction(holds)) for name, holds in source.fixed.items())
        for name, group in source.groups.items():
            names[name] = Fraction(all(need in retained for need in group.needs))
        found: dict[int, Fraction] = {}
        for name, root in self._parsed.items():
            for node in walk(root):
                found[id(node)] = self._value(node, found, names)
            names[name] = found[id(root)]
        return [found[place] for place in self._places]

    def _value(self, node: Expression, found: Mapping[int, Fraction], names: Mapping[str, Fraction]) -> Fraction:
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Name):
            return names[node.name]
        values = [found[id(child)] for child in node.children]
        if isinstance(node, Negative):
            return -values[0]
        if isinstance(node, Sum):
            return sum(values, Fraction(0))
        if isinstance(node, Product):
            count = len(node.factors)
            return prod(values[:count], start=Fraction(1)) / prod(values[count:], start=Fraction(1))
        if isinstance(node, Call):
            return self._call(node, values)
        raise TypeError(node)

    def _call(self, node: Call, values: Sequence[Fraction]) -> Fraction:
        first = values[0]
        if node.function == "gate":
            return values[1] if first else values[2] if len(values) == 3 else Fraction(0)
        if node.function == "steps":
            levels = zip(values[1:-1:2], values[2:-1:2], strict=True)
            return next((value for threshold, value in levels if threshold <= first), values[-1])
        if node.function == "clamp":
            return min(max(first, values[1]), values[2])
        if node.function in ("cap", "floor"):
            return min(values) if node.function == "cap" else max(values)
        if node.function == "no":
            return 1 - first
        count, every = 0, list(chain.from_iterable(map(self._members, node.arguments, values)))
        if node.function == "atleast":
            count, every = int(first), every[1:]
        if node.function in ("all", "any", "atleast"):
            wanted = {"all": len(every), "any": 1}.get(node.function, count)
            return Fraction(sum(map(bool, every)) >= wanted)
        if node.function == "best":
            return max(every)
        total = sum(every, Fraction(0))
        return total / len(every) if node.function == "mean" else total

    def _members(self, node: Expression, value: Fraction) -> list[Fraction]:
        """A bare group stands for all its criteria, which hold together."""
        if isinstance(node, Name) and node.index is None and node.name in self._source.groups:
            return [value] * self._source.groups[node.name].count
        return [value]

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
    """What each child is for, where its place alone does not say it."""
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

"""The parsed form of an expression: frozen nodes, each knowing which part of its author's text it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from pytest_talk2agent.grading.grader_source import GraderError

_EXCERPT = 80


@dataclass(frozen=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) of the text of one part of a grader."""

    where: str
    text: str
    start: int
    end: int

    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Column of the first character, from 1."""
        return self.start - (self.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def excerpt(self) -> str:
        """The author's own words on one line, shortened in the middle where they are long."""
        words = " ".join(self.text[self.start : self.end].split())
        if len(words) <= _EXCERPT:
            return words
        return f"{words[: _EXCERPT - 20]} ... {words[-15:]}"

    def error(self, message: str) -> GraderError:
        """An error at this place, to be raised by the caller."""
        return GraderError(message, self.where, self.line, self.column)


@dataclass(frozen=True)
class Expression:
    """A node of the parsed expression."""

    span: Span = field(compare=False, repr=False)

    @property
    def children(self) -> tuple[Expression, ...]:
        """The parts of this node, in the order they were written."""
        return ()


@dataclass(frozen=True)
class Number(Expression):
    """A decimal number, read exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """A criterion, a ``let`` name or a group; ``index`` picks one member of a group."""

    name: str
    index: int | None = None


@dataclass(frozen=True)
class Negative(Expression):
    """Minus the operand."""

    operand: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operand."""
        return (self.operand,)


@dataclass(frozen=True)
class Sum(Expression):
    """Terms joined by plus and minus (a subtracted term is a ``Negative``)."""

    terms: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The terms."""
        return self.terms


@dataclass(frozen=True)
class Product(Expression):
    """Factors multiplied together and divided by each of ``divisors``."""

    factors: tuple[Expression, ...]
    divisors: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """Factors, then divisors."""
        return self.factors + self.divisors


@dataclass(frozen=True)
class Call(Expression):
    """A function of the language with its arguments."""

    function: str
    arguments: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The arguments."""
        return self.arguments


def walk(root: Expression) -> Iterator[Expression]:
    """Every node below and including ``root``, children before parents, left to right."""
    stack: list[tuple[Expression, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(node.children))

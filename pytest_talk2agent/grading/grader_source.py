"""A grader as its task file states it, before it is compiled, and the errors that say what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from pytest_talk2agent.grading.retention import read_fraction


class GraderError(ValueError):
    """A grader that its author must mend.

    Attributes:
        message: what is wrong and what to do, in one line.
        where: the part of the grader: ``value``, ``range``, ``let.NAME``, ``groups.NAME``, ``fixed.NAME`` or
            ``intentions.NAME``.
        line: line within the text of that part, from 1.
        column: column within that line, from 1.
    """

    def __init__(self, message: str, where: str = "value", line: int = 1, column: int = 1) -> None:
        super().__init__(message, where, line, column)
        self.message = message
        self.where = where
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.where}, line {self.line}, column {self.column}: {self.message}"


class GraderTooEntangledError(GraderError):
    """Exact Shapley values cannot be had within the limits; no estimate is made in their place.

    Attributes:
        expression: the sub-expression in its author's own words.
        cause: ``entangled`` where too many checks share intentions, ``off_grid`` where weights have no common grid.
    """

    def __init__(
        self,
        message: str,
        where: str = "value",
        line: int = 1,
        column: int = 1,
        expression: str = "",
        cause: Literal["entangled", "off_grid"] = "entangled",
    ) -> None:
        super().__init__(message, where, line, column)
        self.expression = expression
        self.cause = cause


class IntervalTooHardError(GraderError):
    """An exact minimum or maximum over end points cannot be had within the limit; no bound is returned instead."""


@dataclass(frozen=True)
class Group:
    """Criteria ``NAME[1]`` to ``NAME[count]``, each satisfied when every intention in ``needs`` is retained."""

    count: int
    needs: tuple[str, ...]


@dataclass(frozen=True)
class GraderSource:
    """The grader of one task, as its author wrote it (Talk2Agent, section 4).

    Attributes:
        value: the scoring expression.
        intentions: name to worth when lost; a retained intention is worth 1.
        fixed: name of a fixed criterion to whether it holds.
        let: name to the expression it stands for.
        groups: name to the criteria it declares.
        range: the lowest and highest score that the author allows.
    """

    value: str
    intentions: Mapping[str, Fraction]
    fixed: Mapping[str, bool] = field(default_factory=dict)
    let: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    range: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions are strings."""
        return {
            "value": self.value,
            "intentions": {name: str(worth) for name, worth in self.intentions.items()},
            "fixed": dict(self.fixed),
            "let": dict(self.let),
            "groups": {name: [group.count, list(group.needs)] for name, group in self.groups.items()},
            "range": [str(end) for end in self.range],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GraderSource:
        """The inverse of ``to_json``."""
        low, high = data["range"]
        return cls(
            value=data["value"],
            intentions={name: read_fraction(worth) for name, worth in data["intentions"].items()},
            fixed=dict(data["fixed"]),
            let=dict(data["let"]),
            groups={name: Group(count, tuple(needs)) for name, (count, needs) in data["groups"].items()},
            range=(read_fraction(low), read_fraction(high)),
        )


def some(names: Sequence[str], most: int = 3) -> str:
    """The first of several names, and how many more there are, as part of a message."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

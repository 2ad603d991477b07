"""What can be wrong with a grader: one class for what its author must mend, two for what cannot be had exactly."""

from __future__ import annotations

from typing import Literal


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

"""What a comparison of compiled graders with the real ones found: records, one a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CHANGED = "another grader"
"""The reason that is no excuse: the task is pinned to a grader that the checkout does not have."""


@dataclass(frozen=True)
class Mismatch:
    """A place where the compiled grader and the real one differ.

    Attributes:
        where: the state that was compared, or the part of the evaluator.
        compiled: what the task file says.
        found: what the benchmark says; None where its grader gave no score.
        detail: an error, or what the grader returned.
    """

    where: str
    compiled: str
    found: str | None
    detail: str = ""


@dataclass(frozen=True)
class Verification:
    """What was compared of one task.

    Attributes:
        compared: how many comparisons were made, those that differ included.
        mismatches: those that differ.
        scores: how many different scores the real grader gave; a world that only ever makes it say 0 proves little.
        reason: in words that tasks share, why nothing could be compared.
        detail: further words on the reason, or on what was compared.
    """

    task: str
    compared: int = 0
    mismatches: tuple[Mismatch, ...] = ()
    scores: int = 0
    reason: str | None = None
    detail: str = ""

    @property
    def equal(self) -> int:
        """How many comparisons agreed."""
        return self.compared - len(self.mismatches)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "task": self.task,
            "compared": self.compared,
            "equal": self.equal,
            "scores": self.scores,
            "mismatches": [vars(mismatch) for mismatch in self.mismatches],
            "not_checkable": self.reason,
            "detail": self.detail,
        }


@dataclass(frozen=True)
class Totals:
    """The counts over many tasks."""

    tasks: int
    compared: int
    equal: int
    reasons: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """Whether something was compared, all of it agrees, and no grader is another one than its task is pinned to."""
        return 0 < self.compared == self.equal and CHANGED not in self.reasons

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "tasks": self.tasks,
            "compared": self.compared,
            "equal": self.equal,
            "not_checkable": dict(self.reasons),
            "passed": self.passed,
        }


def totals_of(verifications: Iterable[Verification]) -> Totals:
    """Add up."""
    found = list(verifications)
    reasons = [verification.reason for verification in found if verification.reason is not None]
    return Totals(
        tasks=len(found),
        compared=sum(verification.compared for verification in found),
        equal=sum(verification.equal for verification in found),
        reasons={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
    )

"""What items lost, most valuable first: the answer that every report begins with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import Outcome

LONGEST = 40
"""A value longer than this is cut where there is room for one line only."""

_RANK = {outcome: rank for rank, outcome in enumerate((Outcome.FAILED, Outcome.INCONCLUSIVE, Outcome.PASSED))}


def rank(result: TaskResult) -> int:
    """Failed items stand first, then inconclusive ones, then those that passed, then those without a score."""
    return _RANK.get(result.verdict.outcome, len(_RANK))


def worst_first(results: Iterable[TaskResult]) -> list[TaskResult]:
    """Results by outcome, in each as they were."""
    return sorted(results, key=rank)


def losses_of(result: TaskResult) -> list[tuple[str, Finding, Fraction | None]]:
    """The intentions that are lost, then those that are unresolved, with their Shapley shares: the largest first."""
    findings, weights = result.judgement.findings, result.weights
    lost = [(name, finding) for name, finding in findings.items() if finding.label is not Label.RETAINED]
    total = sum(weights.values(), Fraction(0)) if lost else Fraction(0)
    found = [(name, finding, weights[name] / total if total and name in weights else None) for name, finding in lost]
    return sorted(found, key=lambda one: (one[1].label is Label.UNRESOLVED, -(one[2] or 0)))


def lost_in_short(result: TaskResult) -> str:
    """The most valuable loss in a few words, and how many there are beside it; without one, why the item fails."""
    losses = losses_of(result)
    if not losses:
        return "; ".join(result.verdict.reasons)
    name, finding, _ = losses[0]
    words = f"{name}: wanted {short(finding.expected)}, {heard_instead(finding)}"
    return f"{words} +{len(losses) - 1} more" if len(losses) > 1 else words


def heard_instead(finding: Finding) -> str:
    """What stands in the place of a value that is lost or unresolved."""
    words = "heard nothing" if finding.heard is None else f"heard {short(finding.heard)}"
    return f"unresolved, {words}" if finding.label is Label.UNRESOLVED else words


def short(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def headline(result: TaskResult) -> str:
    """What was lost, then the reasons that decided: a summary shows only the beginning of it."""
    reasons: Sequence[str] = result.verdict.reasons
    return "; ".join([lost_in_short(result), *reasons]) if losses_of(result) else "; ".join(reasons)

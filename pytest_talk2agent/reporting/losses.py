"""What items lost, the most valuable first, and where the transcript differs from the script."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.analysis.error_rates import normalise
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome, show_interval

LONGEST = 40
"""A value longer than this is cut where there is room for one line only."""

_RANK = {outcome: rank for rank, outcome in enumerate((Outcome.FAILED, Outcome.INCONCLUSIVE, Outcome.PASSED))}


def rank(result: TaskResult) -> int:
    """Failed items stand first, then inconclusive ones, then those that passed, then those without a score."""
    return _RANK.get(result.verdict.outcome, len(_RANK))


def worst_first(results: Iterable[TaskResult]) -> list[TaskResult]:
    """Results ordered by outcome, otherwise as they were."""
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


def score_cells(result: TaskResult) -> list[str]:
    """The outcome of an item and its two scores, as cells of a table."""
    return [result.verdict.outcome.value, show_score(result.retention.native), show_score(result.retention.shapley)]


def show_score(score: Interval | None) -> str:
    """A score as words."""
    return "undefined" if score is None else show_interval(score)


def short(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def headline(result: TaskResult) -> str:
    """What was lost, then the reasons that decided: a summary shows only the beginning of it."""
    reasons: Sequence[str] = result.verdict.reasons
    return "; ".join([lost_in_short(result), *reasons]) if losses_of(result) else "; ".join(reasons)


MARKS = ("[", "]")
_WORD = re.compile(r"\S+")

Place = tuple[int, int]
"""Character offsets, the end exclusive; an empty place lies where the words would have stood."""


def differences(said: str, heard: str) -> Iterator[tuple[Place, Place]]:
    """Every stretch that differs, as its places in both texts; words are compared without case and punctuation."""
    reference, hypothesis = _words(said), _words(heard)
    matcher = difflib.SequenceMatcher(
        a=[_plain(said[start:end]) for start, end in reference],
        b=[_plain(heard[start:end]) for start, end in hypothesis],
        autojunk=False,
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _place(reference, a, b), _place(hypothesis, c, d)


def aligned(said: str, heard: str) -> tuple[str, str]:
    """Both texts, blanks made single, with every stretch that differs in brackets."""
    places = list(differences(said, heard))
    return _marked(said, [left for left, _ in places]), _marked(heard, [right for _, right in places])


def wrapped(label: str, text: str, width: int = 110) -> list[str]:
    """A labelled paragraph with a hanging indent."""
    indent = " " * (len(label) + 2)
    return textwrap.wrap(text, width, initial_indent=f"{label}  ", subsequent_indent=indent) or [f"{label}  (nothing)"]


_plain = lru_cache(maxsize=100_000)(normalise)  # a run says and hears the same few thousand words


def _words(text: str) -> list[Place]:
    return [match.span() for match in _WORD.finditer(text)]


def _place(words: list[Place], first: int, last: int) -> Place:
    if first < last:
        return words[first][0], words[last - 1][1]
    at = words[first - 1][1] if first else 0
    return at, at


def _marked(text: str, places: list[Place]) -> str:
    parts, done = [], 0
    for start, end in places:
        if start < end:
            parts.extend([text[done:start], f"{MARKS[0]}{text[start:end]}{MARKS[1]}"])
            done = end
    return " ".join("".join([*parts, text[done:]]).split())

"""What a biased condition hears where nobody speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_talk2agent.context.decoys import inserted
from pytest_talk2agent.results.record import TaskResult


@dataclass(frozen=True)
class SilenceControl:
    """What a condition heard in silence with ``terms`` terms: ``text``, or the ``error`` for which that is not known.

    ``invented`` are the terms that stand in it: a recogniser that prints its list when nobody speaks invents tasks.
    """

    condition: str
    terms: int
    text: str
    invented: tuple[str, ...] = ()
    error: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the gate must not pass, if so."""
        if self.error is not None:
            return f"{self.condition}: the silence control did not run: {self.error}"
        if self.invented:
            return f"{self.condition}: heard {', '.join(self.invented[:3])} in silence: it prints the terms it is given"
        return None


def silence_controls(results: Sequence[TaskResult]) -> tuple[SilenceControl, ...]:
    """One control for each condition that has one, in the order of first appearance."""
    by_condition: dict[str, list[TaskResult]] = {}
    for result in results:
        if result.transcript.silence is not None:
            by_condition.setdefault(result.condition, []).append(result)
    controls = []
    for condition, rows in by_condition.items():
        heard = rows[0].transcript.silence
        assert heard is not None
        if "error" in heard:
            controls.append(SilenceControl(condition, 0, "", error=heard["error"]))
            continue
        terms = sorted({term for row in rows for term in row.transcript.offered or ()})
        controls.append(SilenceControl(condition, heard["terms"], heard["text"], inserted(terms, [], heard["text"])))
    return tuple(controls)

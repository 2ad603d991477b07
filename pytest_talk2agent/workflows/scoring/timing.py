"""What a session took: latency, tool calls against the reference, repair after a correction, repetition of words.

Published, response latency counts the responses that go on after a tool result and never falls below 0, and the time to
the result contains the grading. Here the user's waits alone count, and media time ends with the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.workflows.scoring.floor import CORRECTION_LIKE, percentile
from pytest_talk2agent.workflows.scoring.grade import Compat
from pytest_talk2agent.workflows.scoring.trace import Trace

WORDS = 4
"""Words in a row that count as a repetition."""


def response_latency(trace: Trace, compat: Compat | None = None) -> Fraction | None:
    """Median time in ms from the wait for a response to its first sound; None where nothing was ever answered."""
    waits = [
        Fraction(max(0, wait.first_audio_ms - wait.asked_ms))
        for wait in trace.waits
        if wait.first_audio_ms is not None and (compat is not None or not wait.continuation)
    ]
    return percentile(waits, Fraction(1, 2))


def time_to_result(trace: Trace) -> int | None:
    """Time in ms from the user's first sound to the end; None where the user said nothing."""
    return None if trace.started_ms is None else trace.ended_ms - trace.started_ms


def repetition(texts: list[str]) -> Fraction | None:
    """Share of the agent's word 4-grams that it had said before in the session; None where it said fewer words.

    A definition of this project: APEX-Voice prints such a figure and publishes no formula (our notes, 4.12).
    """
    seen: set[tuple[str, ...]] = set()
    again = total = 0
    for text in texts:
        words = "".join(letter.lower() if letter.isalnum() else " " for letter in text).split()
        for start in range(len(words) - WORDS + 1):
            gram = tuple(words[start : start + WORDS])
            again += gram in seen
            total += 1
            seen.add(gram)
    return Fraction(again, total) if total else None


@dataclass(frozen=True)
class RepairCost:
    """What the agent spent after the last correction of a session."""

    turns: int
    calls: int
    writes: int
    ms: int


def repair_cost(trace: Trace) -> RepairCost | None:
    """The cost of repair; None without a correction."""
    corrections = [event for event in trace.events if event.type in CORRECTION_LIKE]
    if not corrections:
        return None
    last = max(corrections, key=lambda event: event.seq)
    return RepairCost(
        len({clip.turn for clip in trace.clips if clip.speaker == "agent" and clip.start_ms > last.media_ms}),
        sum(call.seq > last.seq for call in trace.calls),
        sum(write.seq > last.seq for write in trace.mutations if not write.path.startswith("@")),
        max(0, trace.ended_ms - last.media_ms),
    )


@dataclass(frozen=True)
class CallCounts:
    """Tool calls of a session: all of them, failed and unknown ones too, and those that failed."""

    all: int
    failed: int
    oracle: int | None

    @property
    def ratio(self) -> Fraction | None:
        """Calls in units of the reference; None where the package has none."""
        return Fraction(self.all, self.oracle) if self.oracle else None


def call_counts(trace: Trace, oracle: int | None) -> CallCounts:
    """Count the tool calls of a session; ``oracle`` are those of the reference."""
    return CallCounts(len(trace.calls), sum(not call.ok for call in trace.calls), oracle)

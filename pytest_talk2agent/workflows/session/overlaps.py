"""The agent's words while they are played, and what comes of the user's speaking over them."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_talk2agent.workflows.package.user import EventSpec
from pytest_talk2agent.workflows.session.scene import Scene

YIELD_LIMIT_MS = 1_500
"""How soon the agent has to be silent to have yielded, where the event has no limit."""


@dataclass(eq=False)
class Speech:
    """Words of the agent that are being played. ``stops`` is when the agent means to be silent, once it yields."""

    utterance: str
    turn: int
    text: str
    start: int
    duration: int
    seq: int
    stops: int | None = None
    over: bool = False

    @property
    def end(self) -> int:
        """When they are over if nothing cuts them."""
        return self.start + self.duration

    def stopped(self, now: int) -> int | None:
        """The moment at which it fell silent of its own will; None for words that were spoken to their end."""
        return now if self.stops is not None else None


@dataclass(frozen=True)
class _Met:
    """The user speaks over the agent."""

    event: EventSpec
    onset: int
    expected: str
    speech: Speech
    seq: int


class Overlaps:
    """What the user says over the agent, from its onset until the agent's words are over."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._met: list[_Met] = []

    def met(self, speech: Speech) -> bool:
        """Whether the user spoke over these words."""
        return any(met.speech is speech for met in self._met)

    def meet(self, event: EventSpec, speech: Speech, start: int, *, claiming: bool, lead_ms: int = 0) -> None:
        """Log that the user's voice sets in, ``lead_ms`` from now; ``start`` is the number of its event."""
        expected = event.expected_floor_action or ("YIELD" if claiming else "CONTINUE")
        onset = self._scene.timeline.now + lead_ms
        payload = {"event_id": event.id, "type": event.type, "expected": expected, "onset_ms": onset}
        seq = self._scene.note("DUPLEX_EVENT", "user", [start, speech.seq], phase="met", **payload)
        self._met.append(_Met(event, onset, expected, speech, seq))

    def over(self, speech: Speech, seq: int) -> None:
        """Log what came of it, now that the words are over; ``seq`` is the number of that event.

        An agent that talked on to the end of its words has no stop latency: it is censored. Where it was silent already
        when the user's voice set in, nothing is said of its yielding.
        """
        for met in [met for met in self._met if met.speech is speech]:
            self._met.remove(met)
            stopped = speech.stopped(self._scene.timeline.now)
            stop = stopped - met.onset if stopped is not None else None
            yielded = stop is not None and stop <= (met.event.max_stop_latency_ms or YIELD_LIMIT_MS)
            before = stop is not None and stop < 0
            self._scene.note(
                "DUPLEX_EVENT",
                "agent",
                [met.seq, seq],
                event_id=met.event.id,
                type=met.event.type,
                phase="over",
                expected=met.expected,
                task_critical=met.event.criticality == "task_critical",
                onset_ms=met.onset,
                agent_yielded=None if before else yielded,
                isl_ms=None if before else stop,
            )

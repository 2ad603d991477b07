"""A caller without wits: it drives a line at the pace of the wall, says things when it should, and notes it all."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pytest_talk2agent.workflows.agents.protocol import Briefing, Returned
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_BYTES,
    FRAME_MS,
    Called,
    Flushed,
    Left,
    Line,
    LineEvent,
    Sound,
)
from tests.workflows.lines.clerk import Samples

TOOLS = (
    {"name": "kb_search", "description": "Search.", "parameters": {"type": "object", "properties": {"query": {}}}},
)
BRIEFING = Briefing("Be helpful.", "Reorder supplies", TOOLS, 1, 0, now="2026-03-02T09:00:00+00:00")

Answer = Callable[[Called], Returned]


def told(called: Called) -> Returned:
    """A result that shows what was asked."""
    call = called.call
    return Returned(call.call_id, call.name, {"ok": True, "result": {"asked": call.args}})


@dataclass
class Talk:
    """What came of a call; moments in ms of the media timeline."""

    events: list[tuple[int, LineEvent]] = field(default_factory=list)
    left: bool = False
    ms: int = 0

    def of(self, kind: type[LineEvent]) -> list[LineEvent]:
        """The events of a kind."""
        return [event for _, event in self.events if isinstance(event, kind)]

    @property
    def sounded_ms(self) -> float:
        """How long all sound is."""
        return sum(len(one.pcm) / 2 / one.rate * 1000 for one in self.of(Sound) if isinstance(one, Sound))


def talk(
    line: Line,
    says: Sequence[Samples] = (),
    *,
    ms: int = 20_000,
    answer: Answer = told,
    over: Callable[[Talk], bool] = lambda talk: talk.left,
    over_it_ms: int | None = None,
) -> Talk:
    """Hold a call for ``ms`` at most.

    Each thing is said 300 ms after the agent's sound is played, or ``over_it_ms`` after that began.
    """
    found, plays_until, began = Talk(), 0.0, None
    waiting, now = [one.astype("<i2").tobytes() for one in says], b""
    start = time.monotonic()
    while found.ms < ms and not over(found):
        frame, now = now[:FRAME_BYTES].ljust(FRAME_BYTES, b"\0"), now[FRAME_BYTES:]
        line.send(frame, found.ms)
        for event in line.poll(found.ms):
            found.events.append((found.ms, event))
            if isinstance(event, Sound):
                began = found.ms if began is None else began
                plays_until = max(plays_until, found.ms) + len(event.pcm) / 2 / event.rate * 1000
            elif isinstance(event, Flushed):
                plays_until = found.ms
            elif isinstance(event, Called):
                line.returned([answer(event)])
            elif isinstance(event, Left):
                found.left = True
        due = began is not None and (
            found.ms >= plays_until + 300 if over_it_ms is None else found.ms >= began + over_it_ms
        )
        if due and waiting and not now:
            now, began = waiting.pop(0), None
        found.ms += FRAME_MS
        time.sleep(max(0.0, start + found.ms / 1000 - time.monotonic()))
    return found


def loudness(pcm: bytes) -> float:
    """The root mean square of PCM16."""
    return float(np.sqrt(np.mean(np.frombuffer(pcm, "<i2").astype(np.float64) ** 2)))

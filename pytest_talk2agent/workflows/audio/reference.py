"""The reference agent: its timing is known by the clock on the wall, so a measured difference is the instrument's.

It hears by the level, answers with the stand-in voice, and gives its sound in real time, packet by packet. At any sound
of the user it gives none from exactly `STOP_MS` after the onset on. The package has a user that only speaks over it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Briefing, Returned
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_MS,
    SAMPLE_RATE,
    Abilities,
    Finished,
    Left,
    LineEvent,
    Sound,
    Words,
)
from pytest_talk2agent.workflows.audio.level import BLOCK_MS, Level
from pytest_talk2agent.workflows.audio.ports import MS
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.package import Package

STOP_MS = 300
WORDS = "one two three four five six seven eight"
SILENCE_MS = 200
"""After so much silence it takes the user's words for over."""
THINK_MS = 100
INTERRUPTION = "Wait, please."
WINDOW_MS = (600, 900)
"""When the user speaks over it."""


class ReferenceAgent:
    """The reference agent; it leaves once it was spoken over ``times`` times. ``wall_ns`` is its clock."""

    control = False
    abilities = Abilities(virtual=False, yields="agent", truncates=False, words=True, calls="session", ends=True)

    def __init__(self, times: int, wall_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.times = times
        self._wall = wall_ns
        self.lines: list[ReferenceLine] = []

    def identity(self) -> Mapping[str, str]:
        """Its name and its timing."""
        return {"name": "reference", "stop_ms": str(STOP_MS), "times": str(self.times)}

    def dial(self, briefing: Briefing, *, real: bool) -> ReferenceLine:
        """Begin a call."""
        line = ReferenceLine(self.times, self._wall)
        self.lines.append(line)
        return line


class ReferenceLine:
    """A call with it. ``starts_ms`` are the moments at which its sound began, on the timeline of the session."""

    def __init__(self, times: int, wall_ns: Callable[[], int]) -> None:
        self._wall_ns, self._left = wall_ns, times
        self._level = Level()
        self._sound = StandIn("reference").clip(WORDS).tobytes()
        self._heard_at: float | None = None
        self._user = False
        self._begins: float | None = None
        self._stops: float | None = None
        self._given = self._replies = 0
        self._offset: float | None = None
        self._starts: list[float] = []

    @property
    def starts_ms(self) -> list[float]:
        """The moments at which its sound began."""
        return [start - (self._offset or 0.0) for start in self._starts]

    def _now(self) -> float:
        return self._wall_ns() / 1e6

    def send(self, frame: bytes, now_ms: int) -> None:
        """Hear a frame at its end."""
        import numpy as np

        now = self._now()
        self._offset = now - now_ms if self._offset is None else min(self._offset, now - now_ms)
        blocks = self._level.blocks(np.frombuffer(frame, "<i2"))
        if True in blocks:
            if not self._user and self._begins is not None and now >= self._begins:
                self._stops = now - FRAME_MS + blocks.index(True) * BLOCK_MS + STOP_MS
            self._user, self._heard_at = True, now
        elif self._user and self._heard_at is not None and now - self._heard_at >= SILENCE_MS:
            self._user = False
            if self._left:
                self._begins, self._stops, self._given = now + THINK_MS, None, 0

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """The packets that it has sent by now."""
        now = self._now()
        events: list[LineEvent] = []
        if self._begins is None or now < self._begins:
            return events
        item = f"r{self._replies}"
        if not self._given:
            self._starts.append(self._begins)
            events.append(Words(WORDS, item))
        upto = int((now - self._begins) // FRAME_MS + 1) * FRAME_MS * MS * 2
        over = self._stops is not None and now >= self._stops
        if self._stops is not None:
            upto = min(upto, int((self._stops - self._begins) * MS) * 2)
        upto = min(upto, len(self._sound))
        if upto > self._given:
            events.append(Sound(self._sound[self._given : upto], SAMPLE_RATE, item))
            self._given = upto
        if over or upto == len(self._sound):
            self._begins = None
            self._replies += 1
            self._left -= over
            events.append(Finished(cancelled=over))
            if over and not self._left:
                events.append(Left())
        return events

    def returned(self, results: Sequence[Returned]) -> None:
        """It calls no tools."""

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """It knows what it gave."""

    def close(self) -> None:
        """Nothing to end."""


def reference_package(times: int) -> Package:
    """A package whose user opens the call and then speaks over the agent so many times."""
    name = "reference-timing"
    over = {"act": "CLARIFY", "floor_action": "BARGE_IN"}
    states: dict[str, Any] = {
        f"S{number}": {
            "transitions": [
                {
                    "when": {"external_event": f"e{number}"},
                    "do": {**over, "plan_id": f"over{number}"},
                    "next": f"S{number + 1}",
                }
            ]
        }
        for number in range(times)
    }
    states["S0"]["on_enter"] = {"act": "OPENING_REQUEST", "plan_id": "open"}
    states[f"S{times}"] = {"terminal": True}
    texts = {"open": "Hello there."} | {f"over{number}": INTERRUPTION for number in range(times)}
    bank = [
        {
            "user_plan_id": plan,
            "speech_act": "OPENING_REQUEST" if plan == "open" else "CLARIFY",
            "variants": [{"variant_id": f"{plan}#v1", "text": text}],
        }
        for plan, text in texts.items()
    ]
    event = {"type": "USER_BARGE_IN", "expected_floor_action": "YIELD", "start_window_ms": list(WINDOW_MS)}
    trigger = {"agent_speech_continuous_ms_gte": BLOCK_MS}
    return Package.of_plain(
        {
            "task": {"id": name, "title": "Timing", "archetype": "INTAKE"},
            "taxonomy": {"task_id": name, "professional_work": {"primary_archetype": "INTAKE"}},
            "initial_state": {},
            "workspace": {"artifacts": {}},
            "tools": {"tools": []},
            "gold": {},
            "user": {"user_id": "reference", "profile": "COOPERATIVE_STANDARD", "facts": []},
            "flow": {"start": "S0", "states": states},
            "bank": bank,
            "events": {"events": [{"id": f"e{number}", "trigger": trigger, **event} for number in range(times)]},
        }
    )

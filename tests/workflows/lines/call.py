"""A telephone for tests: it sends frames, plays what an agent says in real time, and tells it what was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
import soxr

from pytest_talk2agent.workflows.agents.protocol import Call, Returned
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_BYTES,
    FRAME_MS,
    SAMPLE_RATE,
    Called,
    Finished,
    Flushed,
    Heard,
    Left,
    Line,
    LineEvent,
    Sound,
    Words,
)

AUDIO = Path(__file__).parents[3] / "fixtures_audio"


def speech(name: str, seconds: float | None = None, start: float = 0.0) -> bytes:
    """A shipped recording, or a part of it, as the user's channel carries it."""
    samples, rate = soundfile.read(AUDIO / name, dtype="float32")
    part = samples[round(start * rate) : None if seconds is None else round((start + seconds) * rate)]
    return bytes((soxr.resample(part, rate, SAMPLE_RATE) * 32767).astype("<i2").tobytes())


def silence(ms: int) -> bytes:
    return bytes(2 * SAMPLE_RATE * ms // 1000)


def noise(ms: int, level: float = 0.02) -> bytes:
    samples = np.random.default_rng(1).standard_normal(SAMPLE_RATE * ms // 1000) * level
    return bytes((samples * 32767).astype("<i2").tobytes())


@dataclass
class Phone:
    """One call. ``log`` holds moments in milliseconds and what the agent came up with then."""

    line: Line
    now: int = 0
    log: list[tuple[int, LineEvent]] = field(default_factory=list)
    results: dict[str, object] = field(default_factory=dict)
    answers: bool = True
    _queue: list[tuple[str, int]] = field(default_factory=list)
    _played: int = 0

    def hear(self, pcm: bytes) -> None:
        """Let the user's channel carry some sound, in whole frames."""
        for start in range(0, len(pcm), FRAME_BYTES):
            self.line.send(pcm[start : start + FRAME_BYTES].ljust(FRAME_BYTES, b"\0"), self.now)
            self.take(self.line.poll(self.now))
            self.now += FRAME_MS
            self.play()

    def take(self, events: Sequence[LineEvent]) -> None:
        for event in events:
            self.log.append((self.now, event))
            if isinstance(event, Sound):
                self._queue.append((event.item, len(event.pcm) * 500 // event.rate))
            elif isinstance(event, Flushed):
                queue, self._queue = self._queue, []
                for number, (item, _) in enumerate(queue):
                    self.line.played(item, self._played if number == 0 else 0, whole=False)
                self._played = 0
        calls = [event.call for event in events if isinstance(event, Called)]
        if calls and self.answers:
            self.answer(calls)

    def answer(self, calls: Sequence[Call]) -> None:
        self.line.returned(
            [Returned(call.call_id, call.name, {"ok": True, "result": self.results.get(call.name)}) for call in calls]
        )

    def play(self) -> None:
        if self._queue:
            item, duration = self._queue[0]
            self._played += FRAME_MS
            if self._played >= duration:
                self._queue.pop(0)
                self._played = 0
                self.line.played(item, duration, whole=True)

    def moments(self, kind: type[LineEvent]) -> list[int]:
        return [moment for moment, event in self.log if isinstance(event, kind)]

    @property
    def words(self) -> list[str]:
        return [event.text for _, event in self.log if isinstance(event, Words)]

    @property
    def heard(self) -> list[str]:
        return [event.text for _, event in self.log if isinstance(event, Heard)]

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for _, event in self.log]


__all__ = ["Called", "Finished", "Flushed", "Heard", "Left", "Phone", "Sound", "Words", "noise", "silence", "speech"]

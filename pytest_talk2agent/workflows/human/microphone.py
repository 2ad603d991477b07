"""What a microphone sends becomes frames of the user's channel: at the pace of the session, in order, and counted.

The page's clock is not ours, and its sound comes in pieces over a socket. A little is held back so that a late piece
leaves no hole; what piles up beyond a limit is left out. Both are counted and stand in the log: neither happens unseen.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.voice import FRAME_MS, FRAME_SAMPLES
from pytest_talk2agent.workflows.audio.playout import Playout
from pytest_talk2agent.workflows.audio.ports import MS

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

HELD_MS = 100
"""Sound that is held back before any goes out: two pieces of a page."""
MOST_MS = 400
"""Sound that may wait; beyond it the oldest is left out until `HELD_MS` are there."""
RATES = (8_000, 192_000)
"""Of what a browser records with, in samples a second."""


class Microphone:
    """PCM16 of one channel comes in at ``rate``, of any length and from any thread; frames go out.

    Attributes:
        lacking_ms: silence that went out in the place of sound that had not come.
        dropped_ms: sound that came too late to go out.
        silent_ms: how long nothing has come.
    """

    def __init__(self, rate: int) -> None:
        if not RATES[0] <= rate <= RATES[1]:
            raise ValueError(f"a microphone of {rate} samples a second; {RATES[0]} to {RATES[1]} can be used")
        self.lacking_ms = self.dropped_ms = self.silent_ms = 0
        self._rate = rate
        self._lock = threading.Lock()
        self._came: list[bytes] = []
        self._playout = Playout()
        self._flows = self._began = False

    def put(self, pcm: bytes) -> None:
        """Sound has come."""
        with self._lock:
            self._came.append(pcm)

    def forget(self) -> None:
        """What came so far is no part of the call."""
        with self._lock:
            self._came = []

    def pull(self) -> Samples:
        """The next frame; silence as long as nothing goes out yet."""
        with self._lock:
            came, self._came = self._came, []
        self.silent_ms = 0 if any(came) else self.silent_ms + FRAME_MS
        for pcm in came:
            self._playout.put(pcm, self._rate, "microphone")
        waiting = self._playout.queued
        if waiting > MOST_MS * MS:
            left_out = waiting - HELD_MS * MS
            self._playout.pull(left_out)
            self.dropped_ms += left_out // MS
        elif waiting < (FRAME_SAMPLES if self._flows else HELD_MS * MS):
            self.lacking_ms += FRAME_MS if self._began else 0
            self._flows = False
            return self._nothing()
        self._flows = self._began = True
        return self._playout.pull().samples

    def plain(self) -> dict[str, int]:
        """What became of the stream, for the log."""
        return {"rate": self._rate, "lacking_ms": self.lacking_ms, "dropped_ms": self.dropped_ms}

    def _nothing(self) -> Samples:
        import numpy as np

        return np.zeros(FRAME_SAMPLES, dtype=np.int16)

"""When the user speaks and when a turn of theirs is over, by loudness alone.

It decides where a provider's own detection is switched off (``vad=none``) or the client cancels (``cancel=client``),
and for how long a reply has been due. A frame is voiced where it is louder than -50 dBFS and 10 dB above the quietest
of the last three seconds, so that steady noise is no voice. Declared, simple and the same everywhere; a provider's
detection is better in babble.
"""

from __future__ import annotations

from collections import deque
from typing import Literal

from pytest_talk2agent.workflows.agents.voice import FRAME_MS

LOUD_DBFS = -50.0
ABOVE_FLOOR_DB = 10.0
FLOOR_MS = 3_000
ONSET_MS = 60
"""Voiced frames in a row that make an onset."""
TURN_MS = 300
"""Voiced sound that makes a turn, which wants a reply; less is a murmur or a click."""
LEAST_DBFS = -90.0

Edge = Literal["onset", "turn", "murmur"]


class Endpointer:
    """Edges of the user's speech; ``end_ms`` of silence end it."""

    def __init__(self, end_ms: int) -> None:
        self._end_ms = end_ms
        self._recent: deque[float] = deque(maxlen=FLOOR_MS // FRAME_MS)
        self._run = self._silent = self._voiced = 0
        self.speaking = False

    def hear(self, frame: bytes) -> Edge | None:
        """Take the next frame; gives the edge that it brings.

        "onset" is where speech begins, "turn" where it is over, "murmur" where it was too short for a turn.
        """
        level = loudness(frame)
        self._recent.append(max(level, LEAST_DBFS))
        voiced = level > LOUD_DBFS and (level > min(self._recent) + ABOVE_FLOOR_DB or len(self._recent) == 1)
        if voiced:
            self._run, self._silent = self._run + FRAME_MS, 0
            self._voiced += FRAME_MS
            if not self.speaking and self._run >= ONSET_MS:
                self.speaking = True
                return "onset"
            return None
        self._run, self._silent = 0, self._silent + FRAME_MS
        if not self.speaking:
            self._voiced = 0
        elif self._silent >= self._end_ms:
            long_enough = self._voiced >= TURN_MS
            self.speaking, self._voiced = False, 0
            return "turn" if long_enough else "murmur"
        return None


def loudness(pcm: bytes) -> float:
    """Root mean square of PCM16 in dBFS."""
    import numpy as np

    samples = np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2").astype(np.float64)
    if not len(samples):
        return LEAST_DBFS
    power = float(np.mean(samples * samples)) / 32768**2
    return LEAST_DBFS if power <= 10 ** (LEAST_DBFS / 10) else 10 * float(np.log10(power))

"""When the user speaks: where a turn begins, when it is long enough to yield to, where it ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio import silero
from pytest_talk2agent.workflows.audio.silero import BEGINS, GOES_ON, RATE, WINDOW, SpeechDetector

WINDOW_MS = WINDOW * 1000 / RATE
LEAD_MS = 300.0
"""Sound before its onset that a turn keeps, since a detector is late for soft consonants."""
LEAST_MS = 90.0
"""Voiced sound of a turn; less is a click."""
LONGEST_MS = 20_000.0
"""A turn is over then, whatever is heard: a television must not keep an agent silent for ever."""


@dataclass(frozen=True)
class TurnRules:
    """Times in milliseconds: of the silence that ends a turn, and of the voice that an agent yields to."""

    silence: float = 800
    interrupt: float = 500

    def plain(self) -> dict[str, str]:
        """The rules and the detector's settings, for an identity."""
        detector = " ".join(silero.settings().values())
        return {"detector": detector, "silence": f"{self.silence:g}", "interrupt": f"{self.interrupt:g}"}


@dataclass(frozen=True)
class Onset:
    """The user's voice has been heard for as long as an agent yields to."""


@dataclass(frozen=True)
class TurnEnd:
    """A turn is over. ``pcm`` is its sound, PCM16 at 16 kHz; ``voiced_ms`` how much of it is voice."""

    pcm: bytes
    voiced_ms: float


class TurnTaking:
    """Hears one call, frame by frame; what it says depends on the samples alone, not on how they were cut."""

    def __init__(self, rules: TurnRules) -> None:
        import soxr

        self._rules = rules
        self._detector = SpeechDetector()
        # In floats: for integers soxr dithers, and the same sound would not be the same twice.
        self._resampler = soxr.ResampleStream(SAMPLE_RATE, RATE, 1, dtype="float32")
        self._rest = b""
        self._lead: deque[bytes] = deque(maxlen=round(LEAD_MS / WINDOW_MS))
        self._turn: list[bytes] = []
        self._voiced = self._quiet = 0.0
        self._told = False

    @property
    def is_speaking(self) -> bool:
        """Whether a turn is under way."""
        return bool(self._turn)

    def hear(self, pcm: bytes) -> Iterator[Onset | TurnEnd]:
        """Take PCM16 at `SAMPLE_RATE` in; what it brought to light."""
        import numpy as np

        samples = np.frombuffer(pcm, "<i2").astype(np.float32)
        fresh = self._resampler.resample_chunk(samples)
        self._rest += fresh.round().clip(-32768, 32767).astype("<i2").tobytes()
        size = 2 * WINDOW
        while len(self._rest) >= size:
            window, self._rest = self._rest[:size], self._rest[size:]
            floats = np.frombuffer(window, "<i2").astype(np.float32) / np.float32(32768)
            yield from self._take(window, self._detector.speech(floats))

    def _take(self, window: bytes, speech: float) -> Iterator[Onset | TurnEnd]:
        if not self._turn:
            if speech < BEGINS:
                self._lead.append(window)
                return
            self._turn = [*self._lead]
            self._lead.clear()
            self._voiced = self._quiet = 0.0
            self._told = False
        self._turn.append(window)
        if speech >= GOES_ON:
            self._voiced += WINDOW_MS
            self._quiet = 0.0
        else:
            self._quiet += WINDOW_MS
        if not self._told and self._voiced >= self._rules.interrupt:
            self._told = True
            yield Onset()
        if self._quiet >= self._rules.silence or len(self._turn) * WINDOW_MS >= LONGEST_MS:
            turn, self._turn = self._turn, []
            if self._voiced >= LEAST_MS:
                yield TurnEnd(b"".join(turn), self._voiced)

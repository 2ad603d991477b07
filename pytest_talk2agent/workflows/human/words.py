"""Where a person speaks, found while it happens: words begin, and are over after a pause.

The edges are those of what is heard; that words began is known a little after they did, that they are over a pause
later. A detector says which stretches of sound are voice: Silero's, as the agent's channel is measured with, or the
level alone, for a microphone without noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio import silero
from pytest_talk2agent.workflows.audio.activity import DETECTORS, LEVEL, SILERO
from pytest_talk2agent.workflows.audio.level import BLOCK_MS, Level

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

LEAST_MS = 100
"""Voice that makes words; less is a click."""
BREAK_MS = 150
"""A silence before that much voice has come, after which it is looked for anew."""
PAUSE_MS = 700
"""A silence after which words are over."""

Stretch = tuple[int, int, bool]
"""From and to in milliseconds, and whether there is voice."""


@dataclass(frozen=True)
class Begun:
    """Words began at a moment in ms."""

    at_ms: int


@dataclass(frozen=True)
class Over:
    """Words were over at a moment in ms."""

    at_ms: int


class Voice(Protocol):
    """Tells voice from what else a microphone hears, stretch by stretch."""

    def settings(self) -> Mapping[str, str]:
        """What it is, and all that can change what it says."""
        ...

    def stretches(self, samples: Samples) -> Iterator[Stretch]:
        """The stretches that some more samples complete."""
        ...


class LoudVoice:
    """All that is audible is voice."""

    def __init__(self, level: Level | None = None) -> None:
        self._level, self._at = level or Level(), 0

    def settings(self) -> Mapping[str, str]:
        """The threshold."""
        return {"name": self._level.name}

    def stretches(self, samples: Samples) -> Iterator[Stretch]:
        """Blocks of 5 ms."""
        for audible in self._level.blocks(samples):
            yield self._at, self._at + BLOCK_MS, audible
            self._at += BLOCK_MS


class SileroVoice:
    """Silero's detector on the stream (the extra ``voice``)."""

    def __init__(self) -> None:
        import soxr

        self._detector = silero.SpeechDetector()
        # In floats: for integers soxr dithers, and the same sound would not be the same twice.
        self._resampler = soxr.ResampleStream(SAMPLE_RATE, silero.RATE, 1, dtype="float32")
        self._rest: Samples | None = None
        self._windows = 0
        self._speaking = False

    def settings(self) -> Mapping[str, str]:
        """Its release and thresholds."""
        return silero.settings()

    def stretches(self, samples: Samples) -> Iterator[Stretch]:
        """Windows of 32 ms."""
        import numpy as np

        fresh = self._resampler.resample_chunk(samples.astype(np.float32) / 32_768)
        sound = fresh if self._rest is None else np.concatenate((self._rest, fresh))
        whole = len(sound) // silero.WINDOW * silero.WINDOW
        for start in range(0, whole, silero.WINDOW):
            speech = self._detector.speech(sound[start : start + silero.WINDOW])
            self._speaking = speech >= (silero.GOES_ON if self._speaking else silero.BEGINS)
            begin = self._windows * silero.WINDOW * 1000 // silero.RATE
            self._windows += 1
            yield begin, self._windows * silero.WINDOW * 1000 // silero.RATE, self._speaking
        self._rest = sound[whole:]


def make_voice_finder(name: str) -> Voice:
    """The detector of a name; raises ValueError for an unknown one, or one that is not installed."""
    if name == LEVEL:
        return LoudVoice()
    if name != SILERO:
        raise ValueError(f"detector {name!r}: there are {', '.join(DETECTORS)}")
    if (why := silero.why_missing()) is not None:
        raise ValueError(why)
    return SileroVoice()


class Words:
    """The words on one channel, of which frame after frame is heard."""

    def __init__(self, voice: Voice, *, pause_ms: int = PAUSE_MS) -> None:
        self._voice, self._pause = voice, pause_ms
        self._start: int | None = None
        self._last = self._voiced = 0
        self.speaking = False

    def settings(self) -> dict[str, str]:
        """What finds them, for the log."""
        return {**self._voice.settings(), "least_ms": str(LEAST_MS), "pause_ms": str(self._pause)}

    def hear(self, samples: Samples) -> Iterator[Begun | Over]:
        """What more of the channel brings to light."""
        for begin, end, voiced in self._voice.stretches(samples):
            if voiced:
                self._start = begin if self._start is None else self._start
                self._last = end
                self._voiced += end - begin
                if not self.speaking and self._voiced >= LEAST_MS:
                    self.speaking = True
                    yield Begun(self._start)
            elif self.speaking and end - self._last >= self._pause:
                yield self._ended()
            elif not self.speaking and self._start is not None and end - self._last >= BREAK_MS:
                self._start, self._voiced = None, 0

    def close(self) -> Iterator[Over]:
        """Nothing more is heard: words that were under way are over."""
        if self.speaking:
            yield self._ended()

    def _ended(self) -> Over:
        self.speaking, self._start, self._voiced = False, None, 0
        return Over(self._last)

"""What is wrong with a take, told while the speaker is still there: levels, noise, silence, cut ends, length.

The limits were set so that no shipped recording has a fault (tests/recording/page/test_take_checks.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_talk2agent.speech.audio import SILENCE_DBFS

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Samples = NDArray[numpy.float32]

Severity = Literal["fault", "warning"]

FRAME = 0.02
"""Seconds over which a level is taken."""
EDGE = 0.04
"""Seconds at either end in which nobody may be speaking yet, or still."""
CLIPPED_AT = 0.999
CLIPPED_FAULT, CLIPPED_WARNING = 0.001, 0.00002
"""Shares of the samples at full scale. The first is what a run notes of a recording, too."""
SNR_FAULT, SNR_WARNING = 10.0, 20.0
"""dB between the speech and what is heard between its words."""
QUIET_DBFS = -40.0
"""A level of speech below which a microphone is too far away."""
FASTEST, SLOWEST = 0.4, 3.0
"""Shares of the time that a script is thought to take, between which reading it can last."""
GRACE = 2.0
"""Seconds that a speaker may take longer in any case."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a take, in words for its speaker. A fault asks for another take."""

    code: str
    severity: Severity
    text: str


@dataclass(frozen=True)
class Levels:
    """Of one take. The levels of speech and noise are those of frames; ``begin`` and ``end`` are those of the speech.

    Times are in seconds, ``clipped`` is the share of samples at full scale.
    """

    seconds: float
    peak_dbfs: float
    speech_dbfs: float
    noise_dbfs: float
    clipped: float
    begin: float
    end: float

    @property
    def spoken(self) -> float:
        """Seconds from the first to the last sound of speech."""
        return self.end - self.begin


def measure(samples: Samples, rate: int) -> Levels:
    """The levels of mono samples at full scale 1; ``rate`` in Hz. A take without samples has no level at all."""
    import numpy as np

    size = max(1, round(rate * FRAME))
    seconds = len(samples) / rate
    clipped = float((np.abs(samples) >= CLIPPED_AT).mean()) if len(samples) else 0.0
    count = len(samples) // size
    if not count:
        return Levels(seconds, -math.inf, -math.inf, -math.inf, clipped, 0.0, 0.0)
    sound = samples - samples.mean(dtype=np.float64)
    frames = sound[: count * size].reshape(count, size)
    levels = 10 * np.log10(np.square(frames, dtype=np.float64).mean(axis=1) + 1e-12)
    speech, noise = (float(np.percentile(levels, share)) for share in (90, 5))
    # Within 25 dB of the speech, and clearly above the room: a third of the way up where the two are near each other.
    threshold = max(speech - 25, noise + max(6.0, (speech - noise) / 3))
    spoken = np.flatnonzero(levels > threshold)
    begin, end = (float(spoken[0]) * FRAME, float(spoken[-1] + 1) * FRAME) if len(spoken) else (0.0, 0.0)
    peak = 20 * math.log10(max(float(np.abs(sound).max()), 1e-6))
    return Levels(seconds, peak, speech, noise, clipped, begin, end)


def check_take(levels: Levels, expected: float) -> list[Finding]:
    """What is wrong with a take of a script that takes ``expected`` seconds to read; the worst first."""
    found = list(_findings(levels, expected))
    return sorted(found, key=lambda one: one.severity != "fault")


def _findings(levels: Levels, expected: float) -> Iterator[Finding]:
    if levels.peak_dbfs < SILENCE_DBFS:
        yield Finding("silence", "fault", "Nothing was heard. Is the right microphone chosen, and is it switched on?")
        return
    if levels.clipped >= CLIPPED_FAULT:
        yield Finding("clipping", "fault", "Too loud: the sound is distorted. Move away from the microphone a little.")
    elif levels.clipped >= CLIPPED_WARNING:
        yield Finding("clipping", "warning", "A few sounds were too loud. Move away from the microphone a little.")
    if levels.speech_dbfs < QUIET_DBFS:
        yield Finding("quiet", "warning", "Very quiet. Come closer to the microphone, or speak up.")
    above = levels.speech_dbfs - levels.noise_dbfs
    if above < SNR_FAULT:
        yield Finding("noise", "fault", "The room is about as loud as the voice. Find a quieter place, or come closer.")
    elif above < SNR_WARNING:
        yield Finding("noise", "warning", "There is noise in the background.")
    yield from _ends(levels)
    if levels.spoken < FASTEST * expected:
        yield Finding("short", "fault", f"Too short for this text: {levels.spoken:.1f} s of speech. Read all of it.")
    elif levels.spoken > SLOWEST * expected + GRACE:
        yield Finding("long", "fault", f"Too long for this text: {levels.spoken:.1f} s of speech. Read the text alone.")


def _ends(levels: Levels) -> Iterator[Finding]:
    if levels.begin < EDGE:
        yield Finding("cut-start", "fault", "The start may be cut off. Wait a moment before you speak.")
    if levels.end > levels.seconds - EDGE:
        yield Finding("cut-end", "fault", "The end may be cut off. Wait a moment before you stop.")

"""How an agent said what it said: words that reached the ear, repetition, pace, tone, and how long one waits.

APEX-Voice prints such figures (paper, Table 20) and publishes no formula. These definitions are ours:

- ``wer``: word error rate of a recogniser on what was played of the agent, against the words that it meant to say with
  it, pooled over the session in Whisper's normal form. A word that was cut is no error.
- ``repetition``: share of its word 4-grams that it had said before (`scoring.timing.repetition`).
- ``pace``: words a minute, over utterances of at least `LEAST_WORDS` words that were played whole.
- ``tone``: 1 less the mean cosine distance between consecutive utterances, each a vector of the median and the spread
  of its pitch (semitones) and of its level (dB), every part in units of a usual spread (`_SCALES`).
- ``first_audio``: from the moment at which the agent may speak to its first sound, once a session.
- ``gap``: from the end of the user's words to the first sound of the answer; tools count, since the user waits.
- ``resolution``: from the user's first sound to the end of the session; judging is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_talk2agent.analysis.error_rates import Errors, errors_in, whisper_english
from pytest_talk2agent.workflows.scoring.floor import percentile
from pytest_talk2agent.workflows.scoring.timing import repetition, time_to_result
from pytest_talk2agent.workflows.scoring.trace import Clip, Trace
from pytest_talk2agent.workflows.session.event import Event

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Samples = NDArray[numpy.int16]

Hear = Callable[[bytes, int], str]
"""PCM16, and its rate in Hz, to words."""

LEAST_WORDS = 4
_SCALES = (12.0, 4.0, 20.0, 6.0)
"""Semitones, semitones, dB, dB: an octave, a lively voice, a loud room, a lively voice."""
_REFERENCE_HZ = 50.0
_SILENT = 1e-5
_MARGIN_MS = 60
"""Sound on either side of an utterance that a recogniser hears with it."""


@dataclass(frozen=True)
class Delivery:
    """The figures of one session; None where there is nothing to measure."""

    errors: Errors | None
    repetition: Fraction | None
    words: int
    spoken_ms: int
    tone: float | None
    first_audio_ms: int | None
    gaps_ms: tuple[int, ...]
    resolution_ms: int | None
    cost: float | None

    @property
    def wer(self) -> float | None:
        """Word error rate; None where nobody listened, or nothing was said."""
        return self.errors.rate if self.errors is not None else None

    @property
    def pace(self) -> float | None:
        """Words a minute."""
        return 60_000 * self.words / self.spoken_ms if self.spoken_ms else None


def delivery(
    trace: Trace,
    agent: Samples | None = None,
    rate: int = 24_000,
    hear: Hear | None = None,
    cost: float | None = None,
) -> Delivery:
    """Measure a session.

    Args:
        trace: of the session.
        agent: the agent's channel of its recording, mono int16; without it nothing is heard and there is no tone.
        rate: samples a second of that channel.
        hear: the recogniser; without one there is no error rate.
        cost: what the session cost, in the currency of the agent's prices.
    """
    spoken = [clip for clip in trace.clips if clip.speaker == "agent"]
    whole = [clip for clip in spoken if not clip.cut and len(clip.text.split()) >= LEAST_WORDS]
    errors = tone = None
    if agent is not None:
        cuts = [_part(agent, rate, clip) for clip in spoken]
        errors = _errors(spoken, cuts, rate, hear) if hear is not None else None
        tone = stability([found for cut in cuts if (found := tone_of(cut, rate)) is not None])
    first = min((wait.first_audio_ms for wait in trace.waits if wait.first_audio_ms is not None), default=None)
    asked = min((wait.asked_ms for wait in trace.waits), default=None)
    return Delivery(
        errors=errors,
        repetition=repetition([clip.text for clip in spoken]),
        words=sum(len(clip.text.split()) for clip in whole),
        spoken_ms=sum(clip.end_ms - clip.start_ms for clip in whole),
        tone=tone,
        first_audio_ms=None if first is None or asked is None else first - asked,
        gaps_ms=tuple(response_gaps(trace.clips)),
        resolution_ms=time_to_result(trace),
        cost=cost,
    )


def response_gaps(clips: Sequence[Clip]) -> list[int]:
    """Milliseconds from the end of the user's words to the agent's next sound, for each turn that was answered.

    Words over which the agent spoke already, and murmurs that want no answer, have none.
    """
    gaps = []
    ordered = sorted(clips, key=lambda clip: clip.start_ms)
    for number, clip in enumerate(ordered):
        if clip.speaker != "user" or clip.kind == "backchannel":
            continue
        after = next((one for one in ordered[number + 1 :] if one.start_ms >= clip.end_ms), None)
        over = any(one.speaker == "agent" and one.start_ms < clip.end_ms < one.end_ms for one in ordered)
        if after is not None and after.speaker == "agent" and not over:
            gaps.append(after.start_ms - clip.end_ms)
    return gaps


def cost_of(events: Iterable[Event]) -> float | None:
    """What the replies in a log cost; None where nothing says so."""
    usages = (event.payload.get("usage") for event in events if event.type == "AGENT_TEXT")
    money = [usage["money"] for usage in usages if isinstance(usage, Mapping) and "money" in usage]
    return sum(money) if money else None


def quantiles(values: Sequence[float]) -> tuple[Fraction | None, Fraction | None]:
    """Median and 95th percentile, linear at (n - 1) * share."""
    return percentile(values, Fraction(1, 2)), percentile(values, Fraction(95, 100))


def _errors(spoken: Sequence[Clip], cuts: Sequence[Samples], rate: int, hear: Hear) -> Errors | None:
    form = whisper_english()
    said = " ".join(clip.heard for clip in spoken if clip.heard)
    if not form.apply(said):
        return None
    heard = " ".join(hear(cut.tobytes(), rate) for clip, cut in zip(spoken, cuts, strict=True) if clip.heard)
    return errors_in(form, said, heard)


def _part(agent: Samples, rate: int, clip: Clip) -> Samples:
    start = max(0, clip.start_ms - _MARGIN_MS) * rate // 1000
    return agent[start : (clip.end_ms + _MARGIN_MS) * rate // 1000]


Tone = tuple[float, float, float, float]


def tone_of(samples: Samples, rate: int) -> Tone | None:
    """Median and spread (interquartile) of pitch in semitones over 50 Hz, and of level in dBFS; None without voice.

    Pitch is found by Harvest (Morise 2017), as the library WORLD has it.
    """
    import numpy as np
    import pyworld

    sound = samples.astype(np.float64) / 32768
    if len(sound) < rate // 10:
        return None
    pitch, _ = pyworld.harvest(sound, rate)
    voiced = pitch[pitch > 0]
    size = rate // 50
    frames = sound[: len(sound) // size * size].reshape(-1, size)
    level = np.sqrt(np.square(frames).mean(axis=1))
    loud = level[level > _SILENT]
    if len(voiced) < 5 or len(loud) < 5:
        return None
    semitones, decibels = 12 * np.log2(voiced / _REFERENCE_HZ), 20 * np.log10(loud)
    low, middle, high = np.percentile(semitones, [25, 50, 75])
    below, among, above = np.percentile(decibels, [25, 50, 75])
    return float(middle), float(high - low), float(among), float(above - below)


def stability(tones: Sequence[Tone]) -> float | None:
    """1 less the mean cosine distance between consecutive utterances; None for fewer than two."""
    import numpy as np

    if len(tones) < 2:
        return None
    vectors = np.array(tones) / np.array(_SCALES)
    lengths = np.linalg.norm(vectors, axis=1)
    near = (vectors[1:] * vectors[:-1]).sum(axis=1) / (lengths[1:] * lengths[:-1])
    return float(near.mean())

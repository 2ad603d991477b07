"""A condition of sound at work: on a whole recording, and on a stream of frames while it is heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_talk2agent.speech.acoustics.effect import Effect, Setting, Sound, SoundError, Source, seed_of
from pytest_talk2agent.speech.acoustics.level import limited
from pytest_talk2agent.speech.acoustics.sound_condition import SoundCondition
from pytest_talk2agent.speech.audio import Audio


def heard_in(audio: Audio, condition: SoundCondition, recording: Path | None = None) -> Audio:
    """The recording as it sounds in a condition, the same every time.

    The draws are seeded by the sound, the effect and the condition's own seed. Ratios of noise are to the power of the
    speech when its turn comes, silence put before it left out. A result that passes full scale is made quieter as a
    whole, so that ratios hold. ``recording`` is where others lie beside, if not at ``audio.path``.
    Raises SoundError: nothing to make a noise of, a missing package, nothing left.
    """
    import numpy as np

    sound = audio.samples.astype(np.float64)
    start = 0
    sources = condition.sources(recording or audio.path)
    for number, (effect, source) in enumerate(zip(condition.effects, sources, strict=True)):
        power, peak = _level(sound[start:] if start < len(sound) else sound)
        seed = _seed(condition, effect, number, audio.samples_sha256)
        process = effect.begin(Setting(audio.rate, power, peak, seed, len(sound), source))
        sound = np.concatenate([process.push(sound), process.end()])
        start = max(0, start + effect.lead(audio.rate))
        if not len(sound) or not np.any(sound):
            raise SoundError(f"{audio.path}: nothing is left after {effect.name}@{effect.value:g}; use less of it")
    highest = float(np.abs(sound).max())
    samples = (sound / highest if highest > 1 else sound).astype(np.float32)
    samples.flags.writeable = False
    return replace(audio, samples=samples, seconds=len(samples) / audio.rate)


def record_of(condition: SoundCondition, recording: Path) -> dict[str, Any]:
    """What a record says of a recording that was heard in a condition: plain values."""
    made_of = [digest for source in condition.sources(recording) for digest in source.sha256s]
    return {"condition": condition.text, **({"made_of": made_of} if made_of else {})}


class LiveSound:
    """A condition at work on a stream: frames of any length in, frames of the same length out, late by a fixed delay.

    ``power`` and ``peak`` are those of the speech that is to come, such as a caller's recordings; noise has its ratio
    to them in the long run. ``name`` seeds the draws. What passes full scale is cut off, since nobody can look ahead.
    Raises SoundError for an effect that needs the whole recording.
    """

    def __init__(
        self,
        condition: SoundCondition,
        rate: int,
        power: float,
        peak: float,
        name: str,
        sources: tuple[Source, ...] | None = None,
    ) -> None:
        import numpy as np

        self._processes = []
        for number, effect in enumerate(condition.effects):
            if not effect.live:
                raise SoundError(f"sound condition {effect.name} needs the whole recording; leave it out when live")
            seed = _seed(condition, effect, number, name)
            source = Source() if sources is None else sources[number]
            self._processes.append(effect.begin(Setting(rate, power, peak, seed, None, source)))
        self._ready: Sound = np.zeros(0)
        self.delay = 0

    def push(self, frame: Sound) -> Sound:
        """The next frame; what is not ready yet is silence at its start, and adds to ``delay`` (in samples)."""
        import numpy as np

        count = len(frame)
        for process in self._processes:
            frame = process.push(frame)
        self._ready = np.concatenate([self._ready, frame])
        missing = max(0, count - len(self._ready))
        self.delay += missing
        out = np.concatenate([np.zeros(missing), self._ready[: count - missing]])
        self._ready = self._ready[count - missing :]
        return limited(out)

    def end(self) -> Sound:
        """What is still to be heard once the last frame is in."""
        import numpy as np

        left: Sound = np.zeros(0)
        for process in self._processes:
            left = np.concatenate([process.push(left), process.end()])
        return limited(np.concatenate([self._ready, left]))


def _level(sound: Sound) -> tuple[float, float]:
    import numpy as np

    return float(np.mean(np.square(sound))), float(np.abs(sound).max())


def _seed(condition: SoundCondition, effect: Effect, number: int, name: str) -> int:
    return seed_of(condition.seed, number, effect.name, name)

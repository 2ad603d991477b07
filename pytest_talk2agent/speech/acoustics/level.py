"""Levels, tempo and gaps: what a speaker and a microphone do to a recording."""

from __future__ import annotations

from pytest_talk2agent.speech.acoustics.channel import resampling
from pytest_talk2agent.speech.acoustics.effect import Effect, Process, Setting, Sound


class Gain(Effect):
    """Louder or quieter by decibels; what passes full scale is cut off."""

    def begin(self, setting: Setting) -> Process:
        """Multiply."""
        return _Amplifier(10 ** (self.value / 20))


class Clip(Effect):
    """Overdriven: the peak of the speech lies this many decibels above full scale, where it is cut off."""

    def begin(self, setting: Setting) -> Process:
        """Multiply, by what the peak of the speech asks for."""
        return _Amplifier(10 ** (self.value / 20) / setting.peak if setting.peak > 0 else 1.0)


QUIETEST = 1e-4
"""Of the loudest power of a sound's windows: what is fainter is a pause."""


def without_pauses(sound: Sound, rate: int) -> Sound:
    """The speech alone: windows of 50 ms that are not fainter than the loudest by 40 dB."""
    import numpy as np

    window = rate // 20
    power = np.array([np.mean(np.square(sound[at : at + window])) for at in range(0, len(sound), window)])
    spoken: Sound = sound[np.repeat(power > QUIETEST * power.max(), window)[: len(sound)]]
    return spoken


def limited(sound: Sound) -> Sound:
    """The samples, with what passes full scale cut off."""
    import numpy as np

    cut: Sound = np.clip(sound, -1, 1)
    return cut


class _Amplifier(Process):
    def __init__(self, factor: float) -> None:
        self._factor = factor

    def push(self, sound: Sound) -> Sound:
        return limited(sound * self._factor)


class Speed(Effect):
    """Faster or slower by a factor, by resampling: the pitch moves with the tempo (Ko et al. 2015)."""

    live = False

    def begin(self, setting: Setting) -> Process:
        """Resample."""
        return resampling(setting.rate * self.value, setting.rate)


class Gap(Effect):
    """Seconds of silence before the speech; noise that follows in the condition fills them, too."""

    def begin(self, setting: Setting) -> Process:
        """Put the silence before the first samples."""
        return _Delay(self.lead(setting.rate))

    def lead(self, rate: int) -> int:
        """The samples of the silence."""
        return round(self.value * rate)


class Cut(Effect):
    """Seconds that are lost at the start, as when somebody speaks before the microphone is open."""

    def begin(self, setting: Setting) -> Process:
        """Drop the first samples."""
        return _Skip(-self.lead(setting.rate))

    def lead(self, rate: int) -> int:
        """The samples that are lost, as a negative number."""
        return -round(self.value * rate)


class _Delay(Process):
    def __init__(self, count: int) -> None:
        self._count = count

    def push(self, sound: Sound) -> Sound:
        import numpy as np

        silent, self._count = np.zeros(self._count), 0
        return np.concatenate([silent, sound])


class _Skip(Process):
    def __init__(self, count: int) -> None:
        self._count = count

    def push(self, sound: Sound) -> Sound:
        dropped = min(self._count, len(sound))
        self._count -= dropped
        return sound[dropped:]

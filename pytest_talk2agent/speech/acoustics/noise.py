"""Noise at a ratio: white, pink, babble of other recordings, a television, a folder of noises.

The ratio is that of the mean power of the speech to the mean power of the noise, both over the whole recording, as in
``audio_snr_db``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from pytest_talk2agent.speech.acoustics.effect import Effect, Process, Setting, Sound, SoundError, needed
from pytest_talk2agent.speech.acoustics.level import without_pauses
from pytest_talk2agent.speech.audio import AudioError, read_audio

TALKERS = 6
"""Voices of a babble: from about this many no single one can be followed."""

_LOOP_SECONDS = 30.0
_LONGEST_SECONDS = 300.0  # of one recording that noise is made of
_TALKS, _LISTENS = (1.5, 5.0), (2.0, 8.0)  # seconds that another person speaks, and is silent, by turns


class Noise(Effect):
    """Noise beneath the speech, by the decibels of its ratio."""

    def begin(self, setting: Setting) -> Process:
        """Mix it in; exact over ``setting.length`` samples where that is known."""
        return _Mixing(self, _STREAMS[self.name](setting), setting)


class Stream(ABC):
    """Endless noise; its power is one in the long run."""

    @abstractmethod
    def take(self, count: int) -> Sound:
        """The next ``count`` samples."""


class _Looping(Stream):
    """A stretch of sound over and over, as it is."""

    def __init__(self, sound: Sound) -> None:
        self._sound, self._place = sound, 0

    def take(self, count: int) -> Sound:
        import numpy as np

        taken: Sound = np.take(self._sound, np.arange(self._place, self._place + count), mode="wrap")
        self._place = (self._place + count) % len(self._sound)
        return taken


def mixed(speech: Sound, noise: Sound, power: float, snr_db: float) -> Sound:
    """Speech of a mean ``power`` over noise of unit power, at a ratio in dB."""
    import numpy as np

    total: Sound = speech + noise * np.sqrt(power / 10 ** (snr_db / 10))
    return total


def white(count: int, seed: int) -> Sound:
    """White Gaussian noise of unit power."""
    import numpy as np

    return np.random.default_rng(seed).standard_normal(count)


class _Mixing(Process):
    def __init__(self, effect: Noise, stream: Stream, setting: Setting) -> None:
        self._stream, self._power, self._ratio = stream, setting.power, effect.value
        self._ready: Sound | None = None
        if setting.length:
            self._ready = _of_unit_power(stream.take(setting.length), effect.name)

    def push(self, sound: Sound) -> Sound:
        return mixed(sound, self._next(len(sound)), self._power, self._ratio)

    def _next(self, count: int) -> Sound:
        import numpy as np

        if self._ready is None:
            return self._stream.take(count)
        known, self._ready = self._ready[:count], self._ready[count:]
        return known if len(known) == count else np.concatenate([known, self._stream.take(count - len(known))])


def _of_unit_power(noise: Sound, name: str) -> Sound:
    import numpy as np

    power = np.mean(np.square(noise))
    if not power > 0:
        raise SoundError(f"sound condition {name}: its noise is silent where it is needed; take longer noises")
    unit: Sound = noise / np.sqrt(power)
    return unit


class _White(Stream):
    def __init__(self, setting: Setting) -> None:
        import numpy as np

        self._generator = np.random.default_rng(setting.seed)

    def take(self, count: int) -> Sound:
        return self._generator.standard_normal(count)


class _Loop(_Looping):
    """A stretch of noise without a seam, over and over."""

    def __init__(self, noise: Sound, name: str) -> None:
        super().__init__(_of_unit_power(noise, name))


def _pink(setting: Setting) -> Stream:
    """Power in inverse proportion to frequency, from 20 Hz up."""
    import numpy as np

    count = 1 << int(np.ceil(np.log2(_LOOP_SECONDS * setting.rate)))
    spectrum = np.fft.rfft(white(count, setting.seed))
    frequency = np.fft.rfftfreq(count, 1 / setting.rate)
    spectrum *= np.where(frequency < 20, 0, 1 / np.sqrt(np.maximum(frequency, 20)))
    return _Loop(np.fft.irfft(spectrum, count), "pink")


def _babble(setting: Setting) -> Stream:
    """Talkers at the same level, each from a place of its own."""
    import numpy as np

    return _Loop(np.sum(_talkers(setting), axis=0), "babble")


def _recorded(setting: Setting) -> Stream:
    """The noises of a folder one after the other, from a place that the seed chooses."""
    import numpy as np

    whole = np.concatenate([_read(path, setting.rate) for path in setting.source.paths])
    start = int(np.random.default_rng(setting.seed).integers(len(whole)))
    return _Loop(np.roll(whole, -start), "noise")


def _television(setting: Setting) -> Stream:
    """One talker after the other over quiet music, through a small loudspeaker: 150 to 7000 Hz."""
    import numpy as np
    from scipy.signal import butter, sosfilt

    count = round(_LOOP_SECONDS * setting.rate)
    speech = np.resize(np.concatenate(_talkers(setting, longest=count)), count)
    whole = speech + 10 ** (-10 / 20) * _of_unit_power(_music(count, setting), "tv")
    high = min(7000.0, 0.45 * setting.rate)
    return _Loop(sosfilt(butter(2, (150, high), "bandpass", fs=setting.rate, output="sos"), whole), "tv")


def _music(count: int, setting: Setting) -> Sound:
    """Broken chords of struck strings, two notes a second."""
    import numpy as np

    draw, beat = np.random.default_rng(setting.seed), setting.rate // 2
    time = np.arange(2 * beat) / setting.rate
    music = np.zeros(count + 2 * beat)
    for start in range(0, count, beat):
        pitch = 220 * 2 ** (draw.choice((0, 3, 5, 7, 10, 12)) / 12)
        note = sum(np.sin(2 * np.pi * pitch * part * time) / part**2 for part in (1, 2, 3, 4))
        music[start : start + 2 * beat] += note * np.exp(-3 * time)
    return music[:count]


def _beside(setting: Setting) -> Stream:
    """Another person, who begins at once, and speaks and is silent by turns; of unit power while they speak."""
    import numpy as np

    draw = np.random.default_rng(setting.seed)
    count = round(_LOOP_SECONDS * setting.rate)
    [speech, *_] = _talkers(setting)
    turns: list[Sound] = []
    while sum(map(len, turns)) < 2 * count:
        spoken = round(draw.uniform(*_TALKS) * setting.rate)
        start = int(draw.integers(len(speech)))
        turns.append(_of_unit_power(np.take(speech, np.arange(start, start + spoken), mode="wrap"), "talker"))
        turns.append(np.zeros(round(draw.uniform(*_LISTENS) * setting.rate)))
    return _Looping(np.concatenate(turns))


def _talkers(setting: Setting, longest: int | None = None) -> list[Sound]:
    """The speech of each talker without long pauses, of unit power, as long as a loop and turned to another start.

    With ``longest`` none is repeated to fill the loop.
    """
    import numpy as np

    draw = np.random.default_rng(setting.seed)
    count = round(_LOOP_SECONDS * setting.rate)
    found = []
    for paths in setting.source.talkers:
        said = [without_pauses(_read(path, setting.rate), setting.rate) for path in paths]
        speech = _of_unit_power(np.concatenate(said), paths[0].name)
        whole = speech[:longest] if longest is not None else np.resize(speech, count)
        found.append(np.roll(whole, -int(draw.integers(len(speech)))))
    return found


@lru_cache(maxsize=256)
def _read(path: Path, rate: int) -> Sound:
    import numpy as np

    try:
        return read_audio(path, rate).samples[: round(_LONGEST_SECONDS * rate)].astype(np.float64)
    except AudioError as error:
        raise SoundError(f"a noise or talker of a sound condition: {error}") from None


class Recorded(Noise):
    """Noise that is made of recordings: those of a folder, or those beside the recording that is heard."""

    def begin(self, setting: Setting) -> Process:
        """Mix it in; raises SoundError where there is nothing to make it of."""
        if not setting.source.paths:
            raise SoundError(f"sound condition {self.name}: no recordings to make it of; write {self.name}=FOLDER@5dB")
        if self.name == "tv":
            needed("scipy", self.name)
        return super().begin(setting)


class Talker(Recorded):
    """Another person beside the speaker, heard now and then; the ratio is to their power while they speak."""

    def begin(self, setting: Setting) -> Process:
        """Mix it in; a recording that ends before their first pause is talked over from end to end."""
        return super().begin(replace(setting, length=None))


_STREAMS = {
    "white": _White,
    "pink": _pink,
    "babble": _babble,
    "tv": _television,
    "talker": _beside,
    "noise": _recorded,
}

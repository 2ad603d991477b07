"""What lies between the microphone and the recogniser: a room, a telephone, a codec, a network that loses packets."""

from __future__ import annotations

import io
from dataclasses import dataclass

from pytest_talk2agent.speech.acoustics.effect import Effect, Process, Setting, Sound, needed
from pytest_talk2agent.speech.libraries import quiet_import

TELEPHONE = 8000
"""Samples a second of a narrow-band telephone (ITU-T G.711)."""

_PACKET_SECONDS = 0.02
_BURST = 5.0
_DEAD_SECONDS = (0.1, 0.5)
_TO_DIRECT_DB = 6.0
_MP3_DELAY = 1105  # samples by which the encoder (576) and the decoder (529) are late


class Reverb(Effect):
    """A room whose sound dies away by 60 dB in the given seconds: the direct sound, and decaying noise for its echoes.

    The speech keeps its power: the echoes lie 6 dB below the direct sound.
    """

    def begin(self, setting: Setting) -> Process:
        """Convolve with a response that the seed draws."""
        import numpy as np

        needed("scipy", self.name)
        count = max(2, round(self.value * setting.rate))
        echoes = np.random.default_rng(setting.seed).standard_normal(count)
        echoes *= 10 ** (-3 * np.arange(count) / count)
        echoes[: round(0.002 * setting.rate)] = 0
        echoes *= np.sqrt(10 ** (-_TO_DIRECT_DB / 10) / np.sum(np.square(echoes)))
        echoes[0] = 1.0
        return _Convolution(echoes / np.sqrt(np.sum(np.square(echoes))))


class _Convolution(Process):
    def __init__(self, response: Sound) -> None:
        import numpy as np

        self._response, self._tail = response, np.zeros(len(response) - 1)

    def push(self, sound: Sound) -> Sound:
        import numpy as np
        from scipy.signal import oaconvolve

        if not len(sound):
            return sound
        whole: Sound = oaconvolve(sound, self._response)
        whole[: len(self._tail)] += self._tail[: len(whole)]
        self._tail = np.concatenate([whole[len(sound) :], np.zeros(len(self._tail))])[: len(self._tail)]
        return whole[: len(sound)]

    def end(self) -> Sound:
        return self._tail


class Phone(Effect):
    """A telephone: 300 to 3400 Hz, 8000 samples a second, G.711 with the mu-law."""

    def begin(self, setting: Setting) -> Process:
        """Filter, then send through the codec at the rate of the line."""
        needed("scipy", self.name)
        return _Chain(_Band(setting.rate, 300, 3400), *_line(setting.rate, "ULAW"))


class SampleCodec(Effect):
    """A codec that takes samples one by one, at the rate of a telephone: G.711 with the mu-law or the A-law."""

    def begin(self, setting: Setting) -> Process:
        """Down to the rate of the line, through the codec and up again."""
        return _Chain(*_line(setting.rate, {"mulaw": "ULAW", "alaw": "ALAW"}[self.name]))


def _line(rate: int, subtype: str) -> tuple[Process, ...]:
    return (_Resampling(rate, TELEPHONE), _Companding(subtype), _Resampling(TELEPHONE, rate))


class _Chain(Process):
    def __init__(self, *parts: Process) -> None:
        self._parts = parts

    def push(self, sound: Sound) -> Sound:
        for part in self._parts:
            sound = part.push(sound)
        return sound

    def end(self) -> Sound:
        import numpy as np

        left = np.zeros(0)
        for part in self._parts:
            left = np.concatenate([part.push(left), part.end()])
        return left


class _Band(Process):
    def __init__(self, rate: int, low: float, high: float) -> None:
        import numpy as np
        from scipy.signal import butter

        self._sections = butter(4, (low, high), "bandpass", fs=rate, output="sos")
        self._state = np.zeros((len(self._sections), 2))

    def push(self, sound: Sound) -> Sound:
        from scipy.signal import sosfilt

        if not len(sound):
            return sound
        filtered: Sound
        filtered, self._state = sosfilt(self._sections, sound, zi=self._state)
        return filtered


class _Resampling(Process):
    def __init__(self, rate: float, target: float) -> None:
        with quiet_import():
            import soxr

        self._stream = soxr.ResampleStream(rate, target, 1, dtype="float64", quality="HQ")

    def push(self, sound: Sound) -> Sound:
        out: Sound = self._stream.resample_chunk(sound)
        return out

    def end(self) -> Sound:
        import numpy as np

        out: Sound = self._stream.resample_chunk(np.zeros(0), last=True)
        return out


def resampling(rate: float, target: float) -> Process:
    """A process that turns samples at one rate into samples at another."""
    return _Resampling(rate, target)


class _Companding(Process):
    def __init__(self, subtype: str) -> None:
        self._subtype = subtype

    def push(self, sound: Sound) -> Sound:
        return coded(sound, TELEPHONE, "RAW", self._subtype)


def coded(sound: Sound, rate: int, container: str, subtype: str, level: float | None = None) -> Sound:
    """What libsndfile gives back of samples that it has encoded, as many as went in."""
    import numpy as np
    import soundfile

    if not len(sound):
        return sound
    given: dict[str, object] = {} if level is None else {"compression_level": level}
    if container == "MP3":
        given["bitrate_mode"] = "CONSTANT"
    buffer = io.BytesIO()
    soundfile.write(buffer, np.clip(sound, -1, 1), rate, format=container, subtype=subtype, **given)
    buffer.seek(0)
    raw = {"samplerate": rate, "channels": 1, "format": container, "subtype": subtype} if container == "RAW" else {}
    out: Sound = soundfile.read(buffer, dtype="float64", **raw)[0]
    if container == "MP3" and len(out) > len(sound):  # too few bits for the frame that tells a decoder of the delay
        out = out[_MP3_DELAY:]
    return np.concatenate([out, np.zeros(max(0, len(sound) - len(out)))])[: len(sound)]


class FileCodec(Effect):
    """A codec that has seen the whole recording before any of it comes back: GSM 06.10, Opus, MP3."""

    live = False

    def begin(self, setting: Setting) -> Process:
        """Collect the recording, encode and decode it at the end."""
        return _Whole(self, setting.rate)

    @property
    def version(self) -> str:
        """That of libsndfile, which holds the codecs."""
        import soundfile

        return f"libsndfile {soundfile.__libsndfile_version__}"


class _Whole(Process):
    def __init__(self, effect: FileCodec, rate: int) -> None:
        self._effect, self._rate = effect, rate
        self._pieces: list[Sound] = []

    def push(self, sound: Sound) -> Sound:
        self._pieces.append(sound)
        return sound[:0]

    def end(self) -> Sound:
        import numpy as np

        sound = np.concatenate(self._pieces)
        name, kbps = self._effect.name, self._effect.value
        if name == "opus":  # libsndfile: from 256 kbit/s at level 0 down to 6 at level 1
            return coded(sound, self._rate, "OGG", "OPUS", (256 - kbps) / 250)
        if name == "mp3":  # libsndfile: from 160 kbit/s at level 0, at rates below 32 kHz
            return coded(sound, self._rate, "MP3", "MPEG_LAYER_III", 1 - kbps / 160)
        narrow = _Chain(_Resampling(self._rate, TELEPHONE))
        down = np.concatenate([narrow.push(sound), narrow.end()])
        wide = _Chain(_Resampling(TELEPHONE, self._rate))
        through = coded(down, TELEPHONE, "WAV", "GSM610")
        return np.concatenate([wide.push(through), wide.end()])


class Loss(Effect):
    """Packets of 20 ms that never arrive, in the given percentage.

    ``loss`` drops each by itself, ``bursts`` drops five at a time on average (two states, Gilbert 1960). In a lost
    packet's place the last one that arrived is heard, at half the level for each packet that is missing.
    """

    def begin(self, setting: Setting) -> Process:
        """Cut the sound into packets and drop those that the seed draws."""
        share = self.value / 100
        again = 1 - 1 / _BURST if self.name == "bursts" else share
        return _Dropping(_Odds(share, again), setting)


class Dropouts(Effect):
    """Gaps: the line is dead for a tenth to half a second at a time, for the given percentage of the time."""

    def begin(self, setting: Setting) -> Process:
        """Draw when the line is dead, moment after moment."""
        return _Gaps(self.value / 100, setting)


class _Gaps(Process):
    def __init__(self, share: float, setting: Setting) -> None:
        import numpy as np

        self._draw, self._rate = np.random.default_rng(setting.seed), setting.rate
        self._alive = sum(_DEAD_SECONDS) / 2 * (1 - share) / share if share else None
        self._dead, self._left = True, 0

    def push(self, sound: Sound) -> Sound:
        if self._alive is None:
            return sound
        out: Sound = sound.copy()
        place = 0
        while place < len(out):
            if not self._left:
                self._dead = not self._dead
                seconds = self._draw.uniform(*_DEAD_SECONDS) if self._dead else self._draw.exponential(self._alive)
                self._left = max(1, round(seconds * self._rate))
            taken = min(self._left, len(out) - place)
            if self._dead:
                out[place : place + taken] = 0
            place, self._left = place + taken, self._left - taken
        return out


@dataclass(frozen=True)
class _Odds:
    """The share of packets that are lost, and the probability that one is lost after one that was."""

    share: float
    again: float

    @property
    def first(self) -> float:
        """The probability that a packet is lost after one that arrived."""
        return min(1.0, self.share * (1 - self.again) / (1 - self.share)) if self.share < 1 else 1.0


class _Dropping(Process):
    def __init__(self, odds: _Odds, setting: Setting) -> None:
        import numpy as np

        self._odds, self._draw = odds, np.random.default_rng(setting.seed)
        self._size = round(_PACKET_SECONDS * setting.rate)
        self._rest, self._last, self._lost = np.zeros(0), np.zeros(self._size), False

    def push(self, sound: Sound) -> Sound:
        import numpy as np

        whole = np.concatenate([self._rest, sound])
        full = len(whole) // self._size * self._size
        self._rest = whole[full:]
        packets = [self._heard(whole[at : at + self._size]) for at in range(0, full, self._size)]
        return np.concatenate(packets) if packets else whole[:0]

    def end(self) -> Sound:
        return self._heard(self._rest) if len(self._rest) else self._rest

    def _heard(self, packet: Sound) -> Sound:
        self._lost = self._draw.random() < (self._odds.again if self._lost else self._odds.first)
        self._last = self._last / 2 if self._lost else packet
        return self._last[: len(packet)]

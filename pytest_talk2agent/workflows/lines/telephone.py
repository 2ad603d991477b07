"""Sound of the telephone: mu-law at 8 kHz (ITU-T G.711) and back.

The codec is libsndfile's, which soundfile brings; it is asked once for every value, and looked up from then on.
"""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PHONE_RATE = 8_000
_TAPS, _CUT = 181, 3_660.0


@functools.cache
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """The code of every sample, from -32768 on, and the sample of every code."""
    import numpy as np
    import soundfile

    every = np.arange(-32768, 32768, dtype=np.int16)
    raw = io.BytesIO()
    soundfile.write(raw, every, PHONE_RATE, format="RAW", subtype="ULAW")
    codes = np.frombuffer(raw.getvalue(), np.uint8)
    samples, _ = soundfile.read(
        io.BytesIO(bytes(range(256))), dtype="int16", samplerate=PHONE_RATE, channels=1, format="RAW", subtype="ULAW"
    )
    return codes, samples


def to_mulaw(samples: NDArray[np.int16]) -> bytes:
    """The codes of samples."""
    import numpy as np

    return _tables()[0][samples.astype(np.int32) + 32768].tobytes()


def from_mulaw(codes: bytes) -> bytes:
    """PCM16, little endian, of codes."""
    import numpy as np

    return _tables()[1][np.frombuffer(codes, np.uint8)].astype("<i2").tobytes()


@functools.cache
def _filter() -> NDArray[np.float64]:
    """A low pass at 24 kHz, even up to 3.3 kHz and 80 dB down from 4 kHz on: a sinc in a Kaiser window."""
    import numpy as np

    place = np.arange(_TAPS) - (_TAPS - 1) / 2
    taps = np.sinc(2 * _CUT / SAMPLE_RATE * place) * np.kaiser(_TAPS, 8.0)
    return np.asarray(taps / taps.sum())


class ToPhone:
    """A stream of the user's channel that becomes mu-law; its filter runs on from frame to frame.

    It is 3.75 ms late. Not soxr: its streams come in blocks of 60 ms, and a telephone gives 20 ms every 20 ms.
    """

    def __init__(self) -> None:
        import numpy as np

        self._before = np.zeros(_TAPS - 1)

    def feed(self, frame: bytes) -> bytes:
        """The codes of a frame; its length in samples is a multiple of 3."""
        import numpy as np

        samples = np.concatenate([self._before, np.frombuffer(frame, "<i2")])
        self._before = samples[-(_TAPS - 1) :]
        brought = np.convolve(samples, _filter(), "valid")[:: SAMPLE_RATE // PHONE_RATE]
        return to_mulaw(np.clip(np.rint(brought), -32768, 32767).astype(np.int16))

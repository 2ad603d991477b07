"""A recording as bytes that every server reads: 16-bit mono WAV, made of the samples that every interface hears."""

from __future__ import annotations

import io
import wave

from pytest_talk2agent.speech.audio import Audio


def wav_bytes(audio: Audio) -> bytes:
    """The samples of a recording as a WAV file in memory.

    Samples that came from 16 bits at the same rate come out as they were; resampling may overshoot full scale, which
    is cut off.
    """
    import numpy as np

    whole = np.clip(np.rint(audio.samples * 32768.0), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.rate)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()

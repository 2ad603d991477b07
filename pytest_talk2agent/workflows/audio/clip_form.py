"""The form of a clip in a package's speech bank: samples, level, name and digest (APEX-Voice 2.5).

Clips are FLAC, mono, 24 kHz, 16 bit. Float to integer: clip to [-1, 1], times 32767, towards zero; the way back adds
half a step away from zero, so that a clip that is decoded and encoded again is the same clip.
"""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING, TypeAlias

from pytest_talk2agent.speech.acoustics.level import without_pauses
from pytest_talk2agent.speech.libraries import quiet_import

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[numpy.float64]"
"""Mono samples, full scale 1."""
Pcm: TypeAlias = "NDArray[numpy.int16]"

RATE = 24_000
SUFFIX = ".flac"
FULL = 32_767
LEVEL_DB = -26.0
"""Of the speech of a clip, pauses left out, below full scale: the nominal level of speech on a line (ITU-T P.56)."""
_HIGHEST = 0.99
_SILENT_DB = -45.0


def clip_name(variant_id: str) -> str:
    """The file of a variant: what is no letter, digit, ``_``, ``.`` or ``-`` becomes one ``_`` for each run of it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", variant_id) + SUFFIX


def encode(sound: Floats) -> Pcm:
    """Samples of full scale 1 as 16-bit integers."""
    import numpy as np

    made: Pcm = np.trunc(np.clip(sound, -1, 1) * FULL).astype(np.int16)
    return made


def decode(pcm: Pcm) -> Floats:
    """16-bit integers as samples of full scale 1; `encode` gives the same integers back, but for -32768."""
    import numpy as np

    wide = pcm.astype(np.float64)
    return (wide + 0.5 * np.sign(wide)) / FULL


def digest_of(pcm: Pcm) -> str:
    """SHA-256 (hexadecimal) of the samples as little-endian 16-bit integers."""
    return hashlib.sha256(pcm.astype("<i2").tobytes()).hexdigest()


def speech_power(sound: Floats, rate: int = RATE) -> float:
    """The mean square of the speech, pauses left out; 0 for silence."""
    import numpy as np

    return float(np.mean(np.square(without_pauses(sound, rate)))) if len(sound) and np.any(sound) else 0.0


def in_form(sound: Floats, rate: int) -> Pcm:
    """Speech at any rate as the samples of a clip: at `LEVEL_DB`, or quieter where a peak would pass full scale.

    Silence at its ends goes, but for 30 ms.

    Raises:
        ValueError: for silence.
    """
    import numpy as np

    with quiet_import():
        import soxr

    whole: Floats = sound if rate == RATE else soxr.resample(sound, rate, RATE, quality="VHQ")
    power = speech_power(whole)
    if not power > 0:
        raise ValueError("it is silent")
    louder = 10 ** (LEVEL_DB / 20) / power**0.5
    return encode(_trimmed(whole * min(louder, _HIGHEST / float(np.abs(whole).max()))))


def _trimmed(sound: Floats) -> Floats:
    """The sound without silence at its ends: frames of 10 ms below -45 dBFS, all but 30 ms of them."""
    import numpy as np

    frame, margin = RATE // 100, 3 * RATE // 100
    power = [np.mean(np.square(sound[at : at + frame])) for at in range(0, len(sound), frame)]
    loud = np.flatnonzero(np.array(power) > 10 ** (_SILENT_DB / 10))
    return sound[max(0, loud[0] * frame - margin) : (loud[-1] + 1) * frame + margin] if len(loud) else sound


def flac_of(pcm: Pcm) -> bytes:
    """The bytes of a clip's file."""
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, pcm, RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)
    return out.getvalue()


def read_flac(content: bytes) -> Pcm:
    """The samples of a clip's file.

    Raises:
        ValueError: for what is no FLAC, mono, 24 kHz, 16 bit.
    """
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            found = f"{file.format} {file.subtype} {file.samplerate} Hz, {file.channels} channels"
            wanted = file.format == "FLAC" and file.subtype == "PCM_16" and file.samplerate == RATE
            if not wanted or file.channels != 1:
                raise ValueError(f"it is {found}; a clip is FLAC, mono, {RATE} Hz, 16 bit")
            pcm: Pcm = file.read(dtype="int16")
    except soundfile.LibsndfileError as error:
        raise ValueError(f"no sound can be read from it ({error})") from None
    return pcm

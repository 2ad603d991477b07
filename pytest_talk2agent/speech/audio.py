"""A recording as every interface gets it: mono float32 at one rate, checked, with hashes of its bytes and its sound."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.speech.containers import AudioError, check_container
from pytest_talk2agent.speech.decoding import MAX_SECONDS, decoded, seconds_promised
from pytest_talk2agent.speech.libraries import quiet_import

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Samples = NDArray[numpy.float32]

__all__ = ["MAX_SECONDS", "Audio", "AudioError", "audio_seconds", "check_file", "file_sha256", "read_audio"]

RATE = 16_000
SILENCE_DBFS = -60.0
"""A recording whose peak lies below this holds no speech: it is the noise floor of a good microphone."""

_CLIPPED_AT = 0.999
_HEAVILY_CLIPPED = 0.001


@dataclass(frozen=True, eq=False)
class Audio:
    """A decoded recording.

    ``samples`` are mono float32, full scale 1, at ``rate`` Hz, read-only. ``sha256`` is that of the file's bytes;
    ``samples_sha256`` that of the mono sound at its source rate, so that a WAV and a FLAC of one recording agree.
    ``clipped`` is the share of samples at full scale; ``peak_dbfs`` is the level of the mono sound.
    ``notes`` say what is odd about it and no error.
    """

    path: Path
    samples: Samples
    rate: int
    seconds: float
    sha256: str
    samples_sha256: str
    clipped: float
    peak_dbfs: float
    source_format: str
    source_channels: int
    source_rate: int
    notes: tuple[str, ...] = ()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes in hexadecimal, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def read_audio(path: Path, rate: int = RATE, sha256: str | None = None) -> Audio:
    """Read a wav, flac, ogg, opus or mp3 recording, whatever its name, mixed down to mono and resampled to ``rate`` Hz.

    ``sha256`` is what the recording's author declared for the bytes of the file.
    Raises AudioError: missing, a folder, not audio, empty, silent, truncated, not finite, too long, another SHA-256.
    """
    import numpy as np

    with quiet_import():
        import soxr

    digest = check_file(path, sha256)
    check_container(path)
    sound = decoded(path)
    frames, source_rate = sound.frames, sound.rate
    if not frames.size:
        raise AudioError(path, "empty: no sound in it", "record it again")
    if not np.isfinite(frames).all():
        raise AudioError(path, "holds samples that are not finite (NaN or infinite)", "export it again")
    mono = np.ascontiguousarray(frames.mean(axis=1, dtype=np.float32))
    # A constant offset is not sound, so levels are those of the alternating part.
    peak = _dbfs(float(np.abs(mono - mono.mean()).max()))
    if peak < SILENCE_DBFS:
        if _dbfs(float(np.abs(frames - frames.mean(axis=0)).max())) >= SILENCE_DBFS:
            raise AudioError(path, "silent once mixed down: its channels cancel out", "keep one of the channels")
        level = "all samples equal" if peak == -math.inf else f"peak {peak:.0f} dBFS"
        raise AudioError(path, f"silent ({level})", "check the microphone and record it again")
    clipped = float((np.abs(frames) >= _CLIPPED_AT).mean())
    notes = (*sound.notes, f"{clipped:.1%} of the samples are clipped") if clipped >= _HEAVILY_CLIPPED else sound.notes
    samples = mono if source_rate == rate else soxr.resample(mono, source_rate, rate, quality="HQ")
    samples.flags.writeable = False
    return Audio(
        path=path,
        samples=samples,
        rate=rate,
        seconds=len(mono) / source_rate,
        sha256=digest,
        samples_sha256=hashlib.sha256(f"{source_rate}:".encode() + mono.astype("<f4").tobytes()).hexdigest(),
        clipped=clipped,
        peak_dbfs=peak,
        source_format=sound.kind,
        source_channels=frames.shape[1],
        source_rate=source_rate,
        notes=notes,
    )


def audio_seconds(path: Path) -> float:
    """How long a recording is by its header, an MP3 by its frames, in seconds; 0 for what is no audio.

    An estimate, good enough to sort by: reading the file checks it.
    """
    return seconds_promised(path)


def check_file(path: Path, declared: str | None = None) -> str:
    """The SHA-256 of a file that is there, is not empty and is the declared one; raises AudioError where it is not."""
    try:
        if path.is_dir():
            raise AudioError(path, "a folder, not a recording", "name the file in it")
        if not path.exists():
            raise AudioError(path, "no such recording", "check the path, or the roots in t2a_audio")
        if not path.is_file():
            raise AudioError(path, "no regular file", "name a file")
        if path.stat().st_size == 0:
            raise AudioError(path, "empty: 0 bytes", "copy or record it again")
        digest = file_sha256(path)
    except OSError as error:
        raise AudioError(path, f"cannot be read ({error.strerror})", "check its permissions") from None
    if declared is not None and digest != declared.lower():
        raise AudioError(path, f"its SHA-256 is {digest}, declared is {declared}", "restore it or declare the new one")
    return digest


def _dbfs(amplitude: float) -> float:
    return 20 * math.log10(amplitude) if amplitude > 0 else -math.inf

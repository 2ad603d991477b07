"""White noise: to degrade a recording by a known amount, and as near-silence for the silence control.

Apart from `acoustics`, which has conditions of rooms and lines; this is what a spec or a control asks for alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_talk2agent.speech.acoustics.noise import mixed, white
from pytest_talk2agent.speech.audio import RATE, Audio

SILENCE_SECONDS = 3.0
SILENCE_DBFS = -50.0


@dataclass(frozen=True)
class SoundSwitches:
    """What is done to the sound before an interface hears it: ``audio_snr_db`` adds white noise at this ratio in dB."""

    audio_snr_db: float = float("inf")

    def __post_init__(self) -> None:
        if not self.audio_snr_db > -100:
            raise ValueError(f"option audio_snr_db must be a number of dB above -100, not {self.audio_snr_db}")


def with_noise(audio: Audio, snr_db: float) -> Audio:
    """The recording with white noise, the same every time: its seed is the hash of the sound."""
    import numpy as np

    noise = white(len(audio.samples), int(audio.samples_sha256[:16], 16))
    power = float(np.mean(np.square(audio.samples, dtype=np.float64)))
    noisy = mixed(audio.samples.astype(np.float64), noise, power, snr_db)
    samples = np.clip(noisy, -1, 1).astype(np.float32)
    samples.flags.writeable = False
    return replace(audio, samples=samples)


def silence() -> Audio:
    """Three seconds of faint white noise, as of a room in which nobody speaks; the same every time."""
    import numpy as np

    noise = np.random.default_rng(0).standard_normal(round(SILENCE_SECONDS * RATE))
    samples = (noise * 10 ** (SILENCE_DBFS / 20)).astype(np.float32)
    samples.flags.writeable = False
    digest = hashlib.sha256(samples.astype("<f4").tobytes()).hexdigest()
    return Audio(
        path=Path("silence"),
        samples=samples,
        rate=RATE,
        seconds=SILENCE_SECONDS,
        sha256=digest,
        samples_sha256=digest,
        clipped=0.0,
        peak_dbfs=SILENCE_DBFS + 12.0,
        source_format="none",
        source_channels=1,
        source_rate=RATE,
    )

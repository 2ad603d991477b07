"""What is made from the recordings of the workbench suite: noisy copies, and one long recording with its task.

    python fixtures_audio/render.py 'workbench/*'
    python fixtures_audio/workbench.py

writes workbench/noise-6db/*.flac, copies with white noise at a signal-to-noise ratio of 6 dB, and
workbench/joined-115s.flac, which joined-115s.yaml describes, and pins the SHA-256 of the latter.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr
import yaml
from voices import Samples, VoiceError, speak

_FOLDER = Path(__file__).resolve().parent / "workbench"
_RATE = 16_000
_PEAK = 0.25
_RATIO = 6.0  # dB
_VOICES = ("rms", "gb", "awb", "espeak")
_SHORTEST, _LONGEST = 0.3, 0.8  # seconds of a pause
_FAINT = 10**-3.5  # of full scale
_SEED = 115


def write_noisy_copies() -> int:
    """A copy of every recording of the suite, with noise whose seed is the file's name; returns how many."""
    target = _FOLDER / "noise-6db"
    target.mkdir(exist_ok=True)
    recordings = sorted(_FOLDER.glob("*.*.flac"))
    for path in recordings:
        speech, rate = soundfile.read(path, dtype="float64")
        power = np.mean(np.square(speech))
        noise = np.random.default_rng(_seed(path.name)).standard_normal(len(speech))
        noisy = speech + noise * np.sqrt(power / 10 ** (_RATIO / 10))
        _write(target / path.name, noisy * (_PEAK / np.max(np.abs(noisy))), rate)
    return len(recordings)


def write_joined() -> float:
    """The sentences of joined-115s.yaml, each in one voice, with pauses of silence or faint noise; returns seconds."""
    description = _FOLDER / "joined-115s.yaml"
    text = description.read_text(encoding="utf-8")
    sentences = re.findall(r"[^.?]+[.?]", " ".join(yaml.safe_load(text)["instruction"].split()))
    draw, noise = random.Random(_SEED), np.random.default_rng(_SEED)
    sound: list[Samples] = [_pause(draw, noise)]
    for number, sentence in enumerate(sentences):
        speech, rate = speak(_VOICES[number % len(_VOICES)], sentence.strip())
        if rate != _RATE:
            speech = soxr.resample(speech, rate, _RATE, quality="VHQ")
        sound += [_trimmed(speech * (_PEAK / np.max(np.abs(speech)))), _pause(draw, noise)]
    whole = np.concatenate(sound)
    path = _FOLDER / "joined-115s.flac"
    _write(path, whole, _RATE)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    description.write_text(re.sub(r"sha256: [0-9a-f]*", f"sha256: {digest}", text), encoding="utf-8")
    return len(whole) / _RATE


def _trimmed(speech: Samples) -> Samples:
    """Without the quiet that the synthesiser leaves at the ends, so that the pauses have the length that was drawn."""
    loud = np.flatnonzero(np.abs(speech) > 0.01 * _PEAK)
    return speech[loud[0] : loud[-1] + 1]


def _pause(draw: random.Random, noise: np.random.Generator) -> Samples:
    length = int(_RATE * draw.uniform(_SHORTEST, _LONGEST))
    silent: npt.NDArray[np.float64] = np.zeros(length)
    return silent if draw.random() < 0.5 else silent + noise.standard_normal(length) * _FAINT


def _seed(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _write(path: Path, samples: Samples, rate: int) -> None:
    soundfile.write(path, samples, rate, format="FLAC", subtype="PCM_16", compression_level=1.0)


def main() -> int:
    """Write all; 0 when all went well, 2 when a synthesiser is missing."""
    try:
        print(f"{write_noisy_copies()} copies with noise")
        print(f"joined recording: {write_joined():.1f} s")
    except VoiceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

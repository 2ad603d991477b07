"""Synthetic speech of the closed vocabulary: eSpeak NG and Flite voices, pauses, joined sentences and noise."""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import soundfile
import soxr
from sentences import fragment, plain, sentence

Samples: TypeAlias = npt.NDArray[np.float32]

RATE = 16_000
SHORTEST = 1.0  # seconds; NeMo pads what is shorter, at both ends
_PEAK = 0.25
_ESPEAK = ("en-us", "en-us+f2", "en-us+m3", "en-gb", "en-gb+m5")
_FLITE = ("slt", "rms", "awb", "kal16")
VOICES = (*(("espeak-ng", name) for name in _ESPEAK), *(("flite", name) for name in _FLITE))


class SpeechError(Exception):
    """A synthesiser is missing or failed; the message is one line that says what to do."""


@dataclass(frozen=True)
class Utterance:
    """What was said, in writing, and its samples: float32 at 16 kHz."""

    written: str
    samples: Samples
    voice: str

    @property
    def plain(self) -> str:
        """The words alone."""
        return plain(self.written)

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return len(self.samples) / RATE


@dataclass(frozen=True)
class _Order:
    written: str
    voice: tuple[str, str]
    tempo: float
    pitch: int
    lead: float
    tail: float


def make_speech(train: int, held_out: int, seed: int) -> tuple[list[Utterance], list[Utterance]]:
    """Utterances to train on and others to measure with, in random voices, tempos and pitches.

    One in eight of the training utterances is a fragment. No held-out sentence of five or more words is trained on.
    Raises SpeechError where espeak-ng or flite is missing.
    """
    draw = random.Random(seed)
    held: list[str] = []
    while len(held) < held_out:
        text = sentence(draw)
        if text not in held:
            held.append(text)
    kept_back = {text for text in held if len(text.split()) >= 5}
    texts: list[str] = []
    while len(texts) < train:
        text = fragment(draw) if len(texts) % 8 == 7 else sentence(draw)
        if text not in kept_back:
            texts.append(text)
    orders = [
        _Order(text, draw.choice(VOICES), draw.uniform(0.85, 1.2), draw.randint(35, 65), _lead(draw), _lead(draw))
        for text in (*texts, *held)
    ]
    with ThreadPoolExecutor(2) as pool:
        spoken = list(pool.map(_fill, orders))
    return spoken[:train], spoken[train:]


def joined(utterances: Sequence[Utterance], count: int, longest: float, seed: int) -> list[Utterance]:
    """New utterances of 2 to 4 of the given ones with pauses of 0.05 to 0.8 s, none above ``longest`` seconds.

    A pause is digital silence or faint noise. Half of them keep to one voice.
    """
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    by_voice: dict[str, list[Utterance]] = {}
    for utterance in utterances:
        by_voice.setdefault(utterance.voice, []).append(utterance)
    made: list[Utterance] = []
    while len(made) < count:
        pool = draw.choice(list(by_voice.values())) if draw.random() < 0.5 else list(utterances)
        parts = draw.sample(pool, draw.randint(2, 4))
        sound: list[Samples] = [_pause(draw, noise)] if draw.random() < 0.5 else []
        for part in parts:
            sound += [part.samples, _pause(draw, noise)]
        whole = Utterance(" ".join(part.written for part in parts), np.concatenate(sound), "joined")
        if whole.seconds <= longest:
            made.append(whole)
    return made


def with_noise(samples: Samples, ratio: float, seed: int) -> Samples:
    """The samples with white noise at a signal-to-noise ratio of ``ratio`` dB."""
    noise = np.random.default_rng(seed).standard_normal(len(samples)).astype(np.float32)
    power = float(np.sqrt(np.mean(samples**2)) / 10 ** (ratio / 20))
    noisy: Samples = samples + noise * np.float32(power)
    return noisy


def padded(samples: Samples) -> Samples:
    """At least one second, padded with silence at both ends as NeMo's ``transcribe`` does."""
    missing = int(SHORTEST * RATE) - len(samples)
    if missing <= 0:
        return samples
    both: Samples = np.pad(samples, (missing // 2, missing - missing // 2))
    return both


def _lead(draw: random.Random) -> float:
    return draw.choice((0.0, 0.15, draw.uniform(0.0, 0.4)))


def _pause(draw: random.Random, noise: np.random.Generator) -> Samples:
    length = int(RATE * draw.uniform(0.05, 0.8))
    if draw.random() < 0.4:
        return np.zeros(length, dtype=np.float32)
    return (noise.standard_normal(length) * 10 ** draw.uniform(-5, -2.5)).astype(np.float32)


def _fill(order: _Order) -> Utterance:
    """Synthesise one order: peak at a quarter of full scale, 16 bits, silence before and after."""
    engine, voice = order.voice
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        if engine == "espeak-ng":
            words_a_minute, pitch = str(round(160 * order.tempo)), str(order.pitch)
            command = [engine, "-v", voice, "-s", words_a_minute, "-p", pitch, "-w", str(path), order.written]
        else:
            stretch = f"duration_stretch={1 / order.tempo:.3f}"
            command = [engine, "-voice", voice, "--setf", stretch, "-t", order.written, "-o", str(path)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise SpeechError(f"{engine} is missing; run `apt-get install {engine}`") from error
        if run.returncode or not path.exists():
            raise SpeechError(f"{engine} -v {voice} failed: {run.stderr.strip()[-200:]}")
        samples, rate = soundfile.read(path, dtype="float32")
    if rate != RATE:
        samples = soxr.resample(samples, rate, RATE, quality="VHQ")
    samples = np.round(samples * (_PEAK / np.max(np.abs(samples))) * 32768) / 32768
    samples = np.pad(samples, (int(order.lead * RATE), int(order.tail * RATE)))
    return Utterance(order.written, samples.astype(np.float32), f"{engine}:{voice}")

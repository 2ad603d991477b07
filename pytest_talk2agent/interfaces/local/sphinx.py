"""``sphinx``: PocketSphinx with its own US-English model, weak enough that a good gate must fail it."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from pytest_talk2agent.interfaces.batch import audio_of, one_by_one, require_package
from pytest_talk2agent.interfaces.model_files import package_folder
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options, refuse_model
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.audio import file_sha256

_RATE = 16_000


@dataclass(frozen=True)
class SphinxOptions:
    """Language weight, word insertion penalty and beam width of the search; the defaults are PocketSphinx's own."""

    lw: float = 6.5
    wip: float = 0.65
    beam: float = 1e-48

    def __post_init__(self) -> None:
        if not 0 < self.lw < 1000:
            raise ValueError(f"option lw must lie above 0 and below 1000, not {self.lw}")
        for name, value in (("wip", self.wip), ("beam", self.beam)):
            if not 0 < value <= 1:
                raise ValueError(f"option {name} must lie above 0 and not above 1, not {value}")


class SphinxInterface(Interface):
    """PocketSphinx on whole utterances; the order of a batch does not matter."""

    inspectable = True

    def __init__(self, spec: Spec) -> None:
        refuse_model(spec)
        self._options = read_options(spec, SphinxOptions)

    def check(self) -> None:
        """Raise InterfaceError where pocketsphinx is not installed."""
        require_package("sphinx", "pocketsphinx", "pocketsphinx", "sphinx")

    def identity(self) -> Mapping[str, str]:
        """Version, SHA-256 over the model's files, and the search settings."""
        self.check()
        return {
            "name": "sphinx",
            "pocketsphinx": importlib.metadata.version("pocketsphinx"),
            "weights_sha256": self._weights_sha256,
            **{name: repr(value) for name, value in asdict(self._options).items()},
        }

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch, one utterance at a time. Raises InterfaceError where the model cannot be loaded."""
        self.check()
        return one_by_one(batch, self._transcribe)

    @cached_property
    def _weights_sha256(self) -> str:
        found = package_folder("pocketsphinx")
        if found is None:
            raise InterfaceError("sphinx: the package pocketsphinx has no files; install it again")
        model, digest = found / "model", hashlib.sha256()
        # Sorted by path, not by text as `folder_sha256` does: another order would be another identity.
        for file in sorted(path for path in model.rglob("*") if path.is_file()):
            digest.update(f"{file.relative_to(model).as_posix()} {file_sha256(file)}\n".encode())
        return digest.hexdigest()

    @cached_property
    def _decoder(self) -> Any:
        import pocketsphinx

        try:
            # "FATAL" keeps the C library's progress log off stderr.
            return pocketsphinx.Decoder(samprate=float(_RATE), loglevel="FATAL", **asdict(self._options))
        except (RuntimeError, ValueError) as error:
            raise InterfaceError(f"sphinx: its model cannot be loaded ({error}); install pocketsphinx again") from None

    def _transcribe(self, utterance: Utterance) -> Hypothesis:
        import numpy as np

        audio = audio_of(utterance)
        if audio.rate != _RATE:
            raise TranscriptionError(f"{audio.path}: sphinx hears {_RATE} Hz, not {audio.rate} Hz; resample it")
        sound = (np.clip(audio.samples, -1, 1) * 32767).astype("<i2").tobytes()
        decoder = self._decoder
        # The front end keeps state from one utterance to the next; without this the order of a batch changes scores.
        decoder.reinit_feat()
        decoder.start_utt()
        decoder.process_raw(sound, no_search=False, full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        if found is None:
            return Hypothesis("")
        return Hypothesis(found.hypstr, {"score": float(found.score)})

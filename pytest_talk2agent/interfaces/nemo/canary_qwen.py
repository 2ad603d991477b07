"""``canary-qwen[:MODEL]``: speech-augmented language models of NVIDIA NeMo (SALM): a speech encoder before an LLM.

MODEL is a folder with ``config.json`` and ``model.safetensors``, or an id of the hub. Tokenizer and configuration of
the LLM come from the repository that ``pretrained_llm`` names, unless the folder holds them (``tokenizer_config.json``,
``llm_backbone/config.json``). There is no confidence and nothing to boost phrases with: ``+bias`` puts the terms into
the prompt. A text that does not end within ``max_new_tokens`` is marked truncated.

The released model could not be run where this was written; the code was run with a tiny model of random weights.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.interfaces.batch import Heard, one_line, require_package, transcribe_in_pieces
from pytest_talk2agent.interfaces.biasing import BiasLimit, transcribe_by_phrases
from pytest_talk2agent.interfaces.model_files import folder_sha256, from_hub
from pytest_talk2agent.interfaces.nemo.checkpoint import HUB_ID, is_local
from pytest_talk2agent.interfaces.nemo.runtime import memory_told, quiet, require_device, set_threads
from pytest_talk2agent.interfaces.nemo.strategy import CUDA_NOTE, PassOptions
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.remote.option_text import check_between

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

RELEASED = "nvidia/canary-qwen-2.5b"
WINDOW = 30.0
"""Seconds that the model hears at once; it is trained on 40 s."""
PROMPT = "Transcribe the following: {audio}"
BIASED_PROMPT = "Transcribe the following, in which these terms may occur: {terms}. {audio}"

_CONFIG, _WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class SalmOptions(PassOptions):
    """How a speech-augmented language model writes: ``max_new_tokens`` at most for each chunk."""

    max_new_tokens: int = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between(self, "max_new_tokens", 1, 4096)


class CanaryQwenInterface(Interface):
    """A SALM on chunks, greedy, in one sorted pass of fixed-size batches for each list of terms."""

    capabilities = frozenset({"bias"})
    bias_limit = BiasLimit(100, "terms")
    """The model was not trained on prompts with terms; a longer list makes it likelier that it answers the list."""
    batch_size = 64

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._options = read_options(spec, SalmOptions)
        self._model_name = spec.model or RELEASED

    def check(self) -> None:
        """Raise InterfaceError where NeMo or peft is not installed, or a local folder holds no such model."""
        for module, distribution, note in (("nemo", "nemo_toolkit[asr]", CUDA_NOTE), ("peft", "peft", "")):
            require_package(self._spec.name, module, distribution, "nemo-salm", note)
        if is_local(self._model_name):
            _ = self._config

    def identity(self) -> Mapping[str, str]:
        """SHA-256 over the model's files, name of its LLM, versions, and every setting of the pass.

        Raises InterfaceError where the model is missing or wrong; downloads it where need be.
        """
        options = self._options
        return {
            "name": "nemo-salm",
            "weights_sha256": self._sha256,
            "pretrained_llm": Path(str(self._config["pretrained_llm"])).name,
            **{name: importlib.metadata.version(name) for name in ("nemo_toolkit", "torch", "transformers", "peft")},
            "device": options.device,
            "dtype": options.dtype,
            "threads": str(options.threads),
            "batch_size": str(options.batch_size),
            "max_chunk_s": f"{self._window:g}",
            "max_new_tokens": str(options.max_new_tokens),
            "prompt": BIASED_PROMPT if self._spec.bias else PROMPT,
        }

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch, in order. Raises InterfaceError where the model cannot be loaded or run."""
        rate = int(self._model.sampling_rate)
        set_threads(self._options.threads)

        def one_pass(utterances: list[Utterance], phrases: tuple[str, ...]) -> list[Hypothesis | TranscriptionError]:
            return transcribe_in_pieces(utterances, rate, self._window, partial(self._recognise, phrases))

        return transcribe_by_phrases(self._spec, batch, self.bias_limit, lambda term: term, one_pass)

    @property
    def _window(self) -> float:
        return self._options.max_chunk_s or WINDOW

    @cached_property
    def _folder(self) -> Path:
        name = self._model_name
        folder = Path(name).expanduser().absolute() if is_local(name) else _from_hub(self._spec.name, name)
        if not folder.is_dir():
            raise InterfaceError(
                f"{self._spec.name}: no model folder {folder}; check the path behind {self._spec.name}:"
            )
        for file in (_CONFIG, _WEIGHTS):
            if not (folder / file).is_file():
                raise InterfaceError(f"{self._spec.name}: {folder} holds no {file}; name the folder of a SALM model")
        return folder

    @cached_property
    def _config(self) -> Mapping[str, Any]:
        path = self._folder / _CONFIG
        try:
            config = json.loads(path.read_bytes())
        except ValueError as error:
            raise InterfaceError(f"{self._spec.name}: {path} is damaged ({one_line(error)}); copy it again") from None
        if not isinstance(config, dict) or not {"audio_locator_tag", "pretrained_llm", "prompt_format"} <= set(config):
            raise InterfaceError(f"{self._spec.name}: {path} describes no SALM model; name the folder of one")
        return config

    @cached_property
    def _sha256(self) -> str:
        return folder_sha256(self._folder)

    @cached_property
    def _model(self) -> Any:
        self.check()
        llm = self._config["pretrained_llm"]
        require_device(self._spec.name, self._options.device)
        with quiet():
            import torch

            try:
                from nemo.collections.speechlm2.models import SALM

                with redirect_stdout(io.StringIO()):  # the loader prints that it loads
                    model = SALM.from_pretrained(str(self._folder))
                return model.to(device=self._options.device, dtype=getattr(torch, self._options.dtype)).eval()
            except Exception as error:
                raise InterfaceError(
                    f"{self._spec.name}: the model {self._folder} cannot be loaded ({one_line(error):.300}); its LLM's "
                    f"tokenizer and configuration come from {llm!r}, which must be in the hub's cache, too (HF_HOME)"
                ) from None

    def _recognise(self, phrases: tuple[str, ...], sounds: list[Samples]) -> list[Heard]:
        size = self._options.batch_size
        with quiet(), memory_told(size):
            return [
                heard
                for begin in range(0, len(sounds), size)
                for heard in self._batch(phrases, sounds[begin : begin + size])
            ]

    def _batch(self, phrases: tuple[str, ...], sounds: list[Samples]) -> list[Heard]:
        import torch
        from transformers import GenerationConfig

        model = self._model
        settings = GenerationConfig(
            bos_token_id=model.text_bos_id,
            eos_token_id=model.text_eos_id,
            pad_token_id=model.text_pad_id,
            max_new_tokens=self._options.max_new_tokens,
            do_sample=False,
        )
        text = (BIASED_PROMPT if phrases else PROMPT).format(terms=", ".join(phrases), audio=model.audio_locator_tag)
        pieces = [torch.tensor(sound) for sound in sounds]
        with torch.inference_mode():
            written = model.generate(
                prompts=[[{"role": "user", "content": text}]] * len(pieces),
                audios=torch.nn.utils.rnn.pad_sequence(pieces, batch_first=True).to(model.device),
                audio_lens=torch.tensor([len(piece) for piece in pieces], device=model.device),
                generation_config=settings,
            )
        return [self._heard(ids) for ids in written.tolist()]

    def _heard(self, ids: list[int]) -> Heard:
        end = self._model.text_eos_id
        ended = end in ids
        text = self._model.tokenizer.ids_to_text(ids[: ids.index(end)] if ended else ids)
        return Heard(str(text).strip(), truncated=not ended)


def _from_hub(interface: str, model: str) -> Path:
    if not HUB_ID.fullmatch(model):
        raise InterfaceError(
            f"{interface}: no model {model!r}; name a folder (./{model}) or an id of the hub (owner/model)"
        )
    from huggingface_hub import snapshot_download

    def get(*, local_files_only: bool = False) -> str:
        folder = snapshot_download(model, local_files_only=local_files_only)
        if local_files_only and not Path(folder, _WEIGHTS).is_file():
            raise FileNotFoundError(_WEIGHTS)
        return folder

    return from_hub(
        get,
        f"{interface}: {model!r} is not in the hub's cache on this machine, and the hub gives none ({{error}}); fill "
        f"the cache (HF_HOME), or write {interface}:./FOLDER",
    )

"""What a spec of a NeMo interface may set: how the pass runs, and how a model decodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_talk2agent.speech.chunks import SHORTEST_WINDOW

YES_NO = ("yes", "no")

CUDA_NOTE = (
    "torch comes with it, as a CUDA build of several GB; for the CPU alone, first"
    " pip install torch --index-url https://download.pytorch.org/whl/cpu"
)
"""What to know before NeMo is installed."""


@dataclass(frozen=True)
class PassOptions:
    """How a pass runs, for every NeMo model.

    ``batch_size``: chunks in a batch. ``max_chunk_s``: longest chunk in seconds; 0 is the family's window, ``inf``
    turns chunking off. ``device``: "cpu", "cuda" or "cuda:N". ``threads``: of torch, on the CPU.
    """

    batch_size: int = 8
    max_chunk_s: float = 0.0
    device: str = "cpu"
    dtype: str = "float32"
    threads: int = 2

    def __post_init__(self) -> None:
        self._between("batch_size", 1, 1024)
        self._between("threads", 1, 1024)
        if self.max_chunk_s and not self.max_chunk_s >= SHORTEST_WINDOW:
            raise ValueError(f"option max_chunk_s must be 0 or at least {SHORTEST_WINDOW:g}, not {self.max_chunk_s:g}")
        if not re.fullmatch(r"cpu|cuda(:\d+)?", self.device):
            raise ValueError(f"option device must be cpu, cuda or cuda:N, not {self.device!r}")
        self._one_of("dtype", ("float32", "bfloat16", "float16"))

    def _between(self, name: str, least: float, most: float) -> None:
        value = getattr(self, name)
        if not least <= value <= most:
            raise ValueError(f"option {name} must lie between {least} and {most}, not {value}")

    def _one_of(self, name: str, known: Sequence[str]) -> None:
        value = getattr(self, name)
        if value not in known:
            raise ValueError(f"option {name} must be {' or '.join(known)}, not {value!r}")


@dataclass(frozen=True)
class NemoOptions(PassOptions):
    """How a model decodes.

    ``beam_size``: 0 is the model's own decoder, 1 greedy. ``confidence``: report that of each word. ``alpha``: weight
    of boosted phrases, with ``+bias`` only; 0 is the family's default. ``language`` and ``pnc`` (punctuation and
    capitals) are for attention decoders only, ``decoder`` for hybrids only.
    """

    beam_size: int = 0
    confidence: str = "no"
    alpha: float = 0.0
    language: str = "en"
    pnc: str = "yes"
    decoder: str = "rnnt"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._between("beam_size", 0, 100)
        self._between("alpha", 0, 100)
        self._one_of("confidence", YES_NO)
        self._one_of("pnc", YES_NO)
        self._one_of("decoder", ("rnnt", "ctc"))


@dataclass(frozen=True)
class SalmOptions(PassOptions):
    """How a speech-augmented language model writes: ``max_new_tokens`` at most for each chunk."""

    max_new_tokens: int = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        self._between("max_new_tokens", 1, 4096)

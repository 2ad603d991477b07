"""How a NeMo model is told to decode: greedy or beam, confidence, boosted phrases. Plain values; NeMo is not needed.

NeMo ignores in silence what a decoder cannot do, or fails far from the cause. What does work was found by trying:
phrases are boosted by the greedy decoders of CTC and transducers that work on batches, by their batched beams, and by
the beam of attention decoders; confidence comes from greedy decoders alone. So both together are impossible for
attention decoders, and a model whose configuration asks for another decoder needs ``beam_size=``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.remote.option_text import check_between, check_one_of
from pytest_talk2agent.speech.chunks import SHORTEST_WINDOW

YES_NO = ("yes", "no")

CUDA_NOTE = (
    "torch comes with it, as a CUDA build of several GB; for the CPU alone, first"
    " pip install torch --index-url https://download.pytorch.org/whl/cpu"
)
"""What to know before NeMo is installed."""
GREEDY = ("greedy", "greedy_batch")
_BEAM = {"ctc": "beam_batch", "rnnt": "malsd_batch", "aed": "beam"}
_BOOSTS = {"ctc": ("greedy_batch", "beam_batch"), "rnnt": ("greedy_batch", "malsd_batch"), "aed": ("beam",)}
# NeMo's own advice; measured on tiny models, twice the alpha makes a transducer put boosted phrases where none is said.
_ALPHA = {"ctc": 0.5, "rnnt": 0.5, "aed": 1.0}
_DEPTH_SCALING = {"ctc": 2.0, "rnnt": 2.0, "aed": 1.0}


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
        check_between(self, "batch_size", 1, 1024)
        check_between(self, "threads", 1, 1024)
        if self.max_chunk_s and not self.max_chunk_s >= SHORTEST_WINDOW:
            raise ValueError(f"option max_chunk_s must be 0 or at least {SHORTEST_WINDOW:g}, not {self.max_chunk_s:g}")
        if not re.fullmatch(r"cpu|cuda(:\d+)?", self.device):
            raise ValueError(f"option device must be cpu, cuda or cuda:N, not {self.device!r}")
        check_one_of(self, "dtype", ("float32", "bfloat16", "float16"))


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
        check_between(self, "beam_size", 0, 100)
        check_between(self, "alpha", 0, 100)
        check_one_of(self, "confidence", YES_NO)
        check_one_of(self, "pnc", YES_NO)
        check_one_of(self, "decoder", ("rnnt", "ctc"))


class DecodingError(ValueError):
    """The model's decoder cannot do what is asked of it."""


@dataclass(frozen=True)
class Decoding:
    """How one family decodes: "ctc", "rnnt" (TDT included) or "aed" (attention, Canary).

    ``strategy`` is NeMo's name of the decoder, ``beam_size`` None where it has no beam. ``alpha`` weighs boosted
    phrases; 0 where none are sent.
    """

    family: str
    strategy: str
    beam_size: int | None
    confidence: bool
    alpha: float

    def changes(self, phrases: Sequence[str], language: str) -> dict[str, Any]:
        """What differs from the model's own decoding configuration, to be merged over it. CUDA graphs are off."""
        greedy: dict[str, Any] = {"allow_cuda_graphs": False}
        beam: dict[str, Any] = {"allow_cuda_graphs": False}
        if self.family == "rnnt":
            greedy = {"use_cuda_graph_decoder": False}
        if self.family == "aed":
            greedy, beam = {}, {}
        if self.beam_size is not None:
            beam |= {"beam_size": self.beam_size, "return_best_hypothesis": True}
        if phrases:
            (greedy if self.strategy in GREEDY else beam).update(
                {
                    "boosting_tree": {
                        "key_phrases_list": list(phrases),
                        "depth_scaling": _DEPTH_SCALING[self.family],
                        "source_lang": language,
                        "use_triton": False,
                    },
                    "boosting_tree_alpha": self.alpha,
                }
            )
        found: dict[str, Any] = {"strategy": self.strategy, "greedy": greedy, "beam": beam}
        if self.confidence:
            found["confidence_cfg"] = {
                "preserve_frame_confidence": True,
                "preserve_token_confidence": True,
                "preserve_word_confidence": True,
                "exclude_blank": True,
                "aggregation": "mean",
                "method_cfg": {"name": "entropy", "entropy_type": "tsallis", "alpha": 0.33, "entropy_norm": "exp"},
            }
        return found


def choose(
    family: str,
    own: Mapping[str, Any],
    *,
    beam_size: int = 0,
    confidence: bool = False,
    bias: bool = False,
    alpha: float = 0,
) -> Decoding:
    """Choose the decoder of a family from the model's ``own`` decoding configuration and what is asked of it.

    ``beam_size`` 0 keeps the model's own decoder, 1 is greedy. ``alpha`` 0 is the family's default.
    Raises DecodingError where the decoder would ignore or refuse what is asked.
    """
    strategy = str(own.get("strategy") or ("beam" if family == "aed" else "greedy_batch"))
    width = int((own.get("beam") or {}).get("beam_size") or 1)
    if family == "aed":
        # Its beam of one is greedy, and boosts; its greedy decoder knows how sure it is.
        if beam_size or (bias and strategy in GREEDY):
            strategy, width = "beam", beam_size or 1
        if confidence and strategy == "beam" and width == 1:
            strategy = "greedy"
    else:
        if strategy in GREEDY or beam_size == 1:
            strategy = "greedy_batch"
        if beam_size > 1:
            strategy, width = _BEAM[family], beam_size
    if confidence and bias and family == "aed":
        raise DecodingError("confidence=yes and +bias exclude each other here: its greedy decoder ignores phrases")
    if confidence and strategy not in GREEDY:
        raise DecodingError(f"the decoder {strategy!r} gives no confidence; add beam_size=1 or leave confidence out")
    if bias and strategy not in _BOOSTS[family]:
        raise DecodingError(f"the decoder {strategy!r} cannot do +bias; add beam_size=1 or leave +bias out")
    return Decoding(
        family=family,
        strategy=strategy,
        beam_size=None if strategy in GREEDY else width,
        confidence=confidence,
        alpha=(alpha or _ALPHA[family]) if bias else 0.0,
    )

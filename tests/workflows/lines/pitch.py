"""A clerk that follows a package with the stand-in voice, and an ear that knows its words by their pitch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.package import Package
from tests.workflows.lines.clerk import Fault, Turn, Wits

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

LOUD = 0.2
VOICE = StandIn("agent", amplitude=LOUD)


class PitchEar:
    """Hears which of some texts a stand-in voice said, by its pitch."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.pitches = {text: self._of(VOICE.clip(text)) for text in texts}
        pitches = sorted(self.pitches.values())
        assert min(np.diff(pitches)) > 3

    @staticmethod
    def _of(samples: Samples) -> float:
        padded = np.zeros(8 * SAMPLE_RATE)
        part = samples[: len(padded)]
        padded[: len(part)] = part * np.hanning(len(part))
        return float(np.argmax(np.abs(np.fft.rfft(padded)))) / 8

    def __call__(self, samples: Samples) -> str:
        pitch = self._of(samples)
        return min(self.pitches, key=lambda text: abs(self.pitches[text] - pitch))


def wits_of(package: Package, fault: Fault | None = None, pace: float = 2.0) -> Wits:
    """A clerk that follows the reference of a package: what has no words goes before the next that has."""
    assert package.policy is not None
    first, *rest = package.policy.turns
    turns, calls = [], []
    for turn in rest:
        calls += [(call.name, dict(call.args)) for call in turn.tool_calls]
        if turn.text:
            turns.append(Turn(turn.text, tuple(calls)))
            calls = []
    return Wits(first.text, tuple(turns), voice=VOICE.clip, fault=fault, pace=pace)


def ear_of(package: Package) -> PitchEar:
    """An ear for all that such a clerk says."""
    assert package.policy is not None
    return PitchEar([turn.text for turn in package.policy.turns if turn.text])

"""What loopback servers say, when they hear the user, and what their voice sounds like."""

from __future__ import annotations

import array
import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from pytest_talk2agent.workflows.agents.policy import PolicyTalker
from pytest_talk2agent.workflows.agents.protocol import PoliteTalker, Reply, Returned, Talker, View
from pytest_talk2agent.workflows.package.package import Package

ROOT = Path(__file__).parents[3]
RECORDING = ROOT / "fixtures_audio/workbench/assembly.gb.flac"
RATE = 24_000
MS_PER_WORD = 320
LOUD = 100
"""Root mean square of samples that are voice."""

MakeTalker = Callable[[], Talker]


class Replies(PoliteTalker):
    """Says what it was given, one reply after each turn of the user and after results."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = list(replies)
        self.views: list[View] = []

    def reply(self, view: View) -> Reply:
        self.views.append(view)
        return self._replies.pop(0) if self._replies else Reply()


class Brain:
    """A talker behind a server: it is asked when the user is silent, and when results are there."""

    def __init__(self, talker: Talker) -> None:
        self._talker = talker
        self._turn = 0

    def reply(self, spoke: bool, results: Sequence[Returned]) -> Reply:
        text = "(the user spoke)" if spoke else None
        view = View(self._turn, 0, text, results=tuple(results))
        self._turn += 1
        return self._talker.reply(view)


def follows(package: Package) -> MakeTalker:
    """The reference of a package, anew for each call."""
    assert package.policy is not None
    turns = package.policy.turns
    return lambda: PolicyTalker(turns)


class Ears:
    """Voice in what the server hears, by loudness: ``onset_ms`` of it begin it, ``end_ms`` of silence end it."""

    def __init__(self, rate: int, onset_ms: int = 100, end_ms: int = 500) -> None:
        self._rate = rate
        self._onset_ms, self._end_ms = onset_ms, end_ms
        self._loud_ms = self._quiet_ms = 0.0
        self.heard_ms = 0.0
        self.speaking = False

    def hear(self, pcm: bytes) -> str:
        """Take sound; "started", "stopped" or nothing."""
        samples = array.array("h", pcm[: len(pcm) // 2 * 2])
        ms = 1000 * len(samples) / self._rate
        self.heard_ms += ms
        if not samples:
            return ""
        loud = math.sqrt(sum(one * one for one in samples[::4]) / len(samples[::4])) > LOUD
        if loud:
            self._loud_ms, self._quiet_ms = self._loud_ms + ms, 0.0
            if not self.speaking and self._loud_ms >= self._onset_ms:
                self.speaking = True
                return "started"
        else:
            self._quiet_ms += ms
            if not self.speaking:
                self._loud_ms = 0.0
            elif self._quiet_ms >= self._end_ms:
                self.speaking, self._loud_ms = False, 0.0
                return "stopped"
        return ""


def voice(ms: int, rate: int = RATE) -> bytes:
    """So much recorded speech, over and over; PCM16."""
    whole = _recorded(rate)
    wanted = ms * rate // 1000 * 2
    return (whole * (wanted // len(whole) + 1))[:wanted]


def spoken(text: str) -> int:
    """How long a text takes, in ms."""
    return MS_PER_WORD * len(text.split())


@cache
def _recorded(rate: int) -> bytes:
    import numpy as np
    import soundfile
    import soxr

    samples, own = soundfile.read(str(RECORDING), dtype="float32")
    resampled = np.asarray(soxr.resample(samples, own, rate))
    peak = float(np.max(np.abs(resampled)))
    loud = resampled[np.abs(resampled) > peak / 50]  # without its pauses: as long as the agent speaks, it is heard
    return bytes((loud / peak * 20_000).astype("<i2").tobytes())

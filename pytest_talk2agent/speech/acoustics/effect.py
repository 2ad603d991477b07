"""What an effect is: it makes, for one recording or stream, a process that takes sound piece by piece.

A whole recording is one piece; a live stream is many, such as frames of 20 ms. Cutting the sound otherwise does not
change what comes out, so both are conditions of the same name.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Sound: TypeAlias = "NDArray[numpy.float64]"
"""Mono samples, full scale 1."""


class SoundError(ValueError):
    """A condition of sound that cannot be: a wrong text, a missing package, a folder without recordings."""


@dataclass(frozen=True)
class Source:
    """Where the talkers and the noises of one recording come from, in the order in which they are used."""

    paths: tuple[Path, ...] = ()
    sha256s: tuple[str, ...] = ()
    voices: tuple[tuple[Path, ...], ...] = ()
    """The paths by who speaks, where one talker has several; else each is a talker by itself."""

    @property
    def talkers(self) -> tuple[tuple[Path, ...], ...]:
        """The recordings of each talker, one after another."""
        return self.voices or tuple((path,) for path in self.paths)


@dataclass(frozen=True)
class Setting:
    """What a process is begun with.

    ``rate`` in Hz. ``power`` and ``peak`` are the mean square and the largest magnitude of the speech, which a stream
    cannot know beforehand and must be told. ``length`` is the number of samples to come, None where nobody knows; with
    it a ratio of noise holds for exactly this stretch, without it in the long run. ``seed`` decides every draw.
    """

    rate: int
    power: float
    peak: float
    seed: int
    length: int | None = None
    source: Source = field(default_factory=Source)


class Process(ABC):
    """One effect at work on one stream of samples."""

    @abstractmethod
    def push(self, sound: Sound) -> Sound:
        """The next samples in, what is ready of the result out; it may be of another length."""

    def end(self) -> Sound:
        """What is left once the last samples are in, such as the last echo."""
        import numpy as np

        return np.zeros(0)


@dataclass(frozen=True)
class Effect(ABC):
    """A member of a condition, such as ``white@5dB``: a name and, where the name takes one, an amount."""

    name: str
    amount: Decimal | None = None
    folder: str | None = None

    live = True
    """Whether it works on a stream, with a delay that has a bound."""

    @abstractmethod
    def begin(self, setting: Setting) -> Process:
        """A process for one recording or stream; raises SoundError where a package is missing."""

    def lead(self, rate: int) -> int:
        """How many samples it puts before the speech, or takes from it where negative."""
        del rate
        return 0

    @property
    def version(self) -> str:
        """Of the library whose releases may change what comes out; empty where none does."""
        return ""

    @property
    def value(self) -> float:
        """The amount as a number; 0 where there is none."""
        return float(self.amount or 0)


def seed_of(*parts: object) -> int:
    """A seed for a generator, the same for the same parts."""
    return int(hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16], 16)


def needed(module: str, what: str) -> None:
    """Raise SoundError where a package of the extra ``sound`` is missing."""
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise SoundError(f"sound condition {what} needs {module}; run `pip install 'pytest-talk2agent[sound]'`")

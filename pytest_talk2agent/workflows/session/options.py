"""How a session is run. It is a file of its own since sessions with and without sound share it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pytest_talk2agent.workflows.caller.speech import MS_PER_WORD
from pytest_talk2agent.workflows.session.scene import Perturbation

COMPAT = "apex-1.0"
DUPLEX = ("C2", "C3")
"""Conditions in which the user speaks over the agent; in the others it waits for the floor."""


@dataclass(frozen=True)
class RunOptions:
    """How a session is run.

    ``seed`` chooses the wordings and the moments of the user; ``repetition`` is told to the agent, beside the seed.
    ``compat`` is "apex-1.0" or None. ``ms_per_word`` is the length of a word without a recording.
    """

    seed: int = 1
    repetition: int = 0
    condition: Literal["C0", "C1", "C2", "C3"] = "C2"
    clock: Literal["virtual", "real"] = "virtual"
    compat: str | None = None
    ms_per_word: int = MS_PER_WORD
    perturbation: Perturbation = field(default_factory=Perturbation)

    def __post_init__(self) -> None:
        if self.compat not in (None, COMPAT):
            raise ValueError(f"compat is {COMPAT!r} or nothing, not {self.compat!r}")

"""How a session is run, with or without sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_talk2agent.workflows.caller.speech import MS_PER_WORD

COMPAT = "apex-1.0"
DUPLEX = ("C2", "C3")
"""Conditions in which the user speaks over the agent; in the others it waits for the floor."""


@dataclass(frozen=True)
class Perturbation:
    """What a search of schedules changes in a session.

    ``overlaps`` maps an event to the milliseconds after the beginning of the agent's words at which the user speaks
    over them; ``latency`` and ``lost`` name tool calls by their number in the session, from 0: milliseconds on top, and
    results that never arrive although the call was done.
    """

    overlaps: Mapping[str, int] = field(default_factory=dict)
    latency: Mapping[int, int] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()

    def plain(self) -> dict[str, Any]:
        """Plain values for the log; empty where nothing is changed."""
        made: dict[str, Any] = {}
        if self.overlaps:
            made["overlaps"] = dict(sorted(self.overlaps.items()))
        if self.latency:
            made["latency"] = {str(number): ms for number, ms in sorted(self.latency.items())}
        if self.lost:
            made["lost"] = sorted(self.lost)
        return made

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Perturbation:
        """The inverse of `plain`."""
        latency = {int(number): ms for number, ms in plain.get("latency", {}).items()}
        return cls(dict(plain.get("overlaps", {})), latency, frozenset(plain.get("lost", ())))


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

"""What passes between a person's page, on its thread, and the session, on another: sound, taps, what is shown."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytest_talk2agent.workflows.human.microphone import Microphone
from pytest_talk2agent.workflows.human.words import Words

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Listener


@dataclass(frozen=True)
class Marked:
    """A line was tapped; ``last`` says that it is what was just said, and not what comes next."""

    line: str
    last: bool = False


@dataclass(frozen=True)
class Unmarked:
    """The line that was tapped is not said after all."""


@dataclass(frozen=True)
class HungUp:
    """The person hung up: all is said, or the agent is of no help."""

    why: Literal["done", "gave-up"]


@dataclass(frozen=True)
class Lost:
    """The person cannot go on, so the session says nothing of the agent. One clear line."""

    text: str


Doing: TypeAlias = Marked | Unmarked | HungUp | Lost
Send: TypeAlias = "Callable[[bytes | Mapping[str, Any]], None]"
"""Gives the page sound (PCM16 at `SAMPLE_RATE`) or plain values; from any thread, and never waits."""


@dataclass
class Desk:
    """Where a person sits.

    ``words`` finds those of the microphone, and is ready before the call begins; ``ear`` writes them down (by
    ``ear_id``), and ``page`` is what the page says of the sound that it plays and records.
    """

    microphone: Microphone
    send: Send
    words: Words
    ear: Listener | None = None
    ear_id: str = ""
    page: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.doings: queue.SimpleQueue[Doing] = queue.SimpleQueue()

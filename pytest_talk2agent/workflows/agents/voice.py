"""What an agent is in a session with sound: it hears a continuous stream, and speaks, acts and leaves when it likes.

The session sends it a frame of the user's channel every 20 ms, silence included, and takes what it has come up with
since. It puts the agent's sound into a playout buffer: only what was played was heard. What an agent does to its own
sound at a barge-in is its own decision; nothing here yields for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from pytest_talk2agent.workflows.agents.protocol import Briefing, Call, InfrastructureError, Returned

SAMPLE_RATE = 24_000
"""Samples a second of both channels, as in APEX-Voice (apex-voice.md 3.2)."""
FRAME_MS = 20
FRAME_SAMPLES = SAMPLE_RATE * FRAME_MS // 1000
FRAME_BYTES = 2 * FRAME_SAMPLES

Phase = Literal["connect", "first audio", "silence", "call"]
"""What a session waits for, each with a limit of its own; a failure names the one that it was in."""


class LineError(InfrastructureError):
    """The line to an agent failed in a phase, so nobody knows what the agent would have done. One clear line."""

    def __init__(self, phase: Phase, text: str) -> None:
        super().__init__(f"{phase}: {text}")
        self.phase = phase


@dataclass(frozen=True)
class Sound:
    """Sound of the agent: PCM16, little endian, mono; any length, even an odd number of bytes.

    ``item`` names the utterance that it is a part of. An agent that knows of no utterances leaves it empty: they are
    then told apart by the silence between them.
    """

    pcm: bytes
    rate: int = SAMPLE_RATE
    item: str = ""


@dataclass(frozen=True)
class Words:
    """Words that the agent means to say with an utterance, after those that it gave for it before."""

    text: str
    item: str = ""


@dataclass(frozen=True)
class Heard:
    """What the agent's own recogniser made of the user's words; for the report alone."""

    text: str


@dataclass(frozen=True)
class Called:
    """The agent calls a tool; the session answers with `Line.returned`."""

    call: Call


@dataclass(frozen=True)
class Executed:
    """The agent called a tool of its own and says what came of it; there is nothing to answer."""

    call: Call
    result: Any


@dataclass(frozen=True)
class Flushed:
    """The agent throws away what was not played yet of its utterances."""


@dataclass(frozen=True)
class Finished:
    """A reply is complete: no sound, words or calls will be added to it.

    ``usage`` are counts for the log, such as tokens; ``cancelled`` is true for a reply that the agent broke off.
    """

    usage: Mapping[str, int | float] = field(default_factory=dict)
    cancelled: bool = False


@dataclass(frozen=True)
class Left:
    """The agent ends the call once what it has said is played."""

    reason: str = ""


LineEvent = Sound | Words | Heard | Called | Executed | Flushed | Finished | Left


@dataclass(frozen=True)
class Abilities:
    """What an adapter can do; the table of docs/voice-agents.md is made of these.

    Attributes:
        virtual: it can be held under the virtual clock; else only under the real one.
        yields: who decides that it is silent at a barge-in: the agent, or the client that cancels for it.
        truncates: it is told how much of a cut utterance was heard.
        words: it gives the words that it says; else they are heard with ``listener``.
        calls: where its tool calls come from.
        ends: it can end the call.
        finishes: it says when a reply is complete (`Finished`); else a longer silence is the end of its turn.
        greets: it speaks first whatever the package says, so the user waits for its greeting.
        kept: an earlier session stands for a new one; not so where the agent may have become another unseen.
    """

    virtual: bool
    yields: Literal["agent", "client"]
    truncates: bool
    words: bool
    calls: Literal["session", "posted"]
    ends: bool
    finishes: bool = True
    greets: bool = False
    kept: bool = True


class Line(Protocol):
    """An agent in one call. Nothing here waits: `send` queues and `poll` gives what is there."""

    def send(self, frame: bytes, now_ms: int) -> None:
        """Give it the next `FRAME_BYTES` of the user's channel."""
        ...

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """What it has come up with by now, oldest first.

        Raises:
            AgentFailedError: where the agent cannot go on.
            LineError: where the line fails.
        """
        ...

    def returned(self, results: Sequence[Returned]) -> None:
        """Give it the results of its tool calls: all of those that it made at once, together."""
        ...

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """Say how much of an utterance was played when it ended or was cut."""
        ...

    def close(self) -> None:
        """End whatever the call started; may be called twice."""
        ...


@runtime_checkable
class ToldLine(Protocol):
    """What the line of a control may have besides: it is told what the user says, as controls are told the package."""

    def user_begins(self, text: str, *, backchannel: bool, now_ms: int) -> None:
        """The first audible sample of the user's words is at this moment."""
        ...

    def user_ends(self, text: str, *, more: bool, now_ms: int) -> None:
        """The user's words are over; ``more`` says that the user goes on after a short pause."""
        ...


@runtime_checkable
class VoiceAgent(Protocol):
    """An agent that can be called.

    Attributes:
        control: whether it is told the package.
        abilities: what it can do.
    """

    control: bool
    abilities: Abilities

    def identity(self) -> Mapping[str, str]:
        """All that can change what it does; plain values, no keys."""
        ...

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        """Begin a call. ``real`` says whether the clock is: else nothing may depend on how long a thing takes.

        Raises:
            AgentFailedError: where the agent refuses.
            LineError: where it cannot be reached within its limit.
        """
        ...

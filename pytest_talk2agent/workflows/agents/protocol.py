"""What an agent is in a session without sound: it is told what it heard and what its tools came to, and replies.

A reply is words to say and tools to call; both begin at once, as with a speech model. Words take their time on the
media timeline, and only those that were played out before the user cut them were heard.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pytest_talk2agent.workflows.package.package import Package

USUAL_STOP_MS = 240
"""How soon an agent is silent that does not decide itself: the reaction of a voice activity detector."""
BACKCHANNEL_WORDS = 3
"""Up to so many words are no reason to stop for an agent that does not decide itself."""


class AgentError(ValueError):
    """An agent cannot be had as it was asked for. One clear line."""


class AgentFailedError(Exception):
    """The agent cannot go on, by its own fault; the session is scored as it stands. One clear line."""


class InfrastructureError(Exception):
    """Something else than the agent failed, so nobody knows what it would have done. One clear line."""


@dataclass(frozen=True)
class Briefing:
    """What an agent is told at the beginning of a session.

    ``tools`` are names, descriptions and JSON Schemas of arguments. ``package`` is given to controls alone, which know
    the workflow so that they say something about it. ``now`` is the time of the world in ISO 8601, where that stands
    still: the agent and its tools share one date. ``first_speaker`` is who begins: an agent greets or waits.
    """

    instructions: str
    title: str
    tools: tuple[Mapping[str, Any], ...]
    seed: int
    repetition: int
    package: Package | None = None
    now: str | None = None
    first_speaker: Literal["agent", "user"] = "user"


@dataclass(frozen=True)
class Call:
    """A tool call: its id, its tool, and the arguments as the agent sent them, which may be anything."""

    call_id: str
    name: str
    args: Any


@dataclass(frozen=True)
class Returned:
    """What a tool call came to, as the agent is told."""

    call_id: str
    name: str
    told: Mapping[str, Any]


@dataclass(frozen=True)
class View:
    """What an agent has to react to.

    ``turn`` counts its replies before this one. ``user_text`` is what the user said since its last reply, None where it
    only gets results. ``interrupted`` is the part of its words that was heard before the user cut them, None where they
    were not cut; ``cut_turn`` is the number of the reply, from 1, that had these words: later ones were not heard.
    ``tools`` are those that it is offered now.
    """

    turn: int
    media_time_ms: int
    user_text: str | None = None
    interrupted: str | None = None
    cut_turn: int | None = None
    results: tuple[Returned, ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Reply:
    """What an agent says and does next.

    ``think_ms`` is how long that took on the media timeline; None leaves it to the clock. ``usage`` are counts for the
    log, such as tokens.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    end_call: bool = False
    think_ms: int | None = None
    usage: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Overlap:
    """The user's voice sets in over the agent's. ``words`` is how many words it will be; nobody knows them yet."""

    kind: Literal["barge_in", "backchannel"]
    words: int
    heard: str


class Talker(Protocol):
    """An agent in one session."""

    def reply(self, view: View) -> Reply:
        """React.

        Raises:
            AgentFailedError: where the agent cannot go on.
            InfrastructureError: where something else fails.
        """
        ...

    def overlapped(self, overlap: Overlap) -> int | None:
        """In how many milliseconds it will be silent; None where it talks on."""
        ...

    def close(self) -> None:
        """End whatever the session started; may be called twice."""
        ...


class Agent(Protocol):
    """An agent that can be put into sessions.

    Attributes:
        control: whether it is told the package.
    """

    control: bool

    def identity(self) -> Mapping[str, str]:
        """All that can change what it does; plain values."""
        ...

    def start(self, briefing: Briefing) -> Talker:
        """Begin a session; raises as `Talker.reply`."""
        ...


class GuardedTalker:
    """Anybody's talker: what it raises, or gives that is no reply, is its own failure and costs its own session."""

    def __init__(self, talker: Talker) -> None:
        self._talker = talker

    def reply(self, view: View) -> Reply:
        """As the talker, or AgentFailedError."""
        try:
            reply = self._talker.reply(view)
        except (AgentError, AgentFailedError, InfrastructureError):
            raise
        except Exception as error:
            raise AgentFailedError(f"the agent raised {type(error).__name__}: {_line(error)}") from error
        fits = (
            isinstance(reply, Reply)
            and isinstance(reply.text, str)
            and all(isinstance(call, Call) and isinstance(call.name, str) for call in reply.calls)
            and all(isinstance(call.call_id, str) for call in reply.calls)
            and (reply.think_ms is None or isinstance(reply.think_ms, int))
        )
        if not fits:
            raise AgentFailedError(f"the agent's reply is none: {_line(reply)}")
        return reply

    def overlapped(self, overlap: Overlap) -> int | None:
        """As the talker, or AgentFailedError."""
        try:
            stop = self._talker.overlapped(overlap)
        except Exception as error:
            raise AgentFailedError(f"the agent raised {type(error).__name__}: {_line(error)}") from error
        if stop is not None and not isinstance(stop, int):
            raise AgentFailedError(f"the agent stops in {_line(stop)}, which is no whole number of milliseconds")
        return stop

    def close(self) -> None:
        """As the talker; what it raises at its end changes nothing any more."""
        with contextlib.suppress(Exception):
            self._talker.close()


def _line(value: object) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in str(value)).split())[:200]


def usual_stop(overlap: Overlap) -> int | None:
    """What an agent does that does not decide itself: it stops for words, and talks on through a short murmur."""
    return None if overlap.kind == "backchannel" and overlap.words <= BACKCHANNEL_WORDS else USUAL_STOP_MS


class PoliteTalker:
    """What most agents have in common: they yield as `usual_stop` says, and have nothing to close."""

    def overlapped(self, overlap: Overlap) -> int | None:
        """As `usual_stop`."""
        return usual_stop(overlap)

    def close(self) -> None:
        """Nothing to end."""


def instructions(title: str, tools: Sequence[Mapping[str, Any]], time: str = "") -> str:
    """What every agent is told: how to talk and how to work; the title of the workflow is all it knows of that.

    ``time`` is a sentence on the time of the world, where that stands still.
    """
    told = (
        "You are on the phone with a customer and do office work for them with the tools that you have. "
        "Say one short sentence at a time and ask for one thing at a time. "
        "Write each answer down with a tool as soon as you have it. "
        "Search the knowledge base where a rule or a figure matters. "
        "When the customer corrects something, write it again, with everything that follows from it. "
        "Before an action that needs approval, say what you are about to do and ask for approval with the tool. "
        "Finish the work before you say goodbye."
    )
    parts = [told, time, f"The task: {title}", "" if tools else "There are no tools."]
    return "\n".join(filter(None, parts))

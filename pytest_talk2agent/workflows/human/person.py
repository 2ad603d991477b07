"""The person at the page, between the thread of the page and that of the session.

A call with a person is held as one with a synthetic caller is, and is never taken for one: the caller's name is in the
key, the log and the record, with the text that the person agreed to before anything was recorded.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytest_talk2agent.workflows.audio.ports import ClipError, SoundOptions
from pytest_talk2agent.workflows.human.microphone import Microphone
from pytest_talk2agent.workflows.human.words import make_voice_finder

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Listener, Samples
    from pytest_talk2agent.workflows.session.scene import Scene
    from pytest_talk2agent.workflows.session.user_side import UserSide

CALLER = "human"
"""The caller's name where that of a voice stands for others."""


@dataclass(frozen=True)
class Consent:
    """What a person agreed to: the text by its SHA-256, and when, in ISO 8601."""

    sha256: str
    at: str


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
class Person:
    """Who calls. ``name`` is a pseudonym, ``detector`` finds the words of the microphone, ``ear`` writes them down."""

    name: str
    consent: Consent
    microphone: Microphone
    send: Send
    detector: str
    ear: Listener | None = None
    ear_id: str = ""
    real: bool = True

    def __post_init__(self) -> None:
        self.doings: queue.SimpleQueue[Doing] = queue.SimpleQueue()

    def identity(self) -> dict[str, Any]:
        """What the log says of the caller at its beginning."""
        return {
            "caller": CALLER,
            "name": self.name,
            "consent_sha256": self.consent.sha256,
            "agreed_at": self.consent.at,
            "words": dict(make_voice_finder(self.detector).settings()),
            "transcripts": self.ear_id,
        }

    def side(self, scene: Scene, wordings: Any, talk: Any, *, seed: int) -> UserSide:
        """The user's side of a session."""
        from pytest_talk2agent.workflows.human.side import PersonSide

        return PersonSide(scene, wordings, talk, self, seed=seed)


class NoClips:
    """There is no voice in a bank: a person speaks."""

    def identity(self) -> Mapping[str, str]:
        """Its name."""
        return {"name": CALLER}

    def clip(self, text: str, variant: str | None) -> Samples:
        """Nothing is ever spoken for a person."""
        raise ClipError("a person calls, and nothing is spoken for it")


def sound_with(person: Person | None, *, listener: Listener | None = None, listener_id: str = "") -> SoundOptions:
    """How a call with a person is held; without one, for its key alone. The line is clean: the room is the person's."""
    heard = f"; listener={listener_id}" if listener_id else ""
    return SoundOptions(
        clips=lambda package, condition: NoClips(),
        label=f"caller={CALLER}; channel=clean{heard}",
        listener=listener,
        listener_id=listener_id,
        person=person,
    )

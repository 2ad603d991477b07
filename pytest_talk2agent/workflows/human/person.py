"""A person as the caller of a session: who it is, what it agreed to, and how its call is held.

A call with a person is held as one with a synthetic caller is, and is never taken for one: the caller's name is in the
key, the log and the record, with the text that the person agreed to before anything was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.workflows.audio.ports import ClipError, SoundOptions
from pytest_talk2agent.workflows.human.desk import Desk
from pytest_talk2agent.workflows.human.side import PersonSide

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


@dataclass
class Person:
    """Who calls.

    ``name`` is a pseudonym, ``consent`` None where none was given, and so nothing recorded. ``real`` says that it takes
    real time.
    """

    name: str
    consent: Consent | None
    desk: Desk
    real: bool = True

    def identity(self) -> dict[str, Any]:
        """What the log says of the caller at its beginning."""
        return {
            "caller": CALLER,
            "name": self.name,
            "consent_sha256": self.consent.sha256 if self.consent is not None else None,
            "agreed_at": self.consent.at if self.consent is not None else None,
            "words": self.desk.words.settings(),
            "transcripts": self.desk.ear_id,
        }

    def side(self, scene: Scene, wordings: Any, talk: Any, *, seed: int) -> UserSide:
        """The user's side of a session."""
        return PersonSide(scene, wordings, talk, self.desk, seed=seed)


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

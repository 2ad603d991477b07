"""The input and output of an interface: utterance in, hypothesis out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.remote.credentials import MaskedError

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Audio


@dataclass(frozen=True)
class Utterance:
    """One recording of one task: what an interface is asked to transcribe.

    ``take`` names the recording within its task (the speaker where that is unique, else a number). ``path`` is the
    audio file, absent where a task lists none; ``audio`` is its decoded content, filled in just before transcription
    and only for interfaces that hear. ``terms`` are what the agent can see, for interfaces that can be biased towards
    them; empty unless the spec says ``+bias``.
    """

    task: str
    take: str
    instruction: str
    script: str
    path: Path | None = None
    audio: Audio | None = None
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """What an interface made of one utterance; ``detail`` holds what the decoder says of itself (plain values).

    ``state`` is one of `STATES`. ``sent`` are the terms that the recogniser was really given, None where it takes none.
    """

    text: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    state: str = "transcribed"
    sent: tuple[str, ...] | None = None


STATES = ("transcribed", "refused", "answered", "truncated")
"""A provider may refuse the audio, answer it as if it were a question, or break off: none of these is an omission."""


MOST_CHARACTERS = 100_000
"""The longest transcript that is taken: two hours of speech."""


class InterfaceError(MaskedError):
    """An interface cannot work at all: wrong spec, missing package, missing or corrupt model."""


class TranscriptionError(MaskedError):
    """One utterance could not be transcribed; the others are unaffected."""


def check_length(text: str, where: str) -> str:
    """A transcript that is no longer than `MOST_CHARACTERS`; raises TranscriptionError for any other."""
    if len(text) > MOST_CHARACTERS:
        raise TranscriptionError(
            f"{where}: a transcript of {len(text)} characters; at most {MOST_CHARACTERS} are taken"
        )
    return text

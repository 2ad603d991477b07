"""What goes into an interface and what comes out: utterance in, hypothesis out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_talk2agent.interfaces.masking import masked

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


class InterfaceError(Exception):
    """An interface cannot work at all: wrong spec, missing package, missing or corrupt model. One clear line.

    Keys of the environment are masked in it.
    """

    def __init__(self, message: object) -> None:
        super().__init__(masked(str(message)))


class TranscriptionError(Exception):
    """One utterance could not be transcribed; the others go on. One clear line, in which keys are masked."""

    def __init__(self, message: object) -> None:
        super().__init__(masked(str(message)))


def check_length(text: str, where: str) -> str:
    """A transcript that is no longer than `MOST_CHARACTERS`; raises TranscriptionError for any other."""
    if len(text) > MOST_CHARACTERS:
        raise TranscriptionError(
            f"{where}: a transcript of {len(text)} characters; at most {MOST_CHARACTERS} are taken"
        )
    return text


class Interface(Protocol):
    """Speech to text.

    ``hears`` is False for interfaces that take no sound (the controls and recorded transcripts): they are neither
    batched, cached nor sent to the model server. ``capabilities`` holds what the spec may ask for: "bias". An interface
    that can be biased has an attribute ``bias_limit`` (a `biasing.BiasLimit`), sends no more than it (`biasing.fit`)
    and says in every hypothesis what it sent. An attribute ``batch_size`` says how many utterances a call takes (1
    without it); a method ``arrivals(batch)`` that yields ``(index, outcome)`` as each is ready is used instead of
    `transcribe` where there is one; a method ``charge_to(budget)`` is called once with the `budget.Budget` of the run.
    Three more are protocols of their own: `Reproducible`, `Inspectable` and `TimeLimited`.
    """

    hears: bool
    capabilities: frozenset[str]

    def check(self) -> None:
        """Raise InterfaceError where a package or model is missing. Cheap: imports and loads nothing."""

    def identity(self) -> Mapping[str, str]:
        """Everything that can change a transcript: name, weights (SHA-256), runtime versions, decode settings."""

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch, in order, one result for each utterance. Loads the model at the first call."""


@runtime_checkable
class Reproducible(Protocol):
    """An interface that says whether a stored transcript may stand in for hearing a recording again.

    It may where the identity covers all that can change a transcript, and that is taken for granted of an interface
    that says nothing.
    """

    reproducible: bool


@runtime_checkable
class Inspectable(Protocol):
    """An interface that says whether what it is can be read from files and settings alone.

    Then ``identity()`` and ``reproducible`` load no model and run no code of the user's own, so the process of the
    tests may ask for them. That is not taken for granted: others are asked in the model server.
    """

    inspectable: bool


@runtime_checkable
class TimeLimited(Protocol):
    """An interface that runs code which nobody can stop from within: ``time_limit`` seconds for each recording."""

    time_limit: float


def is_reproducible(interface: Interface) -> bool:
    """Whether a stored transcript may stand in for hearing again; see `Reproducible`."""
    return interface.reproducible if isinstance(interface, Reproducible) else True


def is_inspectable(interface: Interface) -> bool:
    """Whether the process of the tests may ask an interface what it is; see `Inspectable`."""
    return isinstance(interface, Inspectable) and interface.inspectable

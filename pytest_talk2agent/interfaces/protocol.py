"""What an interface is: speech to text, with defaults for all that most of them need not say."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_talk2agent.interfaces.spec import shown_text
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.remote.budget import Budget


class Interface(ABC):
    """Speech to text. What only some interfaces can do is a protocol of its own: `Streaming`, `Charged`, `Replaying`.

    One that can be biased also has an attribute ``bias_limit`` (a `biasing.BiasLimit`), sends no more than it
    (`biasing.fit`) and says in every hypothesis what it sent.
    """

    hears: bool = True
    """Whether it takes sound. One that does not is neither batched nor cached, nor sent to the model server."""
    capabilities: frozenset[str] = frozenset()
    """What a spec may ask for: "bias"."""
    batch_size: int = 1
    """How many utterances a call takes at most."""
    reproducible: bool = True
    """Whether the identity covers all that can change a transcript, so that a stored one may stand in for hearing."""
    inspectable: bool = False
    """Whether ``identity`` and ``reproducible`` read files and settings alone, load no model and run none of the user's
    code. Then the process of the tests may ask for them; others are asked in the model server."""
    time_limit: float | None = None
    """Seconds that a recording may take before the process that hears it is ended; None is the engine's own limit."""

    def check(self) -> None:  # noqa: B027 - most need nothing
        """Raise InterfaceError where a package or model is missing. Cheap: imports and loads nothing."""

    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Everything that can change a transcript: name, weights (SHA-256), runtime versions, decode settings."""

    @abstractmethod
    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch, in order, one result for each utterance. Loads the model at the first call."""


@runtime_checkable
class Streaming(Protocol):
    """An interface that has several utterances under way at a time; it is asked this way and not by `transcribe`."""

    def arrivals(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Hypothesis | TranscriptionError]]:
        """Transcribe a batch; yield the index and the outcome of each utterance as soon as it is ready."""


@runtime_checkable
class Charged(Protocol):
    """What costs money: an interface, or a repair."""

    def charge_to(self, budget: Budget) -> None:
        """Spend no more than the budget of the run; called once. Raises InterfaceError where no price is known."""


@runtime_checkable
class Replaying(Protocol):
    """An interface that hands out what was recorded elsewhere."""

    def records_of(self, task: str) -> list[str]:
        """The takes recorded for a task."""

    def has_record(self, utterance: Utterance) -> bool:
        """Whether there is a record for an utterance."""


class ForeignInterface(Interface):
    """An object that has ``identity()`` and ``transcribe(batch)`` but is no `Interface`: it gets the defaults of one.

    Raises InterfaceError where it has no such methods. ``maker`` is what made it, for messages.
    """

    def __init__(self, foreign: Any, maker: str) -> None:
        # Here alone an object is asked what it has: it was made by code that need not know `Interface`.
        for name in ("transcribe", "identity"):
            if not callable(getattr(foreign, name, None)):
                raise InterfaceError(f"{maker} has no {name}(); see Interface")
        plain = ("hears", "capabilities", "batch_size", "reproducible", "inspectable", "time_limit", "bias_limit")
        for name in (*plain, "check"):
            if hasattr(foreign, name):
                setattr(self, name, getattr(foreign, name))
        self._foreign = foreign

    def identity(self) -> Mapping[str, str]:
        """That of the object."""
        identity: Mapping[str, str] = self._foreign.identity()
        return identity

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """As the object does."""
        outcomes: list[Hypothesis | TranscriptionError] = self._foreign.transcribe(batch)
        return outcomes


Batch = Sequence[tuple[int, Utterance]]
Outcome = tuple[int, Hypothesis | TranscriptionError, float]
"""The number of an utterance, what came of it, and the seconds it took."""

Work = Callable[[str, Interface, Iterator[Batch]], Iterator[Outcome]]
"""Transcribes batches for the interface of a spec string. Batches are taken only as fast as they are worked on, which
bounds the memory that decoded audio takes. Raises InterfaceError where nothing can be transcribed."""


def work_here(spec: str, interface: Interface, batches: Iterator[Batch]) -> Iterator[Outcome]:
    """Transcribe in this process."""
    for batch in batches:
        begin = time.perf_counter()
        utterances = [utterance for _, utterance in batch]
        if isinstance(interface, Streaming):
            came = 0
            for came, (index, outcome) in enumerate(interface.arrivals(utterances), 1):  # noqa: B007 - needed after the loop
                yield batch[index][0], outcome, time.perf_counter() - begin
        else:
            outcomes = interface.transcribe(utterances)
            came = len(outcomes)
            if came == len(batch):
                elapsed = (time.perf_counter() - begin) / came
                for (number, _), outcome in zip(batch, outcomes, strict=True):
                    yield number, outcome, elapsed
        if came != len(batch):
            numbers = f"{counted(came, 'transcript')} for {counted(len(batch), 'recording')}"
            raise InterfaceError(f"{shown_text(spec)}: {numbers}")

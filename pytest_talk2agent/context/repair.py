"""The repair of a transcript by the terms that the agent can see: its protocol, its records and its options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from pytest_talk2agent.remote.option_text import ChatOptions


@dataclass(frozen=True)
class Change:
    """One replacement: the words that were heard and what was put in their place; either may be empty."""

    heard: str
    put: str


@dataclass(frozen=True)
class Repaired:
    """A transcript after its repair.

    ``kept`` says why the text is the raw one, where a guard or a fault kept it. ``final`` is False where asking again
    may give another answer (the provider failed): such a result is not stored. ``detail`` holds cost and tokens where
    they are known.
    """

    text: str
    changes: tuple[Change, ...] = ()
    kept: str | None = None
    final: bool = True
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store and the record."""
        return {**vars(self), "changes": [asdict(change) for change in self.changes], "detail": dict(self.detail)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Repaired:
        """The inverse of `to_json`; raises TypeError or KeyError where a field is missing or unknown."""
        return cls(**{**data, "changes": tuple(Change(**change) for change in data["changes"])})


class Repair(ABC):
    """Transcript and terms to transcript. One that costs money is a `Charged`, too."""

    concurrency: int = 1
    """How many transcripts it may be given at a time."""
    stored: bool = False
    """Whether its results are kept in the store of the run: those of a model are, as asking again costs."""

    def check(self) -> None:  # noqa: B027 - most need nothing
        """Raise InterfaceError where something is missing. Cheap: calls and loads nothing."""

    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Everything that can change a repaired text."""

    @abstractmethod
    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        """Repair one transcript.

        Raises InterfaceError where no transcript could be repaired at all, TranscriptionError where this one may not
        be, as its repair might exceed the budget.
        """


@dataclass(frozen=True)
class RepairSwitches(ChatOptions):
    """The options of ``+repair``: ``repair_with`` is ``phonetic`` or ``llm:MODEL``; the others are for ``llm``."""

    prefix: ClassVar[str] = "repair_"

    with_: str = "phonetic"

    def __post_init__(self) -> None:
        if self.model is None and self.with_ != "phonetic":
            raise ValueError(f"option repair_with must be phonetic or llm:MODEL, not {self.with_!r}")
        others = [option for option in fields(self) if option.name != "with_"]
        if self.model is None and any(vars(self)[option.name] != option.default for option in others):
            raise ValueError("the other repair_ options do nothing without repair_with=llm:MODEL; add it, or drop them")
        super().__post_init__()

    @property
    def model(self) -> str | None:
        """The model of ``llm:MODEL``, None for the phonetic repair."""
        name, _, model = self.with_.partition(":")
        return model if name == "llm" and model else None

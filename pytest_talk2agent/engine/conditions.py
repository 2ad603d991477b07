"""A condition: an interface as one run uses it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from pytest_talk2agent.interfaces.registry import Registry, fingerprint
from pytest_talk2agent.interfaces.spec import Spec
from pytest_talk2agent.interfaces.utterance import Interface
from pytest_talk2agent.results.baseline import Pins


class Condition:
    """A spec, its interface (made at once, its model loaded at the first transcription) and what pins it.

    Raises InterfaceError at once for a wrong spec, a missing package or a missing model.
    """

    def __init__(self, spec: Spec, registry: Registry) -> None:
        self.spec = spec
        self.interface: Interface = registry.make(spec)
        self.interface.check()

    @property
    def label(self) -> str:
        """What the condition is called in node ids and tables."""
        return self.spec.label

    @property
    def text(self) -> str:
        """The spec string without its label."""
        return self.spec.text.removeprefix(f"{self.spec.label}=")

    @property
    def controls(self) -> bool:
        """Whether the interface answers from the task's own words, so that one item a task is enough."""
        return not self.interface.hears and self._records_of is None

    def recorded_takes(self, task: str) -> list[str]:
        """The takes that an interface which replays transcripts has of a task; none for one that hears."""
        return [] if self._records_of is None else self._records_of(task)

    @property
    def _records_of(self) -> Callable[[str], list[str]] | None:
        return getattr(self.interface, "records_of", None)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen digits that change with anything that can change a transcript."""
        return fingerprint(self.interface)

    @property
    def pins(self) -> Pins:
        """What a baseline pins of this condition."""
        return Pins(spec=self.text, fingerprint=self.fingerprint, identity=self.interface.identity())

"""A condition: an interface as one run uses it, and the identity that covers all that can change what an item hears."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pytest_talk2agent.context.registry import make_repair
from pytest_talk2agent.context.repair import Repair
from pytest_talk2agent.context.terms import TermList, terms_of
from pytest_talk2agent.interfaces.biasing import TermSwitches
from pytest_talk2agent.interfaces.protocol import Charged, Interface, Replaying
from pytest_talk2agent.interfaces.registry import Registry, fingerprint_of
from pytest_talk2agent.interfaces.spec import Spec, read_switches
from pytest_talk2agent.interfaces.utterance import InterfaceError, Utterance
from pytest_talk2agent.results.baseline import Pins
from pytest_talk2agent.speech.acoustics.effect import SoundError
from pytest_talk2agent.speech.noise import SoundSwitches
from pytest_talk2agent.tasks.task import Task


def heard_identity(spec: Spec, interface: Interface) -> dict[str, str]:
    """The identity of an interface and of what is done to the sound before it hears it.

    Raises InterfaceError where a condition of sound has a folder that is not there.
    """
    sound = {name: value for name, value in spec.switches.items() if name.startswith("audio_")}
    try:
        condition = {} if spec.sound is None else spec.sound.identity()
    except SoundError as error:
        raise InterfaceError(f"interface {spec.shown!r}: {error}") from None
    return {**interface.identity(), **sound, **condition}


def condition_identity(spec: Spec, heard: Mapping[str, str], repair: Repair | None) -> dict[str, str]:
    """The identity of a whole condition; ``heard`` is that of what it heard."""
    terms = {name: value for name, value in spec.switches.items() if name.startswith("terms_")}
    repaired = {} if repair is None else {f"repair_{name}": value for name, value in repair.identity().items()}
    return {**heard, **terms, **repaired}


class Condition:
    """A spec, its interface (made at once, its model loaded at the first transcription) and what pins it.

    ``frozen`` says that only stored transcripts are used. Raises InterfaceError at once for a wrong spec, a missing
    package or a missing model.
    """

    def __init__(self, spec: Spec, registry: Registry, *, frozen: bool = False) -> None:
        self.spec = spec
        self.interface: Interface = registry.make(spec)
        self.repair = make_repair(spec) if spec.repair else None
        for part in (self.interface, self.repair):
            # A frozen run sends nothing and needs no key.
            if part is not None and not (frozen and isinstance(part, Charged)):
                part.check()
        self._terms = read_switches(spec, "terms_", TermSwitches)
        read_switches(spec, "audio_", SoundSwitches)
        for what in [*(name for name in spec.switches if name == "audio_snr_db"), *(["+sound"] if spec.sound else [])]:
            if not self.interface.hears:
                raise InterfaceError(f"interface {spec.text!r}: {spec.name} hears nothing; leave {what} out")
        self._known: dict[tuple[Path, str], TermList] = {}

    @property
    def engine_asked(self) -> bool:
        """Whether the engine makes its transcripts; else the interface answers at once, in the test process."""
        return self.interface.hears or self.spec.repair

    @property
    def inspectable(self) -> bool:
        """Whether its identity is known in the test process; see `Interface.inspectable`."""
        return self.interface.inspectable and not self.spec.repair

    def terms_of(self, task: Task) -> TermList | None:
        """The terms of a task that the agent can see; None where the condition uses none. Raises ContextError."""
        if not (self.spec.bias or self.spec.repair):
            return None
        place = (task.path, task.id)
        if place not in self._known:
            self._known[place] = terms_of(task, self._terms)
        return self._known[place]

    @property
    def label(self) -> str:
        """What the condition is called in node ids and tables."""
        return self.spec.label

    @property
    def text(self) -> str:
        """The spec string without its label, fit to be shown and recorded."""
        return self.spec.shown.removeprefix(f"{self.spec.label}=")

    @property
    def controls(self) -> bool:
        """Whether the interface answers from the task's own words, so that one item a task is enough."""
        return not self.interface.hears and not isinstance(self.interface, Replaying)

    def recorded_takes(self, task: str) -> list[str]:
        """The takes that an interface which replays transcripts has of a task; none for one that hears."""
        return self.interface.records_of(task) if isinstance(self.interface, Replaying) else []

    def has_record(self, utterance: Utterance) -> bool:
        """Whether an interface which replays transcripts has one for this, be it one of several."""
        return isinstance(self.interface, Replaying) and self.interface.has_record(utterance)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen digits that change with anything that can change a transcript."""
        return fingerprint_of(self.identity)

    @cached_property
    def identity(self) -> dict[str, str]:
        """Everything that can change what its items hear. May run the interface's code, if it hears."""
        return condition_identity(self.spec, heard_identity(self.spec, self.interface), self.repair)

    def pins_of(self, identity: Mapping[str, str]) -> Pins:
        """What a baseline pins of this condition, which is ``identity``."""
        return Pins(spec=self.text, fingerprint=fingerprint_of(identity), identity=identity)

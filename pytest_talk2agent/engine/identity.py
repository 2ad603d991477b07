"""What a condition is: everything that can change what an item hears, from the interface to the repair."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_talk2agent.context.repair import Repair
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec


def heard_identity(spec: Spec, interface: Interface) -> dict[str, str]:
    """The identity of an interface and of what is done to the sound before it hears it."""
    sound = {name: value for name, value in spec.switches.items() if name.startswith("audio_")}
    return {**interface.identity(), **sound}


def condition_identity(spec: Spec, heard: Mapping[str, str], repair: Repair | None) -> dict[str, str]:
    """The identity of a whole condition; ``heard`` is that of what it heard."""
    terms = {name: value for name, value in spec.switches.items() if name.startswith("terms_")}
    repaired = {} if repair is None else {f"repair_{name}": value for name, value in repair.identity().items()}
    return {**heard, **terms, **repaired}

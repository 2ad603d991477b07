"""Names to interfaces: the built-in ones, those a hook registers, and those another distribution offers.

Another distribution offers one under the entry-point group ``talk2agent.interfaces``; its entry is looked at only when
the name is asked for, so an installed package costs nothing until then.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any

from pytest_talk2agent.interfaces.protocol import ForeignInterface, Interface
from pytest_talk2agent.interfaces.spec import Spec
from pytest_talk2agent.interfaces.utterance import InterfaceError

ENTRY_POINTS = "talk2agent.interfaces"

Factory = Callable[[Spec], Any]
"""Makes an `Interface`, or an object that has its methods."""

_HERE = "pytest_talk2agent.interfaces"
_BUILT_IN = {
    "audio-chat": f"{_HERE}.served.audio_chat:AudioChatInterface",
    "canary": f"{_HERE}.nemo.nemo:CanaryInterface",
    "canary-qwen": f"{_HERE}.nemo.canary_qwen:CanaryQwenInterface",
    "command": f"{_HERE}.local.command:CommandInterface",
    "moonshine": f"{_HERE}.local.moonshine:MoonshineInterface",
    "nemo": f"{_HERE}.nemo.nemo:NemoInterface",
    "openai": f"{_HERE}.served.openai:OpenAIInterface",
    "parakeet": f"{_HERE}.nemo.nemo:ParakeetInterface",
    "python": f"{_HERE}.local.python:PythonInterface",
    "script": f"{_HERE}.replay.script:ControlInterface",
    "sphinx": f"{_HERE}.local.sphinx:SphinxInterface",
    "text": f"{_HERE}.replay.script:ControlInterface",
    "transcripts": f"{_HERE}.replay.transcripts:TranscriptsInterface",
    "whisper": f"{_HERE}.whisper.whisper:WhisperInterface",
}


class Registry:
    """The interfaces a run can name. Plain data: it travels to the model server by pickle."""

    def __init__(self) -> None:
        self._factories: dict[str, Factory | str] = dict(_BUILT_IN)

    def register(self, name: str, factory: Factory | str) -> None:
        """Add an interface: a callable that takes the Spec, or "module:callable" to import it only when it is used.

        Raises InterfaceError where the name is taken.
        """
        if name in self._factories:
            raise InterfaceError(f"interface {name!r} is registered already; register yours under another name")
        self._factories[name] = factory

    def names(self) -> list[str]:
        """Every name that can stand in a spec, sorted."""
        offered = importlib.metadata.entry_points(group=ENTRY_POINTS).names
        return sorted(set(self._factories) | set(offered))

    def make(self, spec: Spec) -> Interface:
        """Make the interface of a spec; loads no model.

        Raises InterfaceError: unknown name, an offer that cannot be imported, a wrong option, a missing capability.
        """
        made = self._factory(spec)(spec)
        maker = f"interface {spec.shown!r}: what {spec.name} made"
        interface = made if isinstance(made, Interface) else ForeignInterface(made, maker)
        # Terms that an engine accepts and ignores would make a biased condition a silent copy of the plain one.
        if spec.bias and "bias" not in interface.capabilities:
            raise InterfaceError(f"interface {spec.shown!r}: {spec.name} cannot do +bias; leave it out or name another")
        return interface

    def _factory(self, spec: Spec) -> Factory:
        found = self._factories.get(spec.name)
        if found is None:
            found = self._offered(spec)
        if not isinstance(found, str):
            return found
        try:
            factory: Factory = resolve_name(found)
        except (ImportError, AttributeError, ValueError) as error:
            raise InterfaceError(f"interface {spec.shown!r}: cannot import {found}: {error}") from error
        return factory

    def _offered(self, spec: Spec) -> str:
        offers = importlib.metadata.entry_points(group=ENTRY_POINTS, name=spec.name)
        values = sorted({offer.value for offer in offers})
        if len(values) > 1:
            raise InterfaceError(f"interface {spec.shown!r}: offered twice, by {' and '.join(values)}; uninstall one")
        if values:
            return values[0]
        near = difflib.get_close_matches(spec.name, self.names(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InterfaceError(
            f"interface {spec.shown!r}: unknown interface {spec.name!r}; {hint}known: {', '.join(self.names())}"
        )


def make_interface(spec: Spec, registry: Registry | None = None) -> Interface:
    """Make the interface of a spec, from the built-in and installed ones or from a registry that knows more."""
    return (registry or Registry()).make(spec)


def fingerprint_of(identity: Mapping[str, str]) -> str:
    """An identity in 16 hexadecimal digits: of a SHA-256 over its sorted members."""
    text = json.dumps(dict(identity), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]

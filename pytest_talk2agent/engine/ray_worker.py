"""What runs on a node of a Ray cluster: an actor that holds the model of one interface."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_talk2agent.engine.work import Batch, Outcome, work_here
from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError


@dataclass(frozen=True)
class Origin:
    """Where the driver looks for modules and relative paths, so that a spec string means the same on a node."""

    folder: str = field(default_factory=os.getcwd)
    path: Sequence[str] = field(default_factory=lambda: [str(Path(entry).absolute()) for entry in sys.path])

    def enter(self) -> None:
        """Look there first, as far as this machine has it: what is missing shows in the interface's identity."""
        sys.path[:] = [*self.path, *(entry for entry in sys.path if entry not in self.path)]
        if Path(self.folder).is_dir():
            os.chdir(self.folder)


class RayWorker:
    """Makes the interface of a spec string, says what it is, and transcribes batches.

    Errors of the interface are returned, not raised: Ray would wrap them, and end the process at a SystemExit.
    """

    def __init__(self, spec: str, interfaces: Mapping[str, str], origin: Origin) -> None:
        self._spec = spec
        self._interfaces = interfaces
        self._origin = origin
        self._interface: Interface | None = None

    def node(self) -> str:
        """The node's address and the first digits of its id."""
        import ray

        return f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:8]})"

    def identity(self) -> dict[str, str] | InterfaceError:
        """Make the interface; everything that can change its transcripts here."""
        try:
            self._origin.enter()
            registry = Registry()
            for name, target in self._interfaces.items():
                registry.register(name, target)
            interface = registry.make(parse_spec(self._spec))
            interface.check()
            identity = dict(interface.identity())
        except (Exception, SystemExit) as error:
            return self._fault(error)
        self._interface = interface
        return identity

    def transcribe(self, batch: Batch) -> list[Outcome] | InterfaceError:
        """Transcribe a batch as the local engine does."""
        assert self._interface is not None, "asked for its identity before"
        try:
            return list(work_here(self._spec, self._interface, iter([batch])))
        except (Exception, SystemExit) as error:
            return self._fault(error)

    def _fault(self, error: BaseException) -> InterfaceError:
        if isinstance(error, InterfaceError):
            return error
        return InterfaceError(f"{self._spec}: {one_line(error)}")

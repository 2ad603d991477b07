"""A Ray cluster at work for one interface: the actor on a node, and the crew that hires and replaces such actors."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.protocol import Batch, Interface, Outcome, work_here
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import Spec, parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError


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


MOST_LOSSES = 3
"""How often a batch may lose its worker, and a worker fail to start, before it counts as failed."""
WAIT_SECONDS = 60.0
"""How long a run waits for a node that has room."""
TICK_SECONDS = 0.5
AHEAD = 2
"""Batches that a worker holds: one that it transcribes and one that is there when it has finished."""


class _Parcel:
    """A batch in the object store of the cluster, with what is needed to give it up."""

    def __init__(self, batch: Batch, content: Any) -> None:
        self.content = content
        self.names = [(number, f"task {u.task!r}, take {u.take!r}") for number, u in batch]
        self.losses = 0


class _Hired:
    """An actor, and what it has been asked, oldest first: it answers in that order."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.node: str | None = None
        self.ready = False
        self.calls: deque[tuple[Any, _Parcel | None]] = deque(
            [(actor.node.remote(), None), (actor.identity.remote(), None)]
        )

    def ask(self, parcel: _Parcel) -> None:
        self.calls.append((self.actor.transcribe.remote(parcel.content), parcel))


class Crew:
    """Transcribes with as many workers as nodes have room for, each with the interface of one spec string.

    ``leaving`` is set where the process ends while a pass is under way: then nothing more is asked of Ray.
    """

    def __init__(self, spec: str, interface: Interface, interfaces: Mapping[str, str], leaving: Event) -> None:
        import ray

        self._leaving = leaving
        self.spec = spec
        self._identity = dict(interface.identity())
        self._needs = needs_of(parse_spec(spec))
        options = {"num_cpus": self._needs["CPU"], "num_gpus": self._needs.get("GPU", 0), "max_restarts": 0}
        self._class = ray.remote(**options)(RayWorker)
        self._arguments = (spec, dict(interfaces), Origin())
        self._hired: list[_Hired] = []
        self._failed_starts = 0
        self._last_failure = ""

    def work(self, batches: Iterator[Batch]) -> Iterator[Outcome]:
        """Transcribe batches, in any order, each delivered once however many workers are lost over it.

        Raises InterfaceError; then, and where the caller stops early, the workers are dismissed.
        """
        from ray.exceptions import RayError

        waiting: deque[_Parcel] = deque()
        seen = time.monotonic()
        try:
            while True:
                room = self._room()
                self._fetch(batches, waiting, room)
                if not waiting and not self._under_way:
                    return
                self._hire(min(room, len(waiting) + self._under_way))
                self._hand_out(waiting)
                for hired in self._answering():
                    try:
                        answer = self._answer(hired)
                    except RayError as error:
                        yield from self._lose(hired, error, waiting)
                    else:
                        yield from answer
                if any(hired.node for hired in self._hired):
                    seen = time.monotonic()
                elif time.monotonic() - seen > WAIT_SECONDS:
                    raise InterfaceError(f"{self.spec}: {self._no_room()}")
        except RayError as error:
            raise InterfaceError(f"{self.spec}: the Ray cluster failed: {one_line(error)}") from None
        finally:
            if self._under_way:
                self.dismiss()

    def dismiss(self) -> None:
        """End all workers, whatever they are doing."""
        for hired in list(self._hired):
            self._end(hired)

    def _ray(self) -> Any:
        """Ray, while it is connected; most calls without a connection would start a new cluster."""
        import ray

        if self._leaving.is_set() or not ray.is_initialized():
            raise InterfaceError(f"{self.spec}: the connection to Ray was closed during the run")
        return ray

    @property
    def _under_way(self) -> int:
        return sum(parcel is not None for hired in self._hired for _, parcel in hired.calls)

    def _room(self) -> int:
        """How many workers the living nodes can hold if they run nothing else."""
        found = [node["Resources"] for node in self._ray().nodes() if node["Alive"]]
        return sum(min(int(has.get(what, 0) // amount) for what, amount in self._needs.items()) for has in found)

    def _fetch(self, batches: Iterator[Batch], waiting: deque[_Parcel], room: int) -> None:
        held = len(waiting) + self._under_way
        while held < max(1, room, AHEAD * sum(hired.ready for hired in self._hired)):
            batch = next(batches, None)
            if batch is None:
                return
            waiting.append(_Parcel(batch, self._ray().put(batch)))
            held += 1

    def _hire(self, wanted: int) -> None:
        while len(self._hired) < wanted and self._failed_starts < MOST_LOSSES:
            self._ray()
            self._hired.append(_Hired(self._class.remote(*self._arguments)))

    def _hand_out(self, waiting: deque[_Parcel]) -> None:
        for depth in range(1, AHEAD + 1):
            for hired in self._hired:
                if waiting and hired.ready and len(hired.calls) < depth:
                    hired.ask(waiting.popleft())

    def _answering(self) -> list[_Hired]:
        """Workers that have an answer, or are lost; after a short while none, so that new nodes are seen."""
        oldest = {hired.calls[0][0]: hired for hired in self._hired if hired.calls}
        if not oldest:
            time.sleep(TICK_SECONDS)
            return []
        answered, _ = self._ray().wait(list(oldest), timeout=TICK_SECONDS)
        return [oldest[call] for call in answered]

    def _answer(self, hired: _Hired) -> list[Outcome]:
        """The outcomes in a worker's oldest answer, none while it starts.

        Raises InterfaceError where its interface cannot work, RayError where the worker is lost.
        """
        from ray.exceptions import RayTaskError

        call, parcel = hired.calls[0]
        try:
            answer = self._ray().get(call)
        except RayTaskError as error:
            raise InterfaceError(f"{self.spec}: {one_line(error)} (on node {hired.node})") from None
        hired.calls.popleft()
        if isinstance(answer, InterfaceError):
            raise InterfaceError(f"{answer} (on node {hired.node})")
        if parcel is not None:
            outcomes: list[Outcome] = answer
            return outcomes
        if hired.node is None:
            hired.node = str(answer)
            return []
        if answer != self._identity:
            raise InterfaceError(f"{self.spec}: node {hired.node} has another build: {self._differences(answer)}")
        hired.ready = True
        self._failed_starts = 0
        return []

    def _lose(self, hired: _Hired, error: Exception, waiting: deque[_Parcel]) -> Iterator[Outcome]:
        """Put back what a lost worker held; the oldest batch is the one that it was at."""
        self._end(hired)
        parcels = [parcel for _, parcel in hired.calls if parcel is not None]
        if parcels:
            parcels[0].losses += 1
        for parcel in reversed(parcels):
            if parcel.losses < MOST_LOSSES:
                waiting.appendleft(parcel)
                continue
            for number, name in parcel.names:
                line = f"{name}: {self.spec} lost its worker {parcel.losses} times over it; Ray's logs say why"
                yield number, TranscriptionError(line), 0.0
        if not hired.ready:
            self._failed_starts += 1
            self._last_failure = one_line(error)
        if self._failed_starts >= MOST_LOSSES and not self._hired:
            raise InterfaceError(f"{self.spec}: workers do not start on the Ray cluster: {self._last_failure}")

    def _end(self, hired: _Hired) -> None:
        self._hired.remove(hired)
        with contextlib.suppress(Exception):  # it may be gone, and so may the cluster
            self._ray().kill(hired.actor)

    def _differences(self, there: Mapping[str, str]) -> str:
        names = sorted(name for name in {*there, *self._identity} if there.get(name) != self._identity.get(name))
        parts = [
            f"{name} {there.get(name, 'missing')} there, {self._identity.get(name, 'missing')} here" for name in names
        ]
        return f"{'; '.join(parts)}; install the same on both"

    def _no_room(self) -> str:
        alive = sum(node["Alive"] for node in self._ray().nodes())
        needs = " and ".join(f"{amount} {what}" for what, amount in self._needs.items())
        return (
            f"no node of the Ray cluster ({alive} alive) had room for a worker with {needs} in {WAIT_SECONDS:g} s; "
            "add a node, free one, or ask for fewer threads in the spec"
        )


def needs_of(spec: Spec) -> dict[str, int]:
    """What a worker claims: as many CPUs as the spec names threads, 1 without it, and a GPU where it names cuda.

    Raises InterfaceError for a GPU by number: Ray shows each worker one GPU, the first that it sees.
    """
    threads = spec.options.get("cpu_threads", spec.options.get("threads", "1"))
    needs = {"CPU": max(1, int(threads)) if threads.isdecimal() else 1}
    device = spec.options.get("device", "cpu")
    if device.startswith("cuda:"):
        raise InterfaceError(f"interface {spec.text!r}: on Ray write device=cuda; Ray chooses the GPU")
    if device == "cuda":
        needs["GPU"] = 1
    return needs

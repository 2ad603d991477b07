"""``--t2a-engine=ray[:ADDRESS]``: transcription on a Ray cluster, one model on each of its workers.

Plain ``ray`` starts Ray on this machine for the length of a pass; an ADDRESS is that of a running cluster: ``auto``,
``HOST:PORT`` or ``ray://HOST:PORT``. Ray is started or joined when the first recording has to be transcribed: a run
that finds everything in the store needs no cluster. Decoded sound travels with the utterances, so nodes need the
plugin, the interface's packages and its model, but not the recordings.
"""

from __future__ import annotations

import atexit
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event

from pytest_talk2agent.engine.job import Setup
from pytest_talk2agent.engine.ray_crew import Crew
from pytest_talk2agent.interfaces.batch import one_line, require_package
from pytest_talk2agent.interfaces.protocol import Batch, Charged, Interface, Outcome, Streaming, Work
from pytest_talk2agent.interfaces.utterance import InterfaceError

KNOCK_SECONDS = 10.0
LEAVE_SECONDS = 30.0
"""Seconds that an interrupted process waits for the pass to end, since Ray's exit hook must not run beside it."""


def check_ray(conditions: Iterable[tuple[str, Interface]]) -> None:
    """Check before a run that its spec strings and interfaces can work on Ray. Starts nothing.

    Raises InterfaceError where Ray is not installed or an interface needs the local engine.
    """
    require_package("--t2a-engine=ray", "ray", "ray", "ray")
    for spec, interface in conditions:
        # Each worker would have a budget and a rate limit of its own, so that none of them held.
        if isinstance(interface, Streaming | Charged):
            raise InterfaceError(f"interface {spec!r}: served models need the local engine; leave out --t2a-engine=ray")


@contextmanager
def ray_work(setup: Setup) -> Iterator[Work]:
    """Give the `Work` of a Ray cluster; at the end its workers are gone, and Ray, too, where this started or joined it.

    Besides what interfaces raise, the work raises InterfaceError where Ray is missing or cannot be reached, no node has
    room for a worker for a minute, workers do not start, or a node has another build of the interface than the driver.
    """
    engine = _RayEngine(setup)
    try:
        yield engine.work
    finally:
        engine.close()


class _RayEngine:
    """A connection, and the workers of the interface that was asked for last."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._connected = self._ours = False
        self._crew: Crew | None = None
        self._leaving, self._left = Event(), Event()

    def work(self, spec: str, interface: Interface, batches: Iterator[Batch]) -> Iterator[Outcome]:
        """Transcribe on the cluster."""
        check_ray([(spec, interface)])
        self._connect()
        if self._crew is None or self._crew.spec != spec:
            self._dismiss()
            self._crew = Crew(spec, interface, self._setup.interfaces, self._leaving)
        yield from self._crew.work(batches)

    def close(self) -> None:
        """Leave the cluster."""
        self._dismiss()
        if self._ours:
            import ray

            ray.shutdown()
        atexit.unregister(self._leave)
        self._left.set()

    def _leave(self) -> None:
        self._leaving.set()
        self._left.wait(LEAVE_SECONDS)

    def _dismiss(self) -> None:
        if self._crew is not None:
            self._crew.dismiss()
        self._crew = None

    def _connect(self) -> None:
        if self._connected:
            return
        address = self._setup.engine.partition(":")[2]
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray warns of what it will do one day
        import ray

        if ray.is_initialized():
            if address:
                raise InterfaceError(
                    f"--t2a-engine={self._setup.engine}: this process is connected to Ray already; write "
                    "--t2a-engine=ray to use that connection"
                )
        else:
            where = {"address": address} if address else {"address": "local", "include_dashboard": False}
            try:
                _knock(address)
                ray.init(**where, log_to_driver=False, logging_level="ERROR")
            except Exception as error:
                raise InterfaceError(
                    f"--t2a-engine={self._setup.engine}: no connection to Ray: {one_line(error)}"
                ) from None
            self._ours = True
        # Runs before Ray's own exit hook, under which a pass that is still in its thread would end the process.
        atexit.register(self._leave)
        self._connected = True


def _knock(address: str) -> None:
    """Raise OSError where no server listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()

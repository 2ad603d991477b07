"""The owner of the model server: starts it on demand, restarts it when it dies, and always ends it.

The owner listens; the first connection starts the server, which inherits the listening socket. So an idle run costs one
socket, no model is loaded for tests that need none, and workers know the address before there is a server. When a
server dies or exceeds its time limit, only the jobs it was working on are lost: the owner starts another server, which
reports why they failed, and clients ask it for the rest.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pytest_talk2agent.engine.job import Setup, spec_of
from pytest_talk2agent.engine.job_client import ServerAddress, last_words
from pytest_talk2agent.engine.progress import Follower, Progress
from pytest_talk2agent.execution.scratch import RUN, ScratchFolder
from pytest_talk2agent.interfaces.spec import shown_text

GRACE = 5.0
WATCH = 0.5
MOST_LOG = 1 << 27
"""Bytes of what a server prints before it is forgotten; looked at every WATCH seconds."""
TICK = 5.0
"""Seconds after which progress is told again, though there was none."""
DEATHS = 3
"""How often one interface may end the server before its remaining items fail."""

_KEEPER = Path(__file__).with_name("keeper.py")


class ServerOwner:
    """Listens at once, starts the server at the first connection; `stop` ends it.

    ``report`` is called, in a thread, whenever the server has come further.
    """

    def __init__(self, store: Path, setup: Setup, report: Callable[[Progress], None] = lambda progress: None) -> None:
        self._folder = ScratchFolder(RUN)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._log = (self._folder.path / "server.log").open("ab")
        self.address = ServerAddress(self._listener.getsockname()[1], secrets.token_hex(16), self._log.name)
        setup = replace(setup, purse=str(self.folder / "purse.json"))
        self._setup = {"key": self.address.key, "store": str(store), "setup": setup.to_json()}
        self._report = report
        self._lost: dict[str, str] = {}
        self._given_up: dict[str, str] = {}
        self._deaths: Counter[str] = Counter()
        self._before = Progress(0)
        self._follower: Follower | None = None
        self.remarks: list[str] = []
        self._wake, self._waker = socket.socketpair()
        self._thread = threading.Thread(target=self._watch, name="t2a-owner", daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path:
        """The folder of the run: what is in it goes with the run."""
        return self._folder.path

    @property
    def progress(self) -> Progress | None:
        """What has been done so far; None before the first request.

        The server reports progress before it delivers, so a transcript that has arrived is already counted.
        """
        follower = self._follower
        if follower is None:
            return None
        with suppress(OSError, ValueError):  # closed, so everything has been read
            while self._thread.is_alive() and select.select([follower], [], [], 0)[0]:
                time.sleep(0.001)
        return self._sum(follower.progress)

    def stop(self) -> None:
        """End the server if there is one, free the socket and remove the run's folder. Safe to call twice."""
        self._waker.close()
        self._thread.join()
        self._listener.close()
        self._wake.close()
        self._log.close()
        self._folder.delete()

    def _watch(self) -> None:
        try:
            while self._is_wanted():
                status, reason = self._serve()
                if reason is None:
                    return
                assert self._follower is not None
                self._before = self._sum(self._follower.progress)
                if not self._bury(status, reason):
                    break
        except OSError as error:
            self._say(f"the model server cannot be started: {error}")
        # No server will answer any more, so waiting and later clients must be refused at once.
        self._listener.close()

    def _is_wanted(self) -> bool:
        ready, _, _ = select.select([self._listener, self._wake], [], [])
        return self._wake not in ready

    def _serve(self) -> tuple[int, str | None]:
        """Run one server until it ends; returns its exit status and why it did, None where that was our wish."""
        reading, writing = os.pipe()
        setting_up, setup = os.pipe()
        handed_down = [self._listener.fileno(), writing, setting_up]
        self._follower = follower = Follower(reading)
        try:
            keeper = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", str(_KEEPER), str(self._folder.path)),
                    *(",".join(map(str, handed_down)), "--"),
                    *(sys.executable, "-m", "pytest_talk2agent.engine.server", *map(str, handed_down)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                bufsize=0,
                pass_fds=handed_down,
                start_new_session=True,  # an interrupt from the keyboard is the owner's to handle
                env={**os.environ, "TMPDIR": str(self._folder.path)},
            )
        except OSError:
            os.close(setup)
            raise
        finally:
            os.close(writing)
            os.close(setting_up)
        try:
            said = {**self._setup, "path": sys.path, "lost": self._lost, "given_up": self._given_up}
            _write_all(setup, json.dumps(said).encode() + b"\n")
            reason = self._follow(follower)
            if reason is None:
                os.close(setup)
                setup = -1
            return self._end(keeper, patient=reason is None), reason
        finally:
            os.close(reading)
            if setup >= 0:
                os.close(setup)

    def _follow(self, follower: Follower) -> str | None:
        """Watch the server at work until it has ended, takes too long, or we are to stop (None)."""
        told = time.monotonic()
        while True:
            if os.fstat(self._log.fileno()).st_size > MOST_LOG:
                os.ftruncate(self._log.fileno(), 0)
            left = follower.doing.deadline - time.monotonic()
            if left <= 0:
                return f"took longer than {follower.doing.seconds:g} s"
            ready, _, _ = select.select([self._wake.fileno(), follower.fileno()], [], [], min(left, WATCH))
            if self._wake.fileno() in ready:
                while select.select([follower], [], [], 0)[0] and follower.read():
                    pass
                return None
            if not ready and time.monotonic() - told >= TICK:
                told = time.monotonic()
                self._report(self._sum(follower.progress))
            if follower.fileno() in ready:
                if not follower.read():
                    return "ended"
                self.remarks = follower.remarks
                self._report(self._sum(follower.progress))

    def _end(self, keeper: subprocess.Popen[bytes], *, patient: bool) -> int:
        """The exit status of the server, which the keeper says when nothing of it is left."""
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        with keeper:
            if patient and not select.select([keeper.stdout], [], [], GRACE)[0]:
                patient = False
            if not patient and not select.select([keeper.stdout], [], [], 0.2)[0]:
                _write_all(keeper.stdin.fileno(), b"!")
            said = keeper.stdout.read().strip()
        return int(said) if said else -signal.SIGKILL

    def _bury(self, status: int, reason: str) -> bool:
        """Note which jobs were lost with a server, and why; False where none was, as another server would die alike."""
        assert self._follower is not None
        keys = self._follower.doing.keys
        how = reason
        if reason == "ended":
            how = (
                f"was ended by {_signal_name(-status)}" if status < 0 else f"ended by itself with exit status {status}"
            )
        words = last_words(self.address.log)
        for key in keys:
            self._lost[key] = f"{shown_text(spec_of(key))}: the process that runs it {how}; its last words: {words}"
        for spec in {spec_of(key) for key in keys}:
            self._deaths[spec] += 1
            if self._deaths[spec] == DEATHS:
                self._given_up[spec] = (
                    f"{shown_text(spec)}: given up after {DEATHS} processes; the last one {how}: {words}"
                )
        self._before = replace(self._before, done=self._before.done + len(keys), failed=self._before.failed + len(keys))
        return bool(keys)

    def _sum(self, now: Progress) -> Progress:
        """All servers together: what one leaves undone the next one is asked again."""
        if not self._before.total:
            return now
        return replace(self._before + now, total=max(self._before.total, self._before.done + now.total))

    def _say(self, line: str) -> None:
        self._log.write(f"{line}\n".encode())
        self._log.flush()


def _write_all(descriptor: int, data: bytes) -> None:
    """Write to a pipe whose reader may have died: what it did not take no longer matters."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        return


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

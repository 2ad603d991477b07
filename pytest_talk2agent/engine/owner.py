"""The side of the xdist controller: it owns the model server, and starts it only when somebody asks.

The controller listens; the first connection starts the server, which inherits the listening socket. So an idle run
costs one socket, no model is loaded for tests that need none, and workers know the address before there is a server.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from pytest_talk2agent.engine import wire
from pytest_talk2agent.engine.client import ServerAddress, connect
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.setup import Setup

GRACE = 5.0


class ServerOwner:
    """Listens at once; starts the server at the first connection; `stop` ends whatever runs."""

    def __init__(self, store: Path, setup: Setup) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        handle, log = tempfile.mkstemp(prefix="t2a-server-", suffix=".log")
        self._log = os.fdopen(handle, "wb")
        self.address = ServerAddress(self._listener.getsockname()[1], secrets.token_hex(16), log)
        self._setup = {"key": self.address.key, "store": str(store), "setup": setup.to_json()}
        self._process: subprocess.Popen[bytes] | None = None
        self._wake, self._waker = socket.socketpair()
        self._thread = threading.Thread(target=self._watch, name="t2a-owner", daemon=True)
        self._thread.start()

    def progress(self) -> Progress | None:
        """What the server has done so far; None where there is no server, or none that answers."""
        if self._process is None or self._process.poll() is not None:
            return None
        try:
            with connect(self.address) as connection:
                connection.settimeout(GRACE)
                wire.send(connection, {"key": self.address.key, "jobs": None})
                return Progress(**next(wire.messages(connection))["progress"])
        except (OSError, ValueError, StopIteration):
            return None

    def stop(self) -> None:
        """End the server, if there is one, and free the socket; the log stays only where the server failed."""
        self._waker.close()
        self._thread.join(timeout=GRACE)
        status = 0
        if self._process is not None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            try:
                status = self._process.wait(timeout=GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                status = self._process.wait()
        self._listener.close()
        self._wake.close()
        self._log.close()
        if status == 0:
            Path(self.address.log).unlink(missing_ok=True)

    def _watch(self) -> None:
        ready, _, _ = select.select([self._listener, self._wake], [], [])
        if self._wake in ready:
            return
        try:
            process = self._start()
            while process.poll() is None:
                if select.select([self._wake], [], [], 0.1)[0]:
                    return
        except OSError as error:
            self._log.write(f"the model server cannot be started: {error}\n".encode())
            self._log.flush()
        # Nobody will answer any more: whoever waits, or comes later, must be refused at once.
        self._listener.close()

    def _start(self) -> subprocess.Popen[bytes]:
        descriptor = self._listener.fileno()
        process = self._process = subprocess.Popen(
            [sys.executable, "-m", "pytest_talk2agent.engine.server", str(descriptor)],
            stdin=subprocess.PIPE,
            bufsize=0,  # nothing may be left to be flushed when the server has died
            stdout=self._log,
            stderr=self._log,
            pass_fds=[descriptor],
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({**self._setup, "path": sys.path}).encode() + b"\n")
        return process

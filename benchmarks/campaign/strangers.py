"""Another program of this machine that talks to a run: whatever listens is flooded, told nonsense, or left hanging."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from campaign.fault import Break, Fault, Wanted, spread
from campaign.observed import Ended, marked
from campaign.project import HEAR, REPORT, Project

MOST = 300 << 20
"""Bytes that a process may take more than it had, whatever a stranger sends."""
_LISTENS = "0A"


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, data in SENT.items():
        yield from spread(
            "a stranger connects",
            place,
            _strange(data),
            "suite",
            HEAR,
            REPORT,
            wanted=Wanted.GREEN,
            check=_grown,
            modes=("alone", "workers"),
        )


SENT: Mapping[str, bytes] = {
    "a line without end": b"x" * (1 << 20),
    "lines": b"hello\n" * 100_000,
    "deep JSON": b"[" * (1 << 20),
    "lengths": b"\xff\xff\xff\xff\xff\xff\xff\x7f" * 100_000,
    "requests": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 30_000,
    "nothing": b"",
}


class Stranger:
    """Looks for sockets on which the processes of a run listen, and talks to each until the run is over."""

    def __init__(self, project: Project, data: bytes) -> None:
        self.grown = 0
        self._project, self._data = project, data
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The run is over."""
        self._over.set()
        self._thread.join(10)

    def _talk(self) -> None:
        known: set[object] = set()
        least: dict[int, int] = {}
        while not self._over.wait(0.05):
            for pid in marked(self._project.mark) if self._project.mark else ():
                resident = _resident(pid)
                least.setdefault(pid, resident)
                self.grown = max(self.grown, resident - least[pid])
                for address in _addresses(pid):
                    if address not in known:
                        known.add(address)
                        threading.Thread(target=self._flood, args=(address,), daemon=True).start()

    def _flood(self, address: tuple[str, int] | str) -> None:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        with contextlib.suppress(OSError), socket.socket(family) as connection:
            connection.settimeout(5)
            connection.connect(address)
            sent, end = 0, time.monotonic() + 20
            while sent < 2 * MOST and time.monotonic() < end and not self._over.is_set():
                connection.sendall(self._data)
                sent += len(self._data)
                if not self._data:
                    time.sleep(0.2)


_STRANGERS: dict[str, Stranger] = {}


def _strange(data: bytes) -> Break:
    def breaks(project: Project) -> None:
        project.forget()
        project.environment["CAMPAIGN_SLOW"] = "0.4"
        stranger = _STRANGERS[str(project.root)] = Stranger(project, data)
        project.closing.append(stranger.close)

    return breaks


def _grown(project: Project, _: Ended) -> Iterable[tuple[str, str]]:
    grown = _STRANGERS.pop(str(project.root)).grown
    if grown > MOST:
        yield "obeyed", f"a process took {grown >> 20} MB more for a stranger"


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, AttributeError):
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) << 10  # type: ignore[index]
    return 0


def _addresses(pid: int) -> Iterator[tuple[str, int] | str]:
    """Where a process listens: ports of TCP on this machine, and sockets of the file system."""
    inodes = set()
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if found := re.fullmatch(r"socket:\[(\d+)\]", str(entry.readlink())):
                    inodes.add(found[1])
    with contextlib.suppress(OSError):
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and fields[9] in inodes:
                yield "127.0.0.1", int(fields[1].partition(":")[2], 16)
        for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
            fields = line.split()
            if len(fields) == 8 and fields[3] == "00010000" and fields[6] in inodes and not fields[7].startswith("@"):
                yield fields[7]

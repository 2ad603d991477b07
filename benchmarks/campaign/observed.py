"""What can be seen of a run from outside: its exit status, every place that shows a verdict, and what it left."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE = 5.0
"""Seconds that a run's children have to end after it."""
_PASSED = re.compile(r"gate\s+passed", re.IGNORECASE)
_FAILED = re.compile(r"gate\s+failed", re.IGNORECASE)
_OURS = re.compile(
    r"Traceback \(most recent call last\)|INTERNALERROR|pytest_talk2agent/\S+\.py:\d+: \w+|"
    r"\b(?:Index|Key|Type|Attribute|Recursion|UnicodeEncode|UnicodeDecode|ZeroDivision|Assertion|JSONDecode|Memory|"
    r"BrokenPipe|ConnectionReset|EOF|OS|Overflow|NotImplemented|Value|Runtime)Error\b|\bInvalidOperation\b"
)


@dataclass(frozen=True)
class Ended:
    """A run that is over.

    ``status`` is None where it had to be ended. ``places`` maps each place that can show a verdict to "green", "red" or
    "none"; ``items`` is how many results run.json holds; ``asked`` are the recordings that the recogniser was given;
    ``processes`` and ``folders`` are what the run left.
    """

    status: int | None
    out: str
    raw: bytes
    places: Mapping[str, str]
    items: int | None
    asked: Sequence[str]
    processes: Sequence[str]
    folders: Sequence[str]

    @property
    def green(self) -> list[str]:
        """The places that show a pass."""
        return [place for place, shown in self.places.items() if shown == "green"]

    @property
    def red(self) -> list[str]:
        """The places that show a failure."""
        return [place for place, shown in self.places.items() if shown == "red"]

    def internal(self, allowed: str = "") -> str | None:
        """The first trace of an exception that nobody turned into a message; ``allowed`` is a pattern of others."""
        ending = ["exit status 3"] if self.status == 3 else []
        for line in (*(line for line in self.out.splitlines() if _OURS.search(line)), *ending):
            if not (allowed and re.search(allowed, line)):
                return line.strip()[:200]
        return None


def look(root: Path, temporary: Path, status: int | None, processes: Sequence[str]) -> Ended:
    """Read everything that a run left in its folder."""
    raw = _bytes(root / "out.txt")
    out = raw.decode("utf-8", errors="replace")
    run = _json(root / "rep" / "run.json")
    return Ended(
        status=status,
        out=out,
        raw=raw,
        places={
            "terminal": _shown(
                out, re.compile(r"^GATE PASSED", re.MULTILINE), re.compile(r"^GATE FAILED", re.MULTILINE)
            ),
            "run.json": "none" if run is None else "green" if run.get("passed") is True else "red",
            "summary.md": _shown(_text(root / "rep" / "summary.md"), _PASSED, _FAILED),
            "report.html": _shown(_text(root / "rep" / "report.html"), _PASSED, _FAILED),
            "job summary": _shown(_text(root / "step.md"), _PASSED, _FAILED),
            "JUnit": _junit(root / "junit.xml"),
        },
        items=None if run is None else int(str(run.get("items", 0))),
        asked=_text(root / "asked.txt").split(),
        processes=processes,
        folders=left_folders(temporary),
    )


def left_folders(temporary: Path) -> list[str]:
    """Temporary files and folders of ours."""
    return sorted(path.name for path in temporary.glob("t2a-*")) if temporary.is_dir() else []


def marked(mark: str) -> Iterator[int]:
    """Every process that carries the mark in its environment."""
    needle = f"CAMPAIGN_MARK={mark}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if needle in (entry / "environ").read_bytes():
                    yield int(entry.name)


def words_of(pid: int) -> str:
    """The command line of a process, as one text."""
    return _bytes(Path(f"/proc/{pid}/cmdline")).replace(b"\0", b" ").decode(errors="replace").strip()


def parent_of(pid: int) -> int:
    """The parent of a process; 0 where it is gone."""
    found = re.search(r"^PPid:\s+(\d+)", _text(Path(f"/proc/{pid}/status")), re.MULTILINE)
    return int(found[1]) if found else 0


def wait_until_gone(mark: str, grace: float = GRACE) -> list[str]:
    """What still runs after a moment of grace."""
    end = time.monotonic() + grace
    while True:
        left = list(marked(mark))
        if not left or time.monotonic() > end:
            return [words_of(pid)[:120] or f"process {pid}" for pid in left]
        time.sleep(0.05)


def end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a run and everything that it started."""
    if process.poll() is None:
        process.kill()
    for pid in marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _shown(text: str, passed: re.Pattern[str], failed: re.Pattern[str]) -> str:
    if passed.search(text):
        return "green"
    return "red" if failed.search(text) else "none"


def _junit(path: Path) -> str:
    try:
        suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return "none"
    if any(int(suite.get(kind, "0")) for suite in suites for kind in ("errors", "failures")):
        return "red"
    return "green" if any(int(suite.get("tests", "0")) for suite in suites) else "none"


def _json(path: Path) -> dict[str, object] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(path: Path) -> str:
    return _bytes(path).decode("utf-8", errors="replace")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""

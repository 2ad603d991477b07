"""Records in a folder: only ever appended to, by any number of processes, killed at any moment.

Each writer has a file of its own and writes each record in one piece, so what a kill leaves is at most one torn line
at the end of one file; it counts as absent, and what it was of is done again. A line begins with the SHA-256 of what
follows.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.results.untrusted import mapping, parse_plain

_HEAD, _JOINT = b'{"sha256": "', b'", '
_CLAIMS = "claims"


class Key(Protocol):
    """What a record is of; it is hashable, and equal for what need not be done twice."""

    @property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the key."""
        ...

    def __hash__(self) -> int: ...


class Entry(Protocol):
    """A record of a ledger."""

    @property
    def key(self) -> Key:
        """What it is of."""
        ...

    @property
    def finished(self) -> bool:
        """Whether there is a result, so that it is never done again."""
        ...

    def to_json(self) -> Mapping[str, Any]:
        """Plain values."""
        ...


Record = TypeVar("Record", bound=Entry)


class Ledger(Generic[Record]):
    """The records below a folder, which is made where there is none.

    ``read`` makes a record of its plain values and raises KeyError, TypeError or ValueError for what is none; ``name``
    is how its files begin.

    Raises:
        OSError: where the folder cannot be read or written.
    """

    def __init__(self, folder: Path, read: Callable[[Mapping[str, Any]], Record], name: str) -> None:
        self.folder = folder
        self._make = read
        self._name = name
        self._finished: dict[Key, Record] = {}
        self._missing: dict[Key, Record] = {}
        self._read: dict[Path, int] = {}
        self._rejected: dict[tuple[Path, int], str] = {}
        self._writer: int | None = None
        self._owner = 0
        self._lock = threading.Lock()

    @property
    def rejected(self) -> list[str]:
        """One line for each line of a file that is no whole record: where it is, and why."""
        return [f"{path}, byte {offset}: {why}" for (path, offset), why in self._rejected.items()]

    def finished(self, key: Key) -> Record | None:
        """The record under a key that has a result."""
        self._refresh()
        return self._finished.get(key)

    def records(self) -> list[Record]:
        """One record a key: the first that has a result, or else the last one that says why there is none."""
        self._refresh()
        missing = [record for key, record in self._missing.items() if key not in self._finished]
        return [*self._finished.values(), *missing]

    @contextmanager
    def claim(self, key: Key) -> Iterator[Record | None]:
        """Keep all other processes from doing the same meanwhile; gives the record where one has done it.

        A claim ends with the process that has it, however that ends.
        """
        place = self.folder / _CLAIMS / key.digest
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield self.finished(key)

    def append(self, record: Record) -> None:
        """Add a record; every reader sees it once this returns."""
        body = json.dumps(record.to_json(), ensure_ascii=True)[1:].encode()
        line = _HEAD + hashlib.sha256(body).hexdigest().encode() + _JOINT + body + b"\n"
        with self._lock:
            written = os.write(self._open(), line)
        if written != len(line):
            self._writer = None  # the rest of a torn line would spoil the next one
            raise OSError(28, "No space left on device", str(self.folder))

    def _open(self) -> int:
        if self._writer is None or self._owner != os.getpid():
            if not self.folder.exists():
                write_whole(self.folder / ".gitignore", "*\n")
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / f"{self._name}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"
            self._writer = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
            self._owner = os.getpid()
        return self._writer

    def _refresh(self) -> None:
        with self._lock:
            self._read_on()

    def _read_on(self) -> None:
        for path in sorted(self.folder.glob(f"{self._name}-*.jsonl")):
            begin = self._read.get(path, 0)
            with path.open("rb") as stream:
                stream.seek(begin)
                content = stream.read()
            whole = content[: content.rfind(b"\n") + 1]
            self._read[path] = begin + len(whole)
            for line in whole.splitlines(keepends=True):
                self._take(line.rstrip(b"\n"), path, begin)
                begin += len(line)

    def _take(self, line: bytes, path: Path, offset: int) -> None:
        try:
            record = self._make(_values_in(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._rejected[path, offset] = str(error) if isinstance(error, ValueError) else f"is no record ({error})"
            return
        if record.finished:
            self._finished.setdefault(record.key, record)
        else:
            self._missing[record.key] = record


def _values_in(line: bytes) -> Mapping[str, Any]:
    head, rest = line[: len(_HEAD)], line[len(_HEAD) :]
    digest, joint, body = rest[:64], rest[64 : 64 + len(_JOINT)], rest[64 + len(_JOINT) :]
    if (head, joint) != (_HEAD, _JOINT) or hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("does not match its digest")
    return mapping(parse_plain(b"{" + body), "it")

"""The log of a session: JSON Lines in a hash chain, so that a changed, missing or moved line is found.

A line is the canonical JSON of its event. ``prev`` is the digest of the line before (64 zeros at the beginning) and
``digest`` the SHA-256 of the line without it. The last line is RUN_END: a log that was cut off has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.tasks.files import parse_json
from pytest_talk2agent.workflows.session.event import ACTORS, EVENT_TYPES, Actor, Event, EventType, RunLabel
from pytest_talk2agent.workflows.stable import canonical

ZERO = "0" * 64
LARGEST = 256 << 20
"""Bytes of a log that is read back."""


class BrokenLogError(ValueError):
    """A log that is not what a session wrote: the number of the line, from 1, and what is wrong with it."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class EventLog:
    """The events of one session, each written into the chain as it happens."""

    def __init__(self, label: RunLabel) -> None:
        self.label = label
        self.events: list[Event] = []
        self._lines: list[str] = []
        self._head = ZERO

    @property
    def head(self) -> str:
        """The digest of the last line."""
        return self._head

    def append(
        self,
        kind: EventType,
        actor: Actor,
        media_time_ms: int,
        payload: Mapping[str, Any],
        *,
        parents: tuple[int, ...] = (),
        wall_time_ns: int | None = None,
    ) -> Event:
        """Add an event; its time is never before that of the event before.

        Raises:
            ValueError: for a payload that is no plain value, or a time that runs backwards.
        """
        if self.events and media_time_ms < self.events[-1].media_time_ms:
            raise ValueError(f"{kind} at {media_time_ms} ms, after {self.events[-1].media_time_ms} ms")
        wall = media_time_ms * 1_000_000 if wall_time_ns is None else wall_time_ns
        event = Event(len(self.events), kind, actor, media_time_ms, payload, parents, wall)
        line, self._head = _line(event, self.label, self._head)
        self.events.append(event)
        self._lines.append(line)
        return event

    def to_bytes(self) -> bytes:
        """The whole log as its file has it."""
        return "".join(f"{line}\n" for line in self._lines).encode("ascii")

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_bytes(self.to_bytes())


@dataclass(frozen=True)
class StoredLog:
    """A log that was read back and whose chain holds."""

    label: RunLabel
    events: tuple[Event, ...]
    head: str


def read_log(data: bytes) -> StoredLog:
    """Read a log and prove its chain.

    Raises:
        BrokenLogError: at the first line that is not what a session wrote, or for a log without its end.
    """
    events: list[Event] = []
    label: RunLabel | None = None
    head = ZERO
    for number, text in _lines(data):
        event, found, prev = _parsed(number, text)
        if label is None:
            label = found
        if found != label:
            raise BrokenLogError(number, "belongs to another session")
        if event.seq != len(events):
            raise BrokenLogError(number, f"has the number {event.seq}, where {len(events)} comes next")
        if prev != head:
            raise BrokenLogError(number, "does not follow the line before it: the chain breaks here")
        line, head = _line(event, found, head)
        if line != text:
            raise BrokenLogError(number, "was changed: its digest is not that of what it says")
        if events and event.media_time_ms < events[-1].media_time_ms:
            raise BrokenLogError(number, "lies before the line before it on the media timeline")
        if any(parent >= event.seq or parent < 0 for parent in event.causal_parents):
            raise BrokenLogError(number, "names a cause that does not come before it")
        events.append(event)
    if label is None or events[0].type != "RUN_START":
        raise BrokenLogError(1, "is no RUN_START, with which a log begins")
    if events[-1].type != "RUN_END":
        raise BrokenLogError(len(events) + 1, "is missing: the log ends before its RUN_END")
    early = next((event.seq for event in events[:-1] if event.type == "RUN_END"), None)
    if early is not None:
        raise BrokenLogError(early + 2, "comes after RUN_END")
    return StoredLog(label, tuple(events), head)


def _line(event: Event, label: RunLabel, prev: str) -> tuple[str, str]:
    """The text of an event in the chain, and its digest."""
    content = {
        "seq": event.seq,
        "type": event.type,
        "actor": event.actor,
        "wall_time_ns": event.wall_time_ns,
        "media_time_ms": event.media_time_ms,
        "payload": event.payload,
        "causal_parents": list(event.causal_parents),
        "run_id": label.run_id,
        "task_version": label.task_version,
        "condition": label.condition,
        "prev": prev,
    }
    text = canonical(content)
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    return f'{text[:-1]},"digest":"{digest}"}}', digest


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    if not data.endswith(b"\n"):
        raise BrokenLogError(data.count(b"\n") + 1, "has no end: the log was cut off")
    for number, raw in enumerate(data[:-1].split(b"\n"), 1):
        try:
            yield number, raw.decode("ascii")
        except UnicodeDecodeError:
            raise BrokenLogError(number, "holds bytes that no log has") from None


def _parsed(number: int, text: str) -> tuple[Event, RunLabel, str]:
    try:
        row: dict[str, Any] = parse_json(text)
        event = Event(
            _typed(row["seq"], int),
            _one_of(row["type"], EVENT_TYPES),
            _one_of(row["actor"], ACTORS),
            _typed(row["media_time_ms"], int),
            _typed(row["payload"], dict),
            tuple(_typed(parent, int) for parent in _typed(row["causal_parents"], list)),
            _typed(row["wall_time_ns"], int),
        )
        label = RunLabel(*(_typed(row[name], str) for name in ("run_id", "task_version", "condition")))
        return event, label, _typed(row["prev"], str)
    except (ValueError, KeyError, TypeError, RecursionError, json.JSONDecodeError) as error:
        raise BrokenLogError(number, f"is no event ({type(error).__name__})") from None


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(kind.__name__)
    return value


def _one_of(value: Any, known: frozenset[str]) -> Any:
    if value not in known:
        raise ValueError(value)
    return value

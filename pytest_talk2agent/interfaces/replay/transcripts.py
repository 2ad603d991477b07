"""Recorded transcripts in place of a recogniser: ``transcripts:FILE``.

FILE is JSON Lines or one JSON array. Three forms of record are read, also mixed:

- ours: ``task``, ``take`` or ``speaker``, ``audio`` (each but the task optional), ``transcript``;
- five fields (Talk2Agent, human recordings): ``task_id`` names the recording, ``source_task_id`` the task, then
  ``take``, ``audio``, ``transcript``;
- three fields (the same, WildClawBench): ``audio``, ``category``, ``transcription``; the stem of ``audio`` is the task.

Which record answers an utterance. Records of its task: ``source_task_id``, else ``task``, else ``task_id``, else the
stem of ``audio``, equal to the task's id, else to the id's last path component. Among them the first of these rules
that finds any decides: the same audio file (the record's path ends the recording's path, else equal file names); the
same take; a speaker named like the take; no take and no speaker, and no audio file other than the recording's. One
record is the answer, several are an error that names their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, refuse_options
from pytest_talk2agent.interfaces.suspicion import with_suspicions
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.tasks.files import parse_json, read_bounded

UNNAMED_TAKE = "1"
LARGEST = 1 << 28
"""Bytes of a transcripts file: more than anybody has spoken."""
LONGEST_NAME = 100
_IN_NODE_IDS = re.compile(r"::|[\[\]]")


@dataclass(frozen=True)
class Record:
    """One line of a transcripts file; ``line`` counts from 1."""

    line: int
    task: str
    take: str | None
    speaker: str | None
    audio: str | None
    transcript: str

    @property
    def take_name(self) -> str:
        """What an utterance made from this record is called."""
        return self.take or self.speaker or UNNAMED_TAKE


class TranscriptsInterface(Interface):
    """Transcripts that were made elsewhere. Data, not an engine: its identity does not hold the file's content."""

    hears = False

    def __init__(self, spec: Spec) -> None:
        refuse_options(spec)
        self._path = Path(spec.model or "").expanduser()

    def check(self) -> None:
        """Read the file. Raises InterfaceError where it is missing or a line of it is malformed."""
        _ = self._by_task

    def identity(self) -> Mapping[str, str]:
        """The name alone."""
        return {"name": "transcripts"}

    def records_of(self, task: str) -> list[str]:
        """The takes recorded for a task, in the order of the file, each once."""
        return list(dict.fromkeys(record.take_name for record in self._records(task)))

    def has_record(self, utterance: Utterance) -> bool:
        """Whether any rule finds a record for an utterance."""
        return any(rule(record, utterance) for record in self._records(utterance.task) for rule in _RULES)

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Look each utterance up. Nothing recorded, or several equally good records, is a TranscriptionError."""
        return [self._look_up(utterance) for utterance in batch]

    @cached_property
    def _by_task(self) -> dict[str, list[Record]]:
        by_task: dict[str, list[Record]] = {}
        for record in read_records(self._path):
            by_task.setdefault(record.task, []).append(record)
        return by_task

    def _records(self, task: str) -> list[Record]:
        return self._by_task.get(task) or self._by_task.get(PurePosixPath(task).name, [])

    def _look_up(self, utterance: Utterance) -> Hypothesis | TranscriptionError:
        records = self._records(utterance.task)
        if not records:
            return TranscriptionError(f"{self._path}: no transcript of task {utterance.task!r}; add one or deselect it")
        for rule in _RULES:
            found = [record for record in records if rule(record, utterance)]
            if len(found) > 1:
                lines = " and ".join(str(record.line) for record in found)
                return TranscriptionError(
                    f"{self._path}: lines {lines} are equally good for task {utterance.task!r}, "
                    f"take {utterance.take!r}; keep one or name the takes"
                )
            if found:
                text = found[0].transcript
                return Hypothesis(text, with_suspicions({"line": found[0].line}, text, None))
        takes = ", ".join(self.records_of(utterance.task))
        return TranscriptionError(
            f"{self._path}: no transcript of task {utterance.task!r}, take {utterance.take!r}; recorded takes: {takes}"
        )


def _same_path(record: Record, utterance: Utterance) -> bool:
    if record.audio is None or utterance.path is None:
        return False
    parts = [part for part in PurePosixPath(record.audio).parts if part != "."]
    return list(utterance.path.parts[-len(parts) :]) == parts


def _same_file_name(record: Record, utterance: Utterance) -> bool:
    return (
        record.audio is not None
        and utterance.path is not None
        and PurePosixPath(record.audio).name == utterance.path.name
    )


def _unnamed(record: Record, utterance: Utterance) -> bool:
    # Audio that is another file belongs to another recording, however alone the record stands.
    return record.take is None and record.speaker is None and (record.audio is None or utterance.path is None)


_RULES: tuple[Callable[[Record, Utterance], bool], ...] = (
    _same_path,
    _same_file_name,
    lambda record, utterance: record.take == utterance.take,
    lambda record, utterance: record.speaker == utterance.take,
    _unnamed,
)


def read_records(path: Path) -> list[Record]:
    """Read a transcripts file, JSON Lines or one JSON array.

    Raises InterfaceError, with FILE:LINE where a record is at fault.
    """
    try:
        text = read_bounded(path, LARGEST).decode("utf-8-sig")
    except FileNotFoundError:
        raise InterfaceError(f"{path}: no such transcripts file; check the path behind transcripts:") from None
    except UnicodeDecodeError:
        raise InterfaceError(f"{path}: not UTF-8; save the transcripts as UTF-8") from None
    except OSError as error:
        raise InterfaceError(f"{path}: cannot read the transcripts: {error.strerror}") from None
    except ValueError as error:
        raise InterfaceError(f"{path}: cannot read the transcripts: {error}") from None
    values = _array(path, text) if text.lstrip().startswith("[") else _lines(path, text)
    records = [_record(path, line, value) for line, value in values]
    if not records:
        raise InterfaceError(f"{path}: no transcript in it; write one record a line")
    return records


def _lines(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    # Not splitlines(): a transcript may hold U+2028, which JSON allows inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, parse_json(line)
            except (ValueError, RecursionError) as error:
                raise InterfaceError(f"{path}:{number}: not JSON: {error}; write one record a line") from None


def _array(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    try:
        values = parse_json(text)
    except json.JSONDecodeError as error:
        raise InterfaceError(f"{path}:{error.lineno}: not JSON: {error.msg}; write one array of records") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a list in a list in a list ..
        raise InterfaceError(f"{path}: not JSON that can be read: {error}; write one array of records") from None
    decoder = json.JSONDecoder()
    position, line = text.index("[") + 1, 1
    counted = 0
    for value in values:
        while text[position] in " \t\r\n,":
            position += 1
        line += text.count("\n", counted, position)
        counted = position
        yield line, value
        _, position = decoder.raw_decode(text, position)


def _record(path: Path, line: int, value: object) -> Record:
    def text(key: str) -> str | None:
        found = value.get(key) if isinstance(value, dict) else None
        if found is None:
            return None
        if isinstance(found, int) and not isinstance(found, bool):
            found = str(found)
        if not isinstance(found, str):
            raise InterfaceError(f"{path}:{line}: {key!r} must be text, not {type(found).__name__}")
        return found

    if not isinstance(value, dict):
        raise InterfaceError(f"{path}:{line}: a record is an object with 'task' and 'transcript', not {value!r:.60}")
    audio = text("audio")
    transcript = text("transcript") if "transcript" in value else text("transcription")
    if transcript is None:
        raise InterfaceError(f"{path}:{line}: no 'transcript'; an empty one is written \"\"")
    task = text("source_task_id") or text("task") or text("task_id") or (PurePosixPath(audio).stem if audio else None)
    if not task:
        raise InterfaceError(f"{path}:{line}: no task; add 'task' (or 'source_task_id', 'task_id')")
    for key in ("take", "speaker"):
        name = text(key) or ""
        if not name.isprintable() or len(name) > LONGEST_NAME or _IN_NODE_IDS.search(name):
            raise InterfaceError(
                f"{path}:{line}: {key!r} is {name!a:.80}, which cannot be part of a test id; use letters, digits"
                " and . _ + -"
            )
    return Record(line, task, text("take") or None, text("speaker") or None, audio or None, transcript)

"""The audio folder of Hugging Face: sound files, and beside them ``metadata.jsonl`` or ``.csv`` with a row for each.

``file_name`` is relative to the metadata file; every other column is free. Ours are those of a manifest, and
``instruction`` and ``language``. A folder may have several such files, one for each split; all are read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.recording.dataset.collection import DataSet, Item
from pytest_talk2agent.recording.dataset.folders import copy, made_whole, pinned, refuse_twins, write_rows
from pytest_talk2agent.speech.audio import AudioError, audio_seconds, check_file
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.tasks.manifest import Manifest, json_lines, recording_of

COLUMNS = (
    *("file_name", "task", "take", "speaker", "voice", "script", "instruction", "language", "seconds", "sha256"),
    "note",
)
SPLIT = "test"
"""Recordings that gate a release are there to test with."""
FORMATS = ("jsonl", "csv")
_METADATA = tuple(f"metadata.{kind}" for kind in FORMATS)
_SCRIPTS = ("script", "transcription", "transcript", "text", "sentence")
"""What a column with the words is called, here and elsewhere; the first that is there is taken."""


def export_audio_folder(data: DataSet, folder: Path, card: str, kind: str = "jsonl") -> None:
    """Copy the data set into a folder that is not there yet, with its card.

    Raises ValueError for a recording that is missing or not the declared one, and then writes nothing; OSError.
    """
    refuse_twins(data)
    digests = pinned(data)
    with made_whole(folder) as place:
        rows = []
        for item, digest in zip(data.items, digests, strict=True):
            copy(item, place / SPLIT / item.file_name)
            rows.append(_row(item, digest))
        if kind == "csv":
            (place / SPLIT / "metadata.csv").write_text(_as_csv(rows), encoding="utf-8")
        else:
            write_rows(place / SPLIT / "metadata.jsonl", rows)
        (place / "README.md").write_text(card, encoding="utf-8")


def is_audio_folder(root: Path) -> bool:
    """Whether a folder has a metadata file."""
    return any(_metadata_of(root))


def read_audio_folder(root: Path, columns: Mapping[str, str] | None = None) -> tuple[Manifest, dict[str, int]]:
    """The recordings of an audio folder, and how often each column was there that a manifest has no place for.

    ``columns`` says which column has what a manifest calls ``task``, ``speaker`` and so on. A recording gets the
    SHA-256 of its file where its row has none. Raises TaskFileError with every faulty row, and with every file that is
    not there or not the declared one.
    """
    manifest, unread = Manifest(root), dict[str, int]()
    problems: list[Problem] = []
    for path in _metadata_of(root):
        for line, row in _rows(path, problems):
            try:
                _add(manifest, row, path.parent, root, columns or {}, unread)
            except ValueError as error:
                problems.append(Problem(path, line, 1, str(error)))
    if not manifest.recordings and not problems:
        problems.append(Problem(root, 0, 0, "no recording in its metadata.jsonl or metadata.csv; name another folder"))
    if problems:
        raise TaskFileError(problems)
    return manifest, unread


def _row(item: Item, digest: str) -> dict[str, Any]:
    one = item.recording
    values = {
        "file_name": item.file_name,
        "task": item.name,
        "take": item.take,
        "speaker": one.speaker,
        "voice": one.voice or None,
        "script": item.script or None,
        "instruction": item.instruction or None,
        "language": item.language or None,
        "seconds": one.seconds or round(audio_seconds(one.audio), 2) or None,
        "sha256": digest,
        "note": one.note or None,
    }
    return {name: values[name] for name in COLUMNS}


def _as_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _metadata_of(root: Path) -> list[Path]:
    return sorted(path for name in _METADATA for path in root.rglob(name))


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from json_lines(path, problems)
        return
    reader = csv.DictReader(io.StringIO(read_utf8(path), newline=""), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                problems.append(Problem(path, reader.line_num, 1, "not as many cells as the heading has; mend the row"))
            else:
                yield reader.line_num, {name: cell for name, cell in row.items() if cell != ""}
    except csv.Error as error:
        problems.append(Problem(path, reader.line_num, 1, f"no CSV: {error}; mend the row"))


def _add(
    manifest: Manifest,
    row: Mapping[str, Any],
    folder: Path,
    root: Path,
    columns: Mapping[str, str],
    unread: dict[str, int],
) -> None:
    for wanted, name in columns.items():
        if name not in row:
            raise ValueError(f"no column {shown(name)} for {wanted}; there are {', '.join(row)}")
    script = columns.get("script") or next((name for name in _SCRIPTS if name in row), "script")
    names = {name: name for name in ("task", "take", "speaker", "voice", "seconds", "sha256", "note")}
    names |= {"audio": "file_name", "script": script, **columns}
    values = {wanted: row[name] for wanted, name in names.items() if row.get(name) is not None}
    for name in row:
        if name not in names.values() and name not in COLUMNS:
            unread[name] = unread.get(name, 0) + 1
    if not isinstance(values.get("audio"), str):
        raise ValueError("`file_name` is missing or no text")
    task = values.pop("task", None)
    if not isinstance(task, str) or not task:
        raise ValueError(f"no column says the task; name it with --column task=NAME; there are {', '.join(row)}")
    words = values.pop("script", None)
    if words is not None and not isinstance(words, str):
        raise ValueError(f"{shown(script)} must be a text")
    recording = recording_of(values, [folder], [root])
    try:
        digest = check_file(recording.audio, recording.sha256)
    except AudioError as error:
        raise ValueError(str(error)) from None
    manifest.add(task, recording.model_copy(update={"sha256": digest}), words)

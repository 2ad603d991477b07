"""A folder that is there whole or not at all, and what it is filled with: copies of recordings, rows, texts."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_talk2agent.recording.dataset.collection import DataSet, Item
from pytest_talk2agent.speech.audio import AudioError, check_file


@contextmanager
def made_whole(folder: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name once all went well. Raises ValueError where something is there already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is there already and not empty; name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.tmp")
    beside.mkdir()
    try:
        yield beside
        beside.replace(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def pinned(data: DataSet) -> list[str]:
    """The SHA-256 of each recording; raises ValueError with a line for each that is missing or not the declared one."""
    found, problems = list[str](), []
    for item in data.items:
        try:
            found.append(check_file(item.recording.audio, item.recording.sha256))
        except AudioError as error:
            problems.append(f"{item.shown}: {error}")
    if problems:
        raise ValueError("\n".join([*problems, "nothing was written"]))
    return found


def refuse_twins(data: DataSet) -> None:
    """Raise ValueError where two recordings would have one file name, upper and lower case taken as one."""
    first: dict[str, Item] = {}
    for item in data.items:
        other = first.setdefault(item.file_name.casefold(), item)
        if other is not item:
            raise ValueError(f"{other.shown} and {item.shown} would share the file {item.file_name}; rename a take")


def copy(item: Item, place: Path) -> None:
    """Copy a recording; raises OSError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(item.recording.audio, place)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")

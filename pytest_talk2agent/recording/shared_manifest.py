"""A manifest that several makers of recordings write: each replaces its own lines, and none loses another's.

``talk2agent speak`` owns the takes that it renders, ``talk2agent record`` what lies in its folder of takes. A lock
beside the manifest keeps them apart for the moment of writing, also where they are different processes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from pytest_talk2agent.recording.durable import PRIVATE, write_durably
from pytest_talk2agent.tasks.errors import TaskFileError, shown
from pytest_talk2agent.tasks.manifest import json_lines

Row: TypeAlias = Mapping[str, Any]
"""A line of a manifest as it stands."""


class SharedManifestError(ValueError):
    """A manifest that cannot be added to: one line, with the place and what to do."""


def key_of(row: Row) -> tuple[str, str]:
    """What a row is known by: its task, and its take or else its file."""
    return str(row["task"]), str(row.get("take") or row["audio"])


def read_rows(path: Path) -> list[Row]:
    """The rows of a manifest, none where there is no file; raises SharedManifestError with the first bad line."""
    if not path.exists():
        return []
    problems: list[Any] = []
    try:
        rows = [(number, row) for number, row in json_lines(path, problems)]
    except TaskFileError as error:
        raise SharedManifestError(str(error)) from None
    bad = [problem.line for problem in problems]
    bad += [number for number, row in rows if not (row.get("task") and row.get("audio"))]
    if bad:
        raise SharedManifestError(f"{path}:{min(bad)}: no line of a manifest; mend or delete it")
    return [row for _, row in rows]


def update(path: Path, own: Iterable[Row], is_own: Callable[[Row], bool]) -> None:
    """Put the rows of one maker in place of those that ``is_own`` knows as its earlier ones.

    All others stay, byte for byte what they say and in their order; a row that comes again keeps its place.
    Raises SharedManifestError, OSError: then the manifest is what it was.
    """
    ours = {key_of(row): row for row in own}
    with _alone(path):
        rows: list[Row] = []
        for row in read_rows(path):
            if not is_own(row):
                rows.append(row)
            elif key_of(row) in ours:
                rows.append(ours.pop(key_of(row)))
        rows += ours.values()
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        if not path.exists() or path.read_bytes() != text.encode():
            write_durably(path, text.encode())


def refuse_clash(path: Path, own: Iterable[Row], is_own: Callable[[Row], bool]) -> None:
    """Raise SharedManifestError where another maker has a take of the same name, or of another script.

    Reading the manifest would fail for either; here it can still be helped.
    """
    others = [row for row in read_rows(path) if not is_own(row)]
    takes = {key_of(row): row for row in others}
    scripts = {str(row["task"]): row for row in others if row.get("script")}
    for row in own:
        if other := takes.get(key_of(row)):
            raise SharedManifestError(
                f"{path}: task {shown(row['task'])} has a take {shown(row.get('take'))} already,"
                f" {shown(other['audio'])}; give this one another name, or delete that line"
            )
        said = scripts.get(str(row["task"]))
        if said and row.get("script") and said["script"] != row["script"]:
            raise SharedManifestError(
                f"{path}: {shown(said['audio'])} was made of another script of task {shown(row['task'])};"
                " make it again, or delete its line"
            )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)

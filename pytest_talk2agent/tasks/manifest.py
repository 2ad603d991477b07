"""A manifest: recordings, and spoken scripts, for tasks that list none themselves.

JSON Lines, one recording a line: ``task``, ``audio``, and where they are known ``speaker``, ``take``, ``sha256``,
``seconds``, ``voice``, ``script`` and ``note``. ``audio`` is relative to the manifest, then to each folder of
recordings. ``task`` is a task's id or the id's last path component. `schema.manifest_schema` is its JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from pytest_talk2agent.tasks.consistency import OUTSIDE
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown, suggestion
from pytest_talk2agent.tasks.files import find, is_inside, parse_json, project_of, reachable, read_utf8
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task
from pytest_talk2agent.tasks.validation import explain

KEYS = ("task", "audio", "speaker", "take", "sha256", "seconds", "voice", "script", "note")


@dataclass
class Manifest:
    """Recordings and scripts by task, in the order of the manifest."""

    path: Path
    recordings: dict[str, list[Recording]] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)

    def supply(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks, with the recordings and the script of the manifest where they have none of their own."""
        return [self._supplied(task) for task in tasks]

    def _supplied(self, task: Task) -> Task:
        values: dict[str, Any] = {}
        recordings = _of(self.recordings, task.id)
        if recordings and not task.recordings:
            values["recordings"] = tuple(recordings)
        script = _of(self.scripts, task.id)
        if script and task.script is None:
            values["script"] = script
        return task.replaced(**values) if values else task

    def add(self, task: str, recording: Recording | None, script: str | None) -> None:
        """Add what one line says; raises ValueError where a task has two scripts or two recordings of one take."""
        known = self.recordings.setdefault(task, [])
        if recording is not None:
            if recording.take is not None and any(other.take == recording.take for other in known):
                raise ValueError(f"task {shown(task)} has take {shown(recording.take)} twice; give each its own name")
            known.append(recording)
        if script and self.scripts.setdefault(task, script) != script:
            raise ValueError(f"task {shown(task)} has a second script that differs; keep one of them")


def read_manifest(path: Path, roots: Sequence[Path] = ()) -> Manifest:
    """Read a manifest; raises TaskFileError with one line for each faulty line of it.

    Its recordings lie in the project around it or in ``roots``, links followed.
    """
    manifest = Manifest(path)
    bounds = (*project_of(path.parent), *roots)
    problems: list[Problem] = []
    for number, value in json_lines(path, problems):
        try:
            _add(manifest, value, (path.parent, *roots), bounds)
        except ValueError as error:
            problems.append(Problem(path, number, 1, str(error)))
    if not manifest.recordings and not problems:
        problems.append(Problem(path, 0, 0, "no recording in it; write one a line, with `task` and `audio`"))
    if problems:
        raise TaskFileError(problems)
    return manifest


def json_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """Every object of a JSON Lines file with its line, from 1; malformed lines go to ``problems``."""
    # Not splitlines(): JSON allows U+2028 inside a string.
    for number, line in enumerate(read_utf8(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(path, number, 1, f"not JSON: {error}; write one record a line"))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.append(Problem(path, number, 1, 'a record is an object, such as {"task": .., "audio": ..}'))


def _add(manifest: Manifest, value: Mapping[str, Any], folders: Sequence[Path], bounds: Sequence[Path]) -> None:
    for key in value:
        if key not in KEYS:
            raise ValueError(f"unknown key {shown(key)}; {suggestion(key, KEYS)}")
    for key in ("task", "audio"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise ValueError(f"`{key}` is missing or no text; every recording names its task and its audio")
    recording = recording_of({key: value[key] for key in value if key not in ("task", "script")}, folders, bounds)
    script = value.get("script")
    if script is not None and not isinstance(script, str):
        raise ValueError("`script` must be a text")
    manifest.add(value["task"], recording, script)


def recording_of(value: Mapping[str, Any], folders: Sequence[Path], bounds: Sequence[Path]) -> Recording:
    """A recording from plain values, its audio looked for in ``folders``; raises ValueError with one line.

    What lies outside of ``bounds`` is refused.
    """
    plain = {key: str(item) if isinstance(item, int) else item for key, item in value.items() if item is not None}
    plain["audio"] = audio = find(str(plain["audio"]), folders)
    if reachable(audio) and not is_inside(audio, bounds):
        raise ValueError(f"{shown(audio)} {OUTSIDE}")
    try:
        return Recording.model_validate(plain)
    except ValidationError as error:
        raise ValueError(explain(error.errors(include_url=False)[0], Recording)) from None


def _of(values: Mapping[str, Any], task: str) -> Any:
    return values.get(task) or values.get(PurePosixPath(task).name)


def to_lines(manifest: Manifest, folder: Path) -> list[str]:
    """The manifest as JSON Lines of our form, its audio relative to ``folder`` where it is below it."""
    lines = []
    for task, recordings in manifest.recordings.items():
        script = manifest.scripts.get(task)
        for recording in recordings:
            value = recording.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            if recording.audio.is_relative_to(folder):
                value["audio"] = recording.audio.relative_to(folder).as_posix()
            lines.append(
                json.dumps({"task": task, **value, **({"script": script} if script else {})}, ensure_ascii=False)
            )
    return lines

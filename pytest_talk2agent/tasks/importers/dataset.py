"""The dataset layout of the Talk2Agent authors: recordings, scripts and ASR conditions in one folder.

The data is private, so the layout is known from its build scripts: ``wildclawbench/synthetic/prompts.jsonl``,
``osworld/human_recordings/manifest.jsonl``, ``osworld/synthetic/colloquial_instruction/instructions.jsonl`` and
``metadata/conditions.jsonl``. Whatever of these is there is read; unknown keys are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown
from pytest_talk2agent.tasks.files import is_inside, read_utf8
from pytest_talk2agent.tasks.importers.wildclawbench import TEMPLATE
from pytest_talk2agent.tasks.manifest import Manifest, json_lines, read_manifest, recording_of

PROMPTS = "wildclawbench/synthetic/prompts.jsonl"
TAKES = "osworld/human_recordings/manifest.jsonl"
SCRIPTS = "osworld/synthetic/colloquial_instruction/instructions.jsonl"
CONDITIONS = "metadata/conditions.jsonl"

_UNFIT_FOR_LABEL = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class RecordedCondition:
    """One recogniser on one collection: where its transcripts are, how many, and what biased them."""

    family: str
    collection: str
    model: str
    variant: str
    biased: bool
    transcripts: Path
    rows: int
    bias_list: Path | None

    @property
    def label(self) -> str:
        """A label for node ids and tables: collection, model and variant."""
        text = "-".join(part for part in (self.family, self.collection, self.model, self.variant) if part)
        return _UNFIT_FOR_LABEL.sub("_", text)

    @property
    def spec(self) -> str:
        """The interface that replays it."""
        return f"{self.label}=transcripts:{self.transcripts}"


def is_dataset(root: Path) -> bool:
    """Whether a folder has a file of the layout."""
    return any((root / name).is_file() for name in (PROMPTS, TAKES, SCRIPTS, CONDITIONS))


def read_dataset(root: Path) -> Manifest:
    """The recordings and scripts of the dataset; raises TaskFileError with every faulty line."""
    manifest = Manifest(root)
    problems: list[Problem] = []
    for name, read in ((PROMPTS, _prompt), (TAKES, _take), (SCRIPTS, _script)):
        path = root / name
        if not path.is_file():
            continue
        for number, value in json_lines(path, problems):
            try:
                read(manifest, value, root)
            except ValueError as error:
                problems.append(Problem(path, number, 1, str(error)))
    if not (manifest.recordings or problems):
        message = f"nothing in {PROMPTS}, {TAKES} or {SCRIPTS} of it; name the folder of the dataset"
        problems.append(Problem(root, 0, 0, message))
    if problems:
        raise TaskFileError(problems)
    return manifest


def recordings_at(path: Path, roots: Sequence[Path] = ()) -> Manifest:
    """What supplies recordings and scripts: a manifest, or the dataset in a folder; raises TaskFileError."""
    return read_dataset(path) if path.is_dir() else read_manifest(path, roots)


def read_conditions(root: Path) -> list[RecordedCondition]:
    """Every condition of the dataset, in its order, its transcripts checked against the declared rows and SHA-256.

    Raises TaskFileError with every condition that is not what it is declared to be.
    """
    path = root / CONDITIONS
    problems: list[Problem] = []
    found = []
    for number, value in json_lines(path, problems):
        try:
            condition = _condition(value, root)
            _check(condition, value)
            found.append(condition)
        except (ValueError, OSError) as error:
            problems.append(Problem(path, number, 1, str(error)))
    if problems:
        raise TaskFileError(problems)
    return found


def _prompt(manifest: Manifest, value: Mapping[str, Any], root: Path) -> None:
    task = _text(value, "task_id")
    if task == TEMPLATE:
        return
    base = root / "wildclawbench" / "synthetic"
    folders = [base, base / "audio", root / "wildclawbench", root]
    audio = value.get("audio") or f"audio/{value.get('category', '')}/{task}.wav"
    plain = {"audio": audio, "take": "tts", "sha256": value.get("sha256"), **_ours(value, "speaker")}
    recording = recording_of(plain, folders, [root])
    manifest.add(task, recording, value.get("colloquial_prompt"))


def _take(manifest: Manifest, value: Mapping[str, Any], root: Path) -> None:
    task = _text(value, "source_task_id", "task_id")
    folders = [root / "osworld" / "human_recordings", root / "osworld", root]
    plain = {
        "audio": _text(value, "audio"),
        "take": value.get("take"),
        "speaker": value.get("speaker") or value.get("speaker_id"),
        "sha256": value.get("sha256") or value.get("audio_sha256"),
        **_ours(value),
    }
    manifest.add(task, recording_of(plain, folders, [root]), None)


def _ours(value: Mapping[str, Any], *further: str) -> dict[str, Any]:
    """What ``talk2agent dataset export`` adds to the layout; a key of the same name and another sort is not ours."""
    texts = {key: value[key] for key in ("voice", "note", *further) if isinstance(value.get(key), str)}
    return texts | ({"seconds": value["seconds"]} if isinstance(value.get("seconds"), float) else {})


def _script(manifest: Manifest, value: Mapping[str, Any], root: Path) -> None:
    manifest.add(_text(value, "task_id"), None, _text(value, "colloquialized_instruction"))


def _text(value: Mapping[str, Any], *keys: str) -> str:
    """The first of some keys that has something, which must be a text; raises ValueError."""
    found = next((value[key] for key in keys if value.get(key)), None)
    if not isinstance(found, str):
        raise ValueError(f"`{keys[0]}` is missing or no text")
    return found


def _condition(value: Mapping[str, Any], root: Path) -> RecordedCondition:
    listed, rows = value.get("bias_list"), value.get("rows")
    if not isinstance(rows, int):
        raise ValueError("`rows` is missing or no whole number")
    return RecordedCondition(
        family=_text(value, "family"),
        collection=str(value.get("collection") or ""),
        model=_text(value, "model"),
        variant=str(value.get("variant") or ""),
        biased=bool(value.get("biasing")),
        transcripts=_inside(root, _text(value, "data_file")),
        rows=rows,
        bias_list=_inside(root, str(listed)) if listed else None,
    )


def _inside(root: Path, name: str) -> Path:
    """A file of the dataset; raises ValueError where the name, or a link, leads out of it."""
    if not is_inside(root / name, [root]):
        raise ValueError(f"{shown(name)} leads out of the dataset; name a file in it")
    return root / name


def _check(condition: RecordedCondition, value: Mapping[str, Any]) -> None:
    path = condition.transcripts
    if not path.is_file():
        raise ValueError(f"{path} is missing; fetch it")
    declared = value.get("sha256")
    if declared and (found := file_sha256(path)) != declared:
        raise ValueError(f"{path} has the SHA-256 {found}, not {declared}; restore it")
    if (rows := _rows(path)) != condition.rows:
        raise ValueError(f"{path} has {rows} rows, not {condition.rows}; restore it")


def _rows(path: Path) -> int:
    """Records of a JSON array, or of JSON Lines."""
    text = read_utf8(path)
    if not text.lstrip().startswith("["):
        return sum(bool(line.strip()) for line in text.split("\n"))
    try:
        return len(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON array: {error}; restore it") from None

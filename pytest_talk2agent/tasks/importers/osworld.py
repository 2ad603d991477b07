"""OSWorld: one JSON file a task, ``evaluation_examples/examples/<domain>/<uuid>.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.tasks.importers.original import (
    Checkout,
    Format,
    Original,
    head_of,
    line_feeds,
    read_all,
    refused,
    text_of,
)
from pytest_talk2agent.tasks.task import Task

BENCHMARK = "osworld"

PAPER = "paper-subset"
"""The tag of a task that is, by inference, one of the paper's."""


def looks_like_task(text: str) -> bool:
    """Whether a JSON text can be a task: it speaks of an instruction and an evaluator."""
    return '"instruction"' in text and '"evaluator"' in text


def read_task(path: Path) -> Iterator[Original]:
    """Read one task file. Unknown keys are ignored; raises TaskFileError where what a task needs is missing."""
    text = text_of(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise refused(path, f"not JSON: {error.msg}; restore the file", error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a list in a list in a list ..
        raise refused(path, f"JSON that cannot be read: {error}; restore the file") from None
    evaluator = data.get("evaluator") if isinstance(data, dict) else None
    if not isinstance(evaluator, dict) or not evaluator.get("func"):
        raise refused(path, "no `evaluator` with a `func`; an OSWorld task needs one")
    instruction, name = data.get("instruction"), data.get("id")
    if not isinstance(instruction, str) or not instruction.strip() or not isinstance(name, str):
        raise refused(path, "no `id` or no `instruction`; an OSWorld task needs both")
    grader = canonical(evaluator)
    try:
        (instruction + grader).encode()
    except UnicodeEncodeError:
        raise refused(path, "an escape that is half of a character (\\ud800 to \\udfff); restore the file") from None
    domain = path.parent.name
    yield Original(
        benchmark=BENCHMARK,
        task=f"{domain}/{name}",
        prompt=line_feeds(instruction).strip(),
        grader=grader,
        path=path,
        line=next((n for n, row in enumerate(text.split("\n"), 1) if '"instruction"' in row), 1),
        tags=tuple(dict.fromkeys([domain, *map(_app, _list(data, "related_apps")), _paper(instruction, data)])),
        extra={"evaluator": evaluator},
    )


def canonical(evaluator: object) -> str:
    """The evaluator as one line of JSON with sorted keys: what its fingerprint is made of."""
    return json.dumps(evaluator, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def read_checkout(root: Path) -> Checkout:
    """Read a checkout, its ``evaluation_examples``, their ``examples``, a domain or one file.

    Raises TaskFileError where there is no task file at all.
    """
    if root.is_file():
        return read_all(root, [root], read_task)
    places = (root / "evaluation_examples" / "examples", root / "examples", root)
    folder = next(place for place in places if place.is_dir() or place is root)
    files = [path for path in sorted(folder.rglob("*.json")) if path.parent != folder or folder is root]
    files = [path for path in files if not path.name.startswith("test_")]
    if not files:
        raise refused(root, "no OSWorld task; name a checkout with evaluation_examples/examples/<domain>/", line=0)
    return read_all(root, files, read_task)


def _paper(instruction: str, data: Mapping[str, Any]) -> str:
    """Whether the task is, by inference, one of the 351 of the Talk2Agent paper.

    The paper says English-language tasks; 369 less those that need Google Drive less those with a character outside
    ASCII gives its number, so this is a guess that fits.
    """
    drive = any(isinstance(step, dict) and step.get("type") == "googledrive" for step in _list(data, "config"))
    return PAPER if instruction.strip().isascii() and not drive else f"outside-{PAPER}"


def in_subset(task: Task) -> bool:
    """Whether a task is in the paper's subset by its tags, or is of another benchmark."""
    return task.source.benchmark != BENCHMARK or PAPER in task.tags


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _app(name: object) -> str:
    return str(name).lower().replace(" ", "_")


def is_file(path: Path) -> bool:
    """Whether a file is a task by its place and its text."""
    named = path.suffix == ".json" and path.absolute().parent.parent.name.startswith("examples")
    return named and looks_like_task(head_of(path))


FORMAT = Format(BENCHMARK, is_file, read_task, read_checkout, option="osworld")

"""Harbor: one folder a task, with ``task.toml``, the instruction and the tests.

WildClawBench is published in this form too: its id stands under ``[metadata]``, a paragraph of system text comes before
the prompt, and the grader is a Python file in ``tests/``. Such a task is read as the WildClawBench task that it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_talk2agent.tasks.importers import wildclawbench
from pytest_talk2agent.tasks.importers.original import (
    Checkout,
    Format,
    Original,
    read_all,
    refuse_outside,
    refused,
    text_of,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BENCHMARK = "harbor"
FILE = "task.toml"

_INSTRUCTIONS = ("instruction.md", "steps/*/instruction.md")
_PREAMBLE = "You are an expert in a restricted"


def read_task(path: Path, root: Path | None = None) -> Iterator[Original]:
    """Read the task whose ``task.toml`` this is; raises TaskFileError where it is no TOML or has no instruction.

    Links may lead to what else is in ``root``, the checkout, or in the task's own folder where none is given.
    """
    try:
        data = tomllib.loads(text_of(path))
    except (ValueError, RecursionError) as error:  # a list in a list in a list ..
        raise refused(path, f"not TOML: {error}; restore the file") from None
    folder = path.parent
    places = [place for pattern in _INSTRUCTIONS for place in sorted(folder.glob(pattern))]
    if not places:
        raise refused(path, "no instruction.md beside it or in a step; a Harbor task has one")
    if len(places) > 1:
        names = ", ".join(place.relative_to(folder).as_posix() for place in places)
        raise refused(path, f"several instructions ({names}); a task of several steps cannot be one spoken task")
    refuse_outside(places[0], root or folder)
    metadata = _table(data, "metadata")
    name = metadata.get("wildclawbench_id")
    prompt = text_of(places[0]).strip()
    if name:
        first, _, rest = prompt.partition("\n\n")
        prompt = rest.strip() if first.startswith(_PREAMBLE) else prompt
    if not prompt:
        raise refused(places[0], "the instruction is empty; write it")
    keywords = _table(data, "task").get("keywords")
    yield Original(
        benchmark=wildclawbench.BENCHMARK if name else BENCHMARK,
        task=PurePosixPath(str(name or _table(data, "task").get("name") or "")).name or folder.absolute().name,
        prompt=prompt,
        grader=_grader(folder, root or folder),
        path=places[0],
        tags=tuple(str(word) for word in keywords) if isinstance(keywords, list) else (),
    )


def read_checkout(root: Path) -> Checkout:
    """Read a folder of Harbor tasks, or one of them; raises TaskFileError where there is none."""
    if root.is_file():
        return read_all(root, [root], read_task)
    files = sorted(root.rglob(FILE))
    if not files:
        raise refused(root, "no Harbor task; name a folder of folders with task.toml", line=0)
    return read_all(root, files, partial(read_task, root=root))


def _grader(folder: Path, root: Path) -> str:
    """The Python file of the tests that has a `grade` function, else the test script."""
    for place in sorted((folder / "tests").glob("*.py")):
        refuse_outside(place, root)
        text = text_of(place)
        if "\ndef grade(" in f"\n{text}":
            return text.strip()
    script = folder / "tests" / "test.sh"
    if not script.is_file():
        return ""
    refuse_outside(script, root)
    return text_of(script).strip()


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name)
    return table if isinstance(table, dict) else {}


FORMAT = Format(BENCHMARK, lambda path: path.name == FILE, read_task, read_checkout, option=None)

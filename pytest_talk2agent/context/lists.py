"""Files of bias lists, in the two JSON forms of the Talk2Agent data.

- OSWorld: ``{"metadata": .., "tasks": [{"task_id": .., "biasing_list": [..], ..}]}``; further lists of a task
  (``config_biasing_list``, ``image_biasing_list``) are parts of ``biasing_list`` and are not read;
- WildClawBench: ``[{"task": .., "taskname": .., "list": [..]}]``, whose task is ``task + "_" + taskname``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_talk2agent.context.errors import ContextError
from pytest_talk2agent.tasks.json_text import parse_json
from pytest_talk2agent.tasks.reading import read_bounded
from pytest_talk2agent.tasks.task import Task

LARGEST = 1 << 28
"""Bytes of a file of term lists."""

SOURCE_KEYS = ("task_id", "id")
"""Keys of a task's `source` that may hold its name in the benchmark it comes from."""


def read_list(path: Path, task: Task) -> tuple[str, ...]:
    """The terms that a file lists for a task, in its order, each once.

    A task is found by its id, the last component of its id, or a key of `SOURCE_KEYS` in its `source`.
    Raises ContextError where the file cannot be read, is malformed (with the place), or has no list of the task.
    """
    try:
        lists = _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ContextError(f"{path}: cannot read the term lists ({error.strerror}); check terms_from") from None
    except ValueError as error:
        raise ContextError(f"{path}: {error}") from None
    source = task.source.model_dump()
    known_as = [source[key] for key in SOURCE_KEYS if isinstance(source.get(key), str)]
    for name in (task.id, *known_as, PurePosixPath(task.id).name):
        if name in lists:
            return lists[name]
    raise ContextError(
        f"{path}: no list for task {task.id!r} among its {len(lists)}; add one (it may be empty) or deselect the task"
    )


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> Mapping[str, tuple[str, ...]]:
    try:
        data = parse_json(read_bounded(path, LARGEST).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ContextError(f"{path}: not UTF-8; save the term lists as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ContextError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except RecursionError as error:
        raise ContextError(f"{path}: not JSON that can be read: {error}") from None
    if isinstance(data, dict) and isinstance(data.get("tasks"), list):
        entries, prefix, terms = data["tasks"], "tasks", "biasing_list"
        names: tuple[str, ...] = ("task_id",)
    elif isinstance(data, list):
        entries, prefix, terms = data, "", "list"
        names = ("task", "taskname")
    else:
        raise ContextError(
            f"{path}: neither an object with an array `tasks` nor an array of objects with `task`, `taskname`, `list`"
        )
    lists: dict[str, tuple[str, ...]] = {}
    for index, entry in enumerate(entries):
        where = f"{path}: {prefix}[{index}]"
        if not isinstance(entry, dict):
            raise ContextError(f"{where}: an object with {', '.join((*names, terms))} is expected")
        name = "_".join(_text(entry, key, where) for key in names)
        if name in lists:
            raise ContextError(f"{where}: a second list of {name!r}; keep one")
        lists[name] = _terms(entry, terms, where)
    return lists


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise ContextError(f"{where}.{key}: a text is expected")
    return value


def _terms(entry: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = entry.get(key)
    if not isinstance(value, list):
        raise ContextError(f"{where}.{key}: an array of texts is expected")
    for index, term in enumerate(value):
        if not isinstance(term, str) or not term.strip():
            raise ContextError(f"{where}.{key}[{index}]: a text that is not empty is expected")
    return tuple(dict.fromkeys(" ".join(term.split()) for term in value))

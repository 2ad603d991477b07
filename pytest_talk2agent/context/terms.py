"""The terms of a task: what the agent can see, in the order in which a recogniser is told, or a list from a file.

Files of lists are in one of the two JSON forms of the Talk2Agent data:

- OSWorld: ``{"metadata": .., "tasks": [{"task_id": .., "biasing_list": [..], ..}]}``; further lists of a task
  (``config_biasing_list``, ``image_biasing_list``) are parts of ``biasing_list`` and are not read;
- WildClawBench: ``[{"task": .., "taskname": .., "list": [..]}]``, whose task is ``task + "_" + taskname``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_talk2agent.context.agent_view import SeenFile, crawl, lines_of
from pytest_talk2agent.context.decoys import interleaved, make_decoys
from pytest_talk2agent.context.extraction import (
    CODE,
    CONFIGURATION,
    DOCUMENTS,
    Identifiers,
    headings,
    identifiers,
    keys,
)
from pytest_talk2agent.context.leaks import grader_files, overlap, refuse_grader_terms, refuse_oracle_terms
from pytest_talk2agent.context.secrets import looks_secret
from pytest_talk2agent.context.vocabulary import ContextError, Place, Vocabulary, words_of
from pytest_talk2agent.interfaces.biasing import TermSwitches
from pytest_talk2agent.tasks.files import parse_json, read_bounded
from pytest_talk2agent.tasks.task import Task

_MOST_NAMED = 5

FILES = "context.files"
"""The root of names that a task lists."""
LARGEST = 1 << 28
"""Bytes of a file of term lists."""
SOURCE_KEYS = ("task_id", "id")
"""Keys of a task's `source` that may hold its name in the benchmark it comes from."""


@dataclass(frozen=True)
class TermList:
    """The terms of one task.

    ``terms`` are all that is sent, in order; ``decoys`` those of them that nobody can see. ``roots`` is what was read,
    named as the task (or the spec) names it. ``overlap`` is the share of the intentions' values that stand in the list,
    None where there are none. ``checked`` is False for a list from a file where the task states no context, so that
    nobody can tell whether its terms can be seen. ``rejected`` counts strings that look like secrets and were left out.
    """

    terms: tuple[str, ...]
    decoys: tuple[str, ...]
    roots: tuple[str, ...]
    overlap: Fraction | None
    checked: bool
    rejected: int = 0


def terms_of(task: Task, switches: TermSwitches) -> TermList:
    """The terms of a task: the best ``terms_most`` of its context, or those that the file ``terms_from`` lists for it.

    A task without context has none. Raises ContextError where a source cannot be read, where a term can only be known
    from the grader (section 3.3 of the reference on biasing), and where a file lists more than ``terms_most`` terms and
    the spec does not say ``terms_over=truncate``.
    """
    context = task.context
    stated = bool(context.files or context.workspace is not None or context.screenshots)
    if switches.terms_from:
        path = Path(switches.terms_from).expanduser()
        listed = read_list(path, task)
        found = [term for term in listed if not looks_secret(term)]
        roots: tuple[str, ...] = (path.name,)
        rejected, checked = len(listed) - len(found), stated
        if stated:
            refuse_oracle_terms(task, found, _visible_words(task), path.name)
        if len(found) > switches.terms_most and switches.terms_over != "truncate":
            raise ContextError(
                f"task {task.id!r}: {path.name} lists {len(found)} terms, terms_most is {switches.terms_most};"
                " raise it, or send what fits with terms_over=truncate"
            )
    else:
        vocabulary = _look(task)
        refuse_grader_terms(task, vocabulary.places)
        found, roots = vocabulary.ranked(), _roots(task)
        rejected, checked = vocabulary.rejected, True
    terms = found[: switches.terms_most]
    decoys = make_decoys(task, terms, switches.terms_decoys)
    return TermList(
        terms=tuple(interleaved(terms, decoys)),
        decoys=decoys,
        roots=roots,
        overlap=overlap(task, terms),
        checked=checked,
        rejected=rejected,
    )


def remarks_on(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """One line for each condition that had no terms for some of its tasks; its bias or repair did nothing there.

    ``counts`` has, for each condition that biases or repairs, the number of terms of each of its tasks.
    """
    remarks = []
    for condition, terms in counts.items():
        bare = sorted(task for task, count in terms.items() if not count)
        if bare:
            named = ", ".join(bare[:_MOST_NAMED]) + (
                f" and {len(bare) - _MOST_NAMED} more" if bare[_MOST_NAMED:] else ""
            )
            share = (
                "any of its tasks" if len(bare) == len(terms) else f"{len(bare)} of its {len(terms)} tasks ({named})"
            )
            remarks.append(
                f"{condition}: no terms for {share}, so bias and repair changed nothing there; say under `context` what"
                " the agent can see, or name a list with terms_from"
            )
    return remarks


def _roots(task: Task) -> tuple[str, ...]:
    context = task.context
    files = (FILES,) if context.files else ()
    workspace = () if context.workspace is None else (context.workspace,)
    return (*files, *workspace, *context.screenshots)


def _seen_files(task: Task) -> list[SeenFile]:
    workspace = task.context.workspace
    return [] if workspace is None else list(crawl(task.resolve(workspace)))


def _look(task: Task) -> Vocabulary:
    """All names of the context, with their places."""
    vocabulary, context = Vocabulary(), task.context
    for path in context.files:
        vocabulary.add_path(path, Place(FILES, path))
    code: list[tuple[Place, Identifiers]] = []
    for file in _seen_files(task):
        place = Place(context.workspace or "", file.path)
        vocabulary.add_path(file.path, place)
        suffix = PurePosixPath(file.path).suffix.lower()
        if file.text is None:
            continue
        if suffix in CODE:
            code.append((place, identifiers(file.text, suffix)))
        elif suffix in CONFIGURATION:
            for name in keys(file.text, suffix):
                vocabulary.add(name, place)
        elif suffix in DOCUMENTS:
            for line in headings(file.text, suffix):
                vocabulary.add_line(line, place)
    # A name that no file of the workspace defines belongs to a library.
    own = {name for _, names in code for name in names.defined}
    for place, names in code:
        for name in sorted(names.used & own):
            vocabulary.add(name, place)
    for screenshot in context.screenshots:
        for line in lines_of(task.resolve(screenshot)):
            vocabulary.add_line(line, Place(screenshot, screenshot))
    return vocabulary


def _visible_words(task: Task) -> str:
    """The words of all that the agent can see, the texts of files too but none of the grader's, joined by blanks."""
    texts, is_graders = list(task.context.files), grader_files(task)
    for file in _seen_files(task):
        if not is_graders(file.path):
            texts += [file.path, file.text or ""]
    for screenshot in task.context.screenshots:
        texts += lines_of(task.resolve(screenshot))
    return " ".join(" ".join(words_of(text)) for text in texts)


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

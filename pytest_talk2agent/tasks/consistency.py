"""What the schema cannot say about one task: names, references, and files that must be there."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_talk2agent.tasks.errors import shown, suggestion
from pytest_talk2agent.tasks.files import is_below, is_inside, reachable, read_utf8
from pytest_talk2agent.tasks.task import NAME, Task

Fault = tuple[tuple[str | int, ...], str]
"""Where in the document (keys and positions), and what is wrong with what stands there."""


def find_faults(task: Task) -> Iterator[Fault]:
    """Yield every fault of a task that has passed the schema."""
    yield from _names(task)
    yield from _intentions(task)
    yield from _groups(task)
    yield from _takes(task)
    yield from _context(task)
    yield from _execution(task)


def find_strays(task: Task, context: Sequence[Path], recordings: Sequence[Path]) -> Iterator[Fault]:
    """Yield every place of a task that leads, links followed, out of the folders that it may be read from.

    A task file can come from anybody, and what it names is sent to recognisers and models.
    """
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("context", "screenshots", index), path) for index, path in enumerate(task.context.screenshots)
    ]
    if task.context.workspace is not None:
        named.insert(0, (("context", "workspace"), task.context.workspace))
    for place, path in named:
        if not is_inside(task.resolve(path), context):
            yield (
                place,
                f"{shown(path)} leads out of the task file's folder; name a folder around it in the ini key t2a_roots",
            )
    folders = [os.path.realpath(folder) for folder in recordings]
    for index, recording in enumerate(task.recordings):
        # What is no file is never read, and an error of its own item.
        if reachable(recording.audio) and recording.audio.is_file() and not is_below(recording.audio, folders):
            yield ("recordings", index, "audio"), f"{shown(recording.audio)} {OUTSIDE}"


OUTSIDE = "lies outside of the project; name its folder in the ini key t2a_audio"
"""What is said of a recording that may not be read."""


def _names(task: Task) -> Iterator[Fault]:
    if not task.intentions:
        yield ("intentions",), "there is no intention; declare at least one"
    declared: dict[str, str] = {}
    for part, names in (
        ("intentions", task.intentions),
        ("fixed", task.fixed),
        ("let", task.let),
        ("groups", task.groups),
    ):
        for name in names:
            if not NAME.fullmatch(name):
                yield (
                    (part, name),
                    f"{shown(name)} cannot be used in an expression; use letters, digits and _, no digit first",
                )
            elif name in declared:
                yield (
                    (part, name),
                    f"{shown(name)} is already declared under `{declared[name]}`; give one of them another name",
                )
            declared.setdefault(name, part)


def _intentions(task: Task) -> Iterator[Fault]:
    for name, intention in task.intentions.items():
        place = ("intentions", name)
        if not intention.say:
            yield (*place, "say"), "the list is empty; write what must come across"
        lists = {"say": intention.say, "also": intention.also, "options": intention.options}
        for key, texts in {**lists, "contrary": intention.contrary}.items():
            for index, text in enumerate(texts):
                if not text.strip():
                    yield (*place, key, index), f"an empty text in `{key}`; write it or delete it"
        for index, group in enumerate(intention.keywords):
            if not group or not all(word.strip() for word in group):
                yield (*place, "keywords", index), "an empty keyword or group of keywords; write it or delete it"
        if not 0 <= intention.unsatisfied < 1:
            yield (
                (*place, "unsatisfied"),
                "a lost intention is worth at least 0 and less than 1 (it is worth 1 when retained)",
            )
        if intention.kind == "choice":
            yield from _choice(name, task)


def _choice(name: str, task: Task) -> Iterator[Fault]:
    intention = task.intentions[name]
    place = ("intentions", name)
    if not intention.options:
        yield place, f"{shown(name)} is a choice without `options`; list all options there are"
        return
    options = {option.casefold() for option in intention.options}
    if options.isdisjoint(text.casefold() for text in intention.also):
        for index, text in enumerate(intention.say):
            if text.casefold() not in options:
                yield (
                    (*place, "say", index),
                    f"{shown(text)} is not among the `options`; add it there, or an option to `also`",
                )


def _groups(task: Task) -> Iterator[Fault]:
    for name, group in task.groups.items():
        if not group.needs:
            yield ("groups", name, "needs"), "the list is empty; name the intentions the criteria hang on"
        for index, needed in enumerate(group.needs):
            if needed not in task.intentions:
                yield (
                    ("groups", name, "needs", index),
                    f"{shown(needed)} is no intention; {suggestion(needed, task.intentions)}",
                )


def _takes(task: Task) -> Iterator[Fault]:
    counts = Counter(recording.take for recording in task.recordings if recording.take)
    seen: set[str] = set()
    for index, recording in enumerate(task.recordings):
        if recording.take and counts[recording.take] > 1 and recording.take in seen:
            yield (
                ("recordings", index, "take"),
                f"take {shown(recording.take)} is here a second time; give each its own name",
            )
        seen.add(recording.take or "")


def _context(task: Task) -> Iterator[Fault]:
    workspace = task.context.workspace
    if workspace is not None:
        folder = task.resolve(workspace)
        if not (reachable(folder) and folder.is_dir()):
            yield ("context", "workspace"), f"{shown(workspace)} is no folder; paths are relative to the task file"
    for index, screenshot in enumerate(task.context.screenshots):
        image = task.resolve(screenshot)
        if not (reachable(image) and image.is_file()):
            message = f"{shown(screenshot)} is no file; paths are relative to the task file"
            yield ("context", "screenshots", index), message


def _execution(task: Task) -> Iterator[Fault]:
    if task.execution is None:
        return
    criteria = [*task.intentions, *task.fixed]
    strays = [name for name in task.execution.checks if name not in criteria]
    for name in strays:
        message = f"{shown(name)} is no intention and no fixed criterion; {suggestion(name, criteria)}"
        yield ("execution", "checks", name), message
    missing = [name for name in criteria if name not in task.execution.checks]
    if missing and not strays:  # most likely a name is misspelt
        yield ("execution", "checks"), f"{', '.join(map(shown, missing))}: no check; write one for every criterion"
    for name, check in task.execution.checks.items():
        for part in check.walk():
            if part.python is not None and (fault := _function_fault(task, part.python)):
                yield ("execution", "checks", name), fault


def _function_fault(task: Task, named: str) -> str | None:
    file, _, function = named.partition(":")
    path = task.resolve(file)
    if not (reachable(path) and path.is_file()):
        return f"{shown(file)} is no file; paths are relative to the task file"
    if not is_inside(path, [task.path.parent]):
        return f"{shown(file)} leads out of the task file's folder; put it beside the task file"
    try:
        body = ast.parse(read_utf8(path)).body
    except SyntaxError as error:
        return f"{shown(file)} is no Python, line {error.lineno}: {error.msg}"
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in body):
        return f"{shown(file)} defines no function {shown(function)}"
    return None

"""Lint: valid content of a task file that is likely to be a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_talk2agent.grading.grader_source import GraderError
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.speech.languages import ENGLISH, base, known, knows, spoken_in
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.errors import TaskFileError, shown
from pytest_talk2agent.tasks.files import reachable
from pytest_talk2agent.tasks.task import Task

Level = Literal["error", "warning", "hint"]
Control = Callable[[Task, str], Mapping[str, str]]
"""A judge: the label of every intention of a task (``retained``, or what else it is) in a transcript."""

Holes = Callable[[Task], Sequence[str]]
"""The pieces of a task's instruction that no intention covers."""

Unsettled = Callable[[Task], Mapping[str, str]]
"""Intentions that no perfect reading of a task settles, with how it was read and why it was not retained."""

MOST_HOLES = 6

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Kinds that speech has words of its own for, in every language others.
_SAID_IN_ENGLISH = frozenset(
    (
        "path", "filename", "flag", "url", "email", "identifier", "code", "number", "quantity", "money", "percent",
        "duration", "version", "date", "time",
    )
)  # fmt: skip
_ONLY_FOR = {"options": "choice", "style": "identifier", "keywords": "gist", "contrary": "gist"}


@dataclass(frozen=True)
class Finding:
    """One remark on a task file; an error makes the task unfit for a gate, a hint may well be meant so.

    Line and column count from 1.
    """

    level: Level
    path: Path
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.level}: {self.message}"


def lint(
    tasks: Iterable[Task],
    judge: Control | None = None,
    holes: Holes | None = None,
    unsettled: Unsettled | None = None,
) -> list[Finding]:
    """Check loaded tasks, in their order.

    Errors: an id that another task has too, an expression that is no valid grader or cannot be computed exactly, a
    recording that is missing or not the declared one, and, with ``judge``, an intention that is not retained when the
    script or the instruction itself is the transcript. Warnings: nothing to lose (g(I) = 0), a score that falls when
    more is understood, an intention that cannot change the score, names and fields without effect, a gist without
    keywords, what the lexical judge does not know in the task's language, with ``unsettled`` a value that is not
    retained however well it is read aloud, unless the intention has a note. Hints, with ``holes``: what of the
    instruction no intention covers and the task does not declare as ``unscored``, one a task.
    """
    findings = []
    first: dict[str, Task] = {}
    for task in tasks:
        other = first.setdefault(task.id, task)
        if other is not task:
            message = f"the id `{task.id}` is that of {other.path}:{other.line} too; change one of them"
            findings.append(Finding("error", task.path, *task.place("id"), message))
        for check in (_grader, _names, _fields, _recordings, _language):
            findings.extend(check(task))
        if not task.is_bound:
            continue
        controls = [] if judge is None else list(_controls(task, judge))
        findings.extend(controls)
        if unsettled is not None and not controls:
            findings.extend(_unsettled(task, unsettled))
        if holes is not None and not controls:  # an intention that is not found covers nothing
            findings.extend(_holes(task, holes))
    return findings


def _finding(level: Level, task: Task, key: str, message: str) -> Finding:
    return Finding(level, task.path, *task.place(key), f"{task.id}: {message}")


def _grader(task: Task) -> Iterator[Finding]:
    try:
        grader = task.grader()
        shares = grader.shapley()
    except TaskFileError as error:
        for problem in error.problems:
            yield Finding("error", problem.path, problem.line, problem.column, f"{task.id}: {problem.message}")
        return
    except GraderError as error:
        problem = task.problem(error)
        yield Finding("error", problem.path, problem.line, problem.column, f"{task.id}: {problem.message}")
        return
    for name in grader.powerless:
        yield _finding("warning", task, f"intentions.{name}", f"`{name}` cannot change the score; use it in the value")
    if grader.status == "not_addressable":
        yield _finding("warning", task, "value", "retaining everything gains nothing, g(I) = 0; the task has no score")
    if task.polarity == "reversal":
        return
    if grader.status == "inverted":
        message = "the score falls when everything is understood; should the polarity be `reversal`?"
        yield _finding("warning", task, "value", message)
        return
    for name, share in shares.items():
        if share < 0:
            message = f"the score falls when `{name}` is retained; should the polarity be `reversal`?"
            yield _finding("warning", task, f"intentions.{name}", message)


def _names(task: Task) -> Iterator[Finding]:
    used = set(_WORD.findall(" ".join([task.value, *task.let.values()])))
    for part, names in (("fixed", task.fixed), ("let", task.let), ("groups", task.groups)):
        for name in names:
            if name not in used:
                yield _finding(
                    "warning", task, f"{part}.{name}", f"`{name}` is not used; use it in the value or delete it"
                )


def _fields(task: Task) -> Iterator[Finding]:
    for name, intention in task.intentions.items():
        for key, kind in _ONLY_FOR.items():
            if key in intention.model_fields_set and intention.kind != kind:
                message = f"`{key}` has an effect for kind `{kind}` only, and `{name}` is of kind `{intention.kind}`"
                yield _finding("warning", task, f"intentions.{name}", message)
        if intention.kind == "gist" and not intention.keywords:
            message = f"the gist `{name}` has no keywords; without them the lexical judge can settle little"
            yield _finding("warning", task, f"intentions.{name}", message)


def _recordings(task: Task) -> Iterator[Finding]:
    for recording in task.recordings:
        if not (reachable(recording.audio) and recording.audio.is_file()):
            yield _finding(
                "error", task, "recordings", f"{recording.audio} is missing; record it, restore it or correct its path"
            )
        elif recording.sha256:
            found = file_sha256(recording.audio)
            if found != recording.sha256:
                message = (
                    f"{recording.audio} has the SHA-256 {found}, not {recording.sha256}; restore it or declare it anew"
                )
                yield _finding("error", task, "recordings", message)


def _language(task: Task) -> Iterator[Finding]:
    kinds = {intention.kind for intention in task.intentions.values()}
    language = base(task.language)
    found = spoken_in(task.language, tokenise(task.spoken))
    if found != language:
        message = f"the words look like {found!r}; write `language: {found}`"
        yield _finding("warning", task, "script" if task.script else "instruction", message)
    elif not knows(language) and kinds & {"gist", "choice"}:
        message = (
            f"the lexical judge does not know negation in the language {language!r} (it does in {', '.join(known())}):"
            " a gist or choice that is not heard word for word is unresolved"
        )
        yield _finding("warning", task, "language", message)
    is_spoken = task.script is not None or bool(task.recordings)
    if found != ENGLISH and is_spoken and (said := sorted(kinds & _SAID_IN_ENGLISH)):
        message = (
            "number words, names of symbols and spelling alphabets are known in English alone:"
            f" {', '.join(said)} are read where they are printed"
        )
        yield _finding("warning", task, "language", message)


def _controls(task: Task, judge: Control) -> Iterator[Finding]:
    for words, transcript in {"instruction": task.instruction, "script": task.script}.items():
        if transcript is None:
            continue
        for name, label in judge(task, transcript).items():
            if label != "retained":
                message = f"`{name}` is {label} with the {words} itself as the transcript"
                yield _finding("error", task, f"intentions.{name}", f"{message}; mend `say`, `also` or the {words}")


def _unsettled(task: Task, unsettled: Unsettled) -> Iterator[Finding]:
    for name, why in unsettled(task).items():
        if not task.intentions[name].note:
            style = "`style: any`, " if task.intentions[name].kind == "identifier" else ""
            message = f"no perfect reading settles `{name}`: {why}; write {style}a script that says it, or a `note`"
            yield _finding("warning", task, f"intentions.{name}", message)


def _holes(task: Task, holes: Holes) -> Iterator[Finding]:
    once: dict[str, str] = {}
    for piece in holes(task):
        once.setdefault(piece.casefold(), piece)
    declared = {piece.casefold(): piece for piece in task.unscored}
    if stale := [piece for key, piece in declared.items() if key not in once]:
        message = f"{', '.join(map(shown, stale))} is no piece that an intention fails to cover; delete it"
        yield _finding("warning", task, "unscored", message)
    if found := [piece for key, piece in once.items() if key not in declared]:
        more = f" and {len(found) - MOST_HOLES} more" if len(found) > MOST_HOLES else ""
        pieces = ", ".join(map(shown, found[:MOST_HOLES]))
        message = (
            f"no intention covers {pieces}{more}; no score tells when that is misheard, so add one where it matters,"
            " or declare it as `unscored`"
        )
        yield _finding("hint", task, "instruction", message)

"""How a task is run for real, as a task file declares it: the workspace, the checks, the reference solution.

Data only. What it means is in `pytest_talk2agent.execution`, which nothing that scores a transcript may import.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, field_validator, model_validator

from pytest_talk2agent.tasks.errors import shown
from pytest_talk2agent.tasks.intention import Strings
from pytest_talk2agent.tasks.repository import Repository

HOME = "/home/agent"
"""The agent's home, and the folder that it begins in."""

_OURS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "proc", "dev", "sys", "run", "boot", "talk2agent")
_TEMPORARY = ("tmp", "root")
_SHARED = ("etc", "var")
"""Folders that are shared with the system, so that a workspace has single folders in them."""


def absolute(path: str) -> PurePosixPath:
    """A path of a task file as it is inside: ``~/a`` and ``a`` lie in the home, ``/srv/a`` is what it says.

    Raises:
        ValueError: for a path that leaves the workspace, or names what belongs to the system.
    """
    if not path.strip() or "\0" in path:
        raise ValueError("a path of the workspace is empty; write one such as ~/Documents/a.txt")
    if path.startswith("~") and path != "~" and not path.startswith("~/"):
        raise ValueError(f"{shown(path)} is the home of somebody else; there is only ~/")
    plain = PurePosixPath(HOME) / (path[1:].lstrip("/") if path.startswith("~") else path)
    if ".." in plain.parts:
        raise ValueError(f"{shown(path)} leads out of its folder; write it without ..")
    top(plain)
    return plain


def top(path: PurePosixPath) -> PurePosixPath:
    """The folder of the workspace that holds an absolute path: the home, ``/srv``, ``/var/log``.

    Raises:
        ValueError: where that belongs to the system.
    """
    if path.is_relative_to(HOME):
        return PurePosixPath(HOME)
    parts = path.parts[1:]
    if not parts or parts[0] in _OURS:
        raise ValueError(f"{shown(path)} belongs to the system; a workspace has the home (~/) and folders such as /srv")
    if parts[0] in _TEMPORARY:
        raise ValueError(f"{shown(path)} is scratch space that no check can see; write ~/ or a folder such as /srv")
    if parts[0] == "home":
        raise ValueError(f"{shown(path)} is not the agent's home; write ~/")
    if parts[0] in _SHARED and len(parts) < 2:
        raise ValueError(f"{shown(path)} is shared with the system; name a folder in it, such as {path}/log")
    return PurePosixPath("/", *parts[: 2 if parts[0] in _SHARED else 1])


MOST_SECONDS = 3600
MOST_BYTES = 1 << 40
DEEPEST = 5

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(B|kB|MB|GB|KiB|MiB|GiB)?")
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_AGE = re.compile(r"(\d+(?:\.\d+)?) ?(second|minute|hour|day)s?")
_AGES = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_FUNCTION = re.compile(r"[\w./-]+\.py:[A-Za-z_]\w*")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _size(text: str) -> int:
    found = _SIZE.fullmatch(str(text).strip())
    size = int(float(found[1]) * _SIZES[found[2] or "B"]) if found else -1
    if not 0 <= size <= MOST_BYTES:
        raise ValueError(f"{shown(text)} is no size; write one such as 300 MB")
    return size


def _age(text: str) -> float:
    found = _AGE.fullmatch(str(text).strip())
    if found is None:
        raise ValueError(f"{shown(text)} is no age; write one such as 20 days")
    return float(found[1]) * _AGES[found[2]]


class File(_Record):
    """A file of the workspace, or an empty folder where its path ends with a slash.

    ``text``, to which a line end is added, or ``base64`` is its content; ``size`` makes it that large with a hole at
    its end, which takes no space; ``age`` is how long ago it was written. One that begins with ``#!`` is a program.
    """

    text: str | None = None
    base64: str | None = None
    size: str | None = None
    age: str | None = None

    @model_validator(mode="after")
    def _check(self) -> File:
        if self.text is not None and self.base64 is not None:
            raise ValueError("a file has `text` or `base64`, not both")
        try:
            content = self.content
        except binascii.Error:
            raise ValueError("`base64` is not in base64; encode the content anew") from None
        if self.size is not None and self.length < len(content):
            raise ValueError(f"the content is longer than `size: {self.size}`")
        self.seconds  # noqa: B018 - raises for what is no age
        return self

    @property
    def content(self) -> bytes:
        """What the file begins with."""
        if self.base64 is not None:
            return base64.b64decode("".join(self.base64.split()), validate=True)
        return f"{self.text}\n".encode() if self.text else b""

    @property
    def length(self) -> int:
        """How long the file is."""
        return len(self.content) if self.size is None else _size(self.size)

    @property
    def seconds(self) -> float:
        """How old the file is."""
        return 0.0 if self.age is None else _age(self.age)


def _file(value: object) -> object:
    """Let an author write the text where a file is meant."""
    return {"text": value} if isinstance(value, str) else value


@dataclass(frozen=True)
class Form:
    """What may stand beside the word that says what is checked, and what of it must."""

    may: frozenset[str]
    one_of: frozenset[str] = frozenset()


_TEXTUAL = frozenset(("equals", "matches", "contains"))
FORMS: dict[str, Form] = {
    "exists": Form(frozenset()),
    "absent": Form(frozenset()),
    "text": Form(_TEXTUAL, _TEXTUAL),
    "json": Form(frozenset(("at", "equals", "matches", "contains")), _TEXTUAL),
    "csv": Form(frozenset(("rows", "column", "values")), frozenset(("rows", "column"))),
    "command": Form(_TEXTUAL | {"status"}),
    "python": Form(frozenset()),
    "git": Form(
        frozenset(("branch", "ref", "same_as", "message", "file", "equals", "matches", "contains")),
        frozenset(("branch", "same_as", "message", "file")),
    ),
    "all": Form(frozenset()),
    "any": Form(frozenset()),
    "not": Form(frozenset()),
}
"""The kinds of checks, by the word that each has."""

_PATHS = ("exists", "absent", "text", "json_", "csv", "git")


def _checks(value: object) -> object:
    """Let an author write a list of checks where all must hold."""
    return {"all": value} if isinstance(value, list) else value


class Check(_Record):
    """Whether one criterion is satisfied in the workspace that an agent leaves. Exactly one word says what is checked.

    Attributes:
        exists: a path that is there; ``*`` and ``?`` stand for characters of a name, and one match will do.
        absent: a path that is not there, or has no match.
        text: a text file that ``equals`` (white space at the end apart), ``matches`` (a regular expression, somewhere)
            or ``contains`` what is given.
        json_: a JSON file; ``at`` is the place in it, as in ``rates.0.name``.
        csv: a CSV file with a head, how many ``rows`` it has below that, the ``values`` of a ``column``.
        command: a shell command of the grader, its exit ``status`` (0) and what it prints.
        python: ``FILE.py:FUNCTION`` beside the task file, called in the grader's sandbox with the home; true is held.
        git: a repository; the ``branch`` that is checked out, what ``ref`` (HEAD) is ``same_as``, has as ``message``
            of its commit, or as content of ``file``.
        all_: checks that must all hold.
        any_: checks of which one must hold.
        not_: a check that must not hold.
    """

    exists: str | None = None
    absent: str | None = None
    text: str | None = None
    json_: str | None = Field(default=None, alias="json")
    csv: str | None = None
    command: str | None = None
    python: str | None = None
    git: str | None = None
    all_: tuple[AnyCheck, ...] | None = Field(default=None, alias="all")
    any_: tuple[AnyCheck, ...] | None = Field(default=None, alias="any")
    not_: AnyCheck | None = Field(default=None, alias="not")

    equals: JsonValue = None
    matches: str | None = None
    contains: Strings = ()
    at: str | None = None
    rows: int | None = Field(default=None, ge=0)
    column: str | None = None
    values: Strings | None = None
    status: int | None = Field(default=None, ge=0, le=255)
    branch: str | None = None
    ref: str | None = None
    same_as: str | None = None
    message: str | None = None
    file: str | None = None

    @field_validator("matches", "message")
    @classmethod
    def _check_pattern(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"{shown(value)} is no regular expression: {error}") from None
        return value

    @field_validator(*_PATHS)
    @classmethod
    def _check_path(cls, value: str | None) -> str | None:
        if value is not None:
            absolute(value)
        return value

    @field_validator("python")
    @classmethod
    def _check_function(cls, value: str | None) -> str | None:
        if value is not None and not _FUNCTION.fullmatch(value):
            raise ValueError(f"{shown(value)} names no function; write FILE.py:FUNCTION")
        return value

    @model_validator(mode="after")
    def _check_form(self) -> Check:
        given = self._given
        words = [word for word in FORMS if word in given]
        if len(words) != 1:
            known = ", ".join(FORMS)
            raise ValueError(
                f"a check has one of {known}"
                + (f"; this one has {', '.join(words)}" if words else "; this one has none")
            )
        (word,) = words
        form = FORMS[word]
        if odd := sorted(given - {word} - form.may):
            raise ValueError(f"`{odd[0]}` says nothing about `{word}`; delete it")
        if form.one_of and not given & form.one_of:
            raise ValueError(f"`{word}` needs one of {', '.join(sorted(form.one_of))}")
        if ("column" in given) != ("values" in given):
            raise ValueError("`column` and `values` stand together")
        if "file" in given and not given & _TEXTUAL:
            raise ValueError(f"`file` needs one of {', '.join(sorted(_TEXTUAL))}")
        if word == "git" and given & _TEXTUAL and "file" not in given:
            raise ValueError("`equals`, `matches` and `contains` are about a `file` of the repository; name it")
        if word in ("all", "any") and not (self.all_ or self.any_):
            raise ValueError(f"`{word}` is empty; write at least one check")
        return self

    @property
    def word(self) -> str:
        """What is checked."""
        return next(word for word in FORMS if word in self._given)

    @property
    def _given(self) -> set[str]:
        fields = type(self).model_fields
        return {fields[name].alias or name for name in self.model_fields_set}

    @property
    def parts(self) -> tuple[Check, ...]:
        """The checks that this one is made of."""
        return (self.all_ or ()) + (self.any_ or ()) + ((self.not_,) if self.not_ else ())

    def walk(self) -> Iterator[Check]:
        """The check and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def to_json(self) -> dict[str, Any]:
        """What the task file says, as plain values."""
        return self.model_dump(by_alias=True, exclude_unset=True)


AnyCheck = Annotated[Check, BeforeValidator(_checks)]
Check.model_rebuild()


class Execution(_Record):
    """How a task is run.

    Attributes:
        files: the workspace before the agent: path to text or to a `File`.
        git: path of a folder to the repository that it is.
        setup: shell commands that are run in it once, before the agent.
        time_limit: seconds that the agent has.
        checks: one check for every intention and every fixed criterion.
        solution: shell commands that solve the task.
    """

    files: dict[str, Annotated[File, BeforeValidator(_file)]] = {}
    git: dict[str, Repository] = {}
    setup: Strings = ()
    time_limit: float = Field(default=60.0, gt=0, le=MOST_SECONDS)
    checks: dict[str, AnyCheck]
    solution: Strings

    @field_validator("files")
    @classmethod
    def _check_files(cls, value: dict[str, File]) -> dict[str, File]:
        places = {absolute(path): path for path in value}
        if len(places) < len(value):
            raise ValueError("two of these paths are one place; keep one of them")
        for path, file in value.items():
            if path.endswith("/") and (file.content or file.size is not None):
                raise ValueError(f"{shown(path)} ends with a slash, so it is a folder and has no content; write {{}}")
            around = next((places[place] for place in absolute(path).parents if place in places), "/")
            if not around.endswith("/"):
                raise ValueError(f"{shown(around)} is a file, so {shown(path)} cannot lie in it")
        return value

    @field_validator("git")
    @classmethod
    def _check_git(cls, value: dict[str, Repository]) -> dict[str, Repository]:
        for path, repository in value.items():
            absolute(path)
            if repository.origin is not None:
                absolute(repository.origin)
        return value

    @field_validator("solution")
    @classmethod
    def _check_solution(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not any(command.strip() for command in value):
            raise ValueError("the solution is empty; write the shell commands that solve the task")
        return value

    def paths(self) -> Iterator[str]:
        """Every path of the workspace that is named: those of files and repositories, then those of checks."""
        yield from self.files
        for path, repository in self.git.items():
            yield from (path, *([] if repository.origin is None else [repository.origin]))
        for check in self.checks.values():
            for part in check.walk():
                given = (part.exists, part.absent, part.text, part.json_, part.csv, part.git)
                yield from (path for path in given if path is not None)

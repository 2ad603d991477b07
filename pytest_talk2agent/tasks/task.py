"""A task: one instruction with its grader, as a task file declares it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PrivateAttr, field_validator

from pytest_talk2agent.grading.grader import Grader, GraderSource, Group, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
from pytest_talk2agent.tasks.document import Node, Text
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown
from pytest_talk2agent.tasks.exact import Exact
from pytest_talk2agent.tasks.executable import Execution
from pytest_talk2agent.tasks.files import find
from pytest_talk2agent.tasks.intention import Intention, Strings
from pytest_talk2agent.tasks.recording import Recording, name_takes

PLACE = ("suite", "path", "line")
"""The fields of a task that say where it was loaded from; all others are keys of the file."""

MOST_IN_GROUP = 10_000

NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
"""A name that an expression can use."""

_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")

_NAMES: dict[str, JsonValue] = {"propertyNames": {"pattern": NAME.pattern}}
_SHARE: dict[str, JsonValue] = {"minimum": 0, "maximum": 1}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class FixedCriterion(_Record):
    """A criterion that the grader checks but no interface can lose; it holds unless the file says otherwise."""

    note: str = ""
    holds: bool = True


class GroupSpec(_Record):
    """``count`` criteria NAME[1..count], each satisfied when every intention in ``needs`` is retained."""

    count: int = Field(ge=1, le=MOST_IN_GROUP)
    needs: Strings


class Thresholds(_Record):
    """The least Native and Shapley retention that passes; None leaves it to the suite, the option or the ini file."""

    native: Exact | None = Field(default=None, json_schema_extra=_SHARE)
    shapley: Exact | None = Field(default=None, json_schema_extra=_SHARE)

    @field_validator("native", "shapley")
    @classmethod
    def _check_share(cls, value: Fraction | None) -> Fraction | None:
        if value is not None and not 0 <= value <= 1:
            raise ValueError(f"a threshold of {float(value):g} is outside 0 to 1; write a share such as 0.9")
        return value

    def given(self) -> dict[str, Fraction]:
        """Those that are set, by metric."""
        return {
            name: limit for name, limit in (("native", self.native), ("shapley", self.shapley)) if limit is not None
        }


class Context(_Record):
    """What the agent can see: names of files, a folder, screenshots. Paths are relative to the task file."""

    files: Strings = ()
    workspace: str | None = None
    screenshots: Strings = ()


class Source(BaseModel):
    """Where a task comes from. Free-form: any key may be added, and every text is kept as it was written.

    A task of another benchmark names what it was compiled from: ``task``, its id there, and the SHA-256 of its prompt
    and of its grader. ``status`` says whether a person has read the intentions; ``world`` names what proves its value
    (`pytest_talk2agent.execution.world`) where that is not named like the task.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    benchmark: str | None = None
    licence: str | None = None
    revision: str | None = None
    task: str | None = None
    prompt_sha256: str | None = None
    grader_sha256: str | None = None
    status: Literal["proposed", "reviewed"] | None = None
    world: str | None = None


class SuiteHeader(_Record):
    """The optional first document of a file: a name for its tasks, and defaults that a task may override."""

    name: str | None = None
    tags: Strings = ()
    thresholds: Thresholds | None = None
    source: Source | None = None


class Task(_Record):
    """One task of a task file (section 4 of the Talk2Agent paper: instruction, grader, intentions I and fixed F).

    ``suite``, ``path`` and ``line`` say where it was loaded from; ``line`` is that of its id, counted from 1.
    ``instruction`` is empty where the file has none because it is read from a checkout of the benchmark that
    ``source`` names, and no checkout was given (`is_bound`).
    """

    id: str = Field(json_schema_extra={"pattern": _ID.pattern})
    tags: Strings = ()
    instruction: str = ""
    script: str | None = None
    recordings: tuple[Recording, ...] = ()
    intentions: dict[str, Intention] = Field(json_schema_extra={"minProperties": 1, **_NAMES})
    fixed: dict[str, FixedCriterion] = Field(default={}, json_schema_extra=_NAMES)
    let: dict[str, str] = Field(default={}, json_schema_extra=_NAMES)
    groups: dict[str, GroupSpec] = Field(default={}, json_schema_extra=_NAMES)
    value: str
    range: tuple[Exact, Exact] = (Fraction(0), Fraction(1))
    polarity: Literal["normal", "reversal"] = "normal"
    language: str = Field(default="en", json_schema_extra={"pattern": _LANGUAGE.pattern})
    source: Source = Source()
    thresholds: Thresholds | None = None
    context: Context = Context()
    execution: Execution | None = None
    assumptions: Strings = ()
    unscored: Strings = ()

    suite: str
    path: Path
    line: int = 1

    _nodes: Mapping[str, Node] = PrivateAttr(default_factory=dict)

    @field_validator("id")
    @classmethod
    def _check_id(cls, value: str) -> str:
        if not _ID.fullmatch(value):
            raise ValueError(
                f"{shown(value)} is no task id; use letters, digits and . _ / - (no ::), a letter or digit first"
            )
        return value

    @field_validator("language")
    @classmethod
    def _check_language(cls, value: str) -> str:
        if not _LANGUAGE.fullmatch(value):
            raise ValueError(f"{shown(value)} is no language tag; write one such as en, de or pt-BR")
        return value

    @field_validator("instruction", "script", "value")
    @classmethod
    def _check_words(cls, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise ValueError("the text is empty; write it or delete the key")
        return value and value.strip()

    @field_validator("range")
    @classmethod
    def _check_range(cls, value: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        if value[0] >= value[1]:
            raise ValueError("the range must rise; write [LOWEST, HIGHEST], such as [0, 1]")
        return value

    @property
    def is_bound(self) -> bool:
        """Whether the task's words are at hand."""
        return bool(self.instruction)

    @property
    def spoken(self) -> str:
        """What a speaker reads aloud: the script, or the instruction where there is none."""
        return self.script or self.instruction

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Paths the agent can see: those listed, then the files of the workspace in sorted order, relative to it."""
        if self.context.workspace is None:
            return self.context.files
        workspace = self.resolve(self.context.workspace)
        found = sorted(path.relative_to(workspace).as_posix() for path in workspace.rglob("*") if path.is_file())
        return tuple(dict.fromkeys([*self.context.files, *found]))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 (hexadecimal) over all that can change a score; not tags, notes, thresholds, recordings or place."""
        content = self.model_dump(
            include={"instruction", "script", "let", "groups", "value", "range", "polarity", "context"}
        )
        content["intentions"] = {name: item.model_dump(exclude={"note"}) for name, item in self.intentions.items()}
        content["fixed"] = {name: item.holds for name, item in self.fixed.items()}
        content["files"] = self.files
        if self.language != "en":  # what was hashed before there was a language keeps its hash
            content["language"] = self.language
        text = json.dumps(content, sort_keys=True, ensure_ascii=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def replaced(self, **values: Any) -> Task:
        """The task with other values for some of its keys, at the same place in its file."""
        task = self.model_copy(update=values)
        for name in ("files", "content_hash", "grader_source", "_compiled"):
            task.__dict__.pop(name, None)
        return task

    def resolve(self, relative: str) -> Path:
        """A path that the task file names, as one that can be opened from anywhere."""
        return find(relative, [self.path.parent])

    def grader(self) -> Grader:
        """The task's exact game, compiled once.

        Raises TaskFileError, at the place in the file, where the expression is no valid grader.
        """
        return self._compiled

    @cached_property
    def grader_source(self) -> GraderSource:
        """What the file says about the grader, before anything is compiled."""
        return GraderSource(
            value=self.value,
            intentions={name: intention.unsatisfied for name, intention in self.intentions.items()},
            fixed={name: criterion.holds for name, criterion in self.fixed.items()},
            let=self.let,
            groups={name: Group(group.count, group.needs) for name, group in self.groups.items()},
            range=self.range,
        )

    @cached_property
    def _compiled(self) -> Grader:
        try:
            return compile_grader(self.grader_source)
        except GraderError as error:
            raise TaskFileError([self.problem(error)]) from error

    def problem(self, error: GraderError) -> Problem:
        """An error of the grader at its line and column in the file."""
        node = self._nodes.get(error.where)
        if isinstance(node, Text):
            text = self.let.get(error.where.removeprefix("let."), self.value)
            offset = sum(map(len, text.splitlines(keepends=True)[: error.line - 1])) + error.column - 1
            line, column = node.position(offset)
        else:
            line, column = self.place(error.where)
        return Problem(self.path, line, column, f"`{error.where}`: {error.message}")

    @contextmanager
    def locating_errors(self) -> Iterator[None]:
        """Raise what the grader raises as a TaskFileError, at its place in the file."""
        try:
            yield
        except GraderError as error:
            raise TaskFileError([self.problem(error)]) from error

    def remember(self, nodes: Mapping[str, Node]) -> None:
        """Keep where the parts of the task stand in its file, by dotted key, for errors that are found later."""
        self._nodes = nodes

    def place(self, key: str) -> tuple[int, int]:
        """Line and column of ``value``, ``let.NAME``, ``intentions.NAME`` and the like; else of the task."""
        node = self._nodes.get(key)
        return (node.line, node.column) if node else (self.line, 1)


def takes(task: Task) -> list[tuple[str, Recording]]:
    """The task's recordings, each with a take name that is unique in the task."""
    return name_takes(task.recordings)

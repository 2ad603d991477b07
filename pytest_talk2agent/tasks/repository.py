"""A git repository as the state that an agent begins with, as a task file describes it.

What makes it is `pytest_talk2agent.execution.workspace`.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pytest_talk2agent.tasks.errors import shown

_REF = r"^[A-Za-z0-9][\w./+-]*$"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Commit(_Record):
    """One commit of a repository.

    Attributes:
        message: what it says.
        files: path in the repository to the text that it has from now on; without any, all that is there is committed.
        tag: a name for it.
        pushed: whether the origin, where there is one, gets it with its tag.
    """

    message: str = Field(min_length=1)
    files: dict[str, str] = {}
    tag: str | None = Field(default=None, pattern=_REF)
    pushed: bool = True

    @field_validator("files")
    @classmethod
    def _check_files(cls, value: dict[str, str]) -> dict[str, str]:
        return _inside(value)


class Repository(_Record):
    """A git repository before the agent.

    Attributes:
        branch: the branch that is checked out.
        commits: the first one has the files that the workspace has there.
        staged: path in the repository to a text that is in the index and in no commit.
        origin: where the bare repository lies that it calls origin; None where it has none.
    """

    branch: str = Field(default="main", pattern=_REF)
    commits: tuple[Commit, ...] = Field(min_length=1)
    staged: dict[str, str] = {}
    origin: str | None = None

    @field_validator("staged")
    @classmethod
    def _check_staged(cls, value: dict[str, str]) -> dict[str, str]:
        return _inside(value)


def _inside(files: dict[str, str]) -> dict[str, str]:
    for path in files:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith(("/", "~")) or ".." in parts or ".git" in parts or path.endswith("/"):
            raise ValueError(f"{shown(path)} is no file of the repository; write a path in it")
    return files

"""The workspace of one trial: folders of the host that stand at their own absolute paths inside the sandbox.

It outlives single commands and is gone at the end. The host lays it out before any foreign code runs, and never reads
a file of it afterwards: what an agent left is looked at inside a sandbox only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from shlex import quote
from types import TracebackType

from pytest_talk2agent.execution.bubblewrap import Mount, SandboxError, readable
from pytest_talk2agent.execution.sandbox import Sandbox, Setting
from pytest_talk2agent.execution.scratch import ScratchFolder
from pytest_talk2agent.tasks.executable import HOME, Execution, File, absolute, top
from pytest_talk2agent.tasks.repository import Repository

_SCRATCH = "/tmp"
_PATH = f"{HOME}/bin:/usr/local/bin:/usr/bin:/bin"
_IDENTITY = {
    "HOME": HOME,
    "USER": "agent",
    "LOGNAME": "agent",
    # Commits need somebody, and the same files are to make the same commits.
    "GIT_AUTHOR_NAME": "Agent",
    "GIT_AUTHOR_EMAIL": "agent@localhost",
    "GIT_COMMITTER_NAME": "Agent",
    "GIT_COMMITTER_EMAIL": "agent@localhost",
    "GIT_CONFIG_NOSYSTEM": "1",
}
_WHEN = "2026-01-05T09:00:{:02d}+00:00"
"""The time of each commit of a repository, a second after the one before, so that its commits are always the same."""


class Workspace:
    """The folders of one trial; a context manager that deletes them.

    Args:
        execution: what the task says of it.
        extra: further files and folders of the host that the agent sees, read-only.

    Raises:
        SandboxError: where a place of the task is one of this interpreter, or bubblewrap cannot be had.
        OSError: where the files cannot be written.
    """

    def __init__(self, execution: Execution, extra: Iterable[Mount] = ()) -> None:
        self._tops = sorted({PurePosixPath(HOME), *(top(absolute(path)) for path in execution.paths())})
        self._extra = tuple(extra)
        for place in self._tops:
            for _, taken in readable():
                if place.is_relative_to(taken):
                    raise SandboxError(f"{place} is a folder of this Python ({taken}), so no task can use it")
        self._folder = ScratchFolder()
        self.root = self._folder.path
        try:
            for place in (*self._tops, PurePosixPath(_SCRATCH)):
                self.host(place).mkdir(parents=True)
            self._lay_out(execution.files)
        except BaseException:
            self.delete()
            raise

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.delete()

    def host(self, place: PurePosixPath) -> Path:
        """Where an absolute path of the inside lies on the host."""
        folder = top(place) if place != PurePosixPath(_SCRATCH) else place
        return self.root / str(folder).strip("/").replace("/", "+") / place.relative_to(folder)

    def sandbox(self) -> Sandbox:
        """One in which commands run that may write to the workspace."""
        mounts = [Mount(self.host(PurePosixPath(_SCRATCH)), _SCRATCH, writable=True), *self._mounts(writable=True)]
        return Sandbox(Setting(mounts=(*mounts, *self._extra), environment={**_IDENTITY, "PATH": _PATH}, cwd=HOME))

    def grader_sandbox(self) -> Sandbox:
        """One in which the workspace can be read and no more; scratch space is empty and its own."""
        environment = {**_IDENTITY, "GIT_OPTIONAL_LOCKS": "0", "PYTHONSAFEPATH": "1"}
        return Sandbox(Setting(mounts=self._mounts(writable=False), environment=environment, cwd=HOME))

    @property
    def tops(self) -> list[str]:
        """The folders that make up the workspace, as they are inside."""
        return [str(place) for place in self._tops]

    def delete(self) -> None:
        """Delete everything, links not followed."""
        self._folder.delete()

    def _mounts(self, *, writable: bool) -> list[Mount]:
        return [Mount(self.host(place), str(place), writable) for place in self._tops]

    def _lay_out(self, files: Mapping[str, File]) -> None:
        ages = {}
        for written, file in files.items():
            place = self.host(absolute(written))
            if written.endswith("/"):
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.content)
                os.truncate(place, file.length)
                if file.content.startswith(b"#!"):
                    place.chmod(0o755)
            if file.age is not None:
                ages[place] = file.seconds
        now = time.time()
        for place, seconds in ages.items():  # last of all: a file that is written makes its folder new
            os.utime(place, (now - seconds, now - seconds))


def commands_of(repositories: Mapping[str, Repository]) -> Iterator[str]:
    """One command that makes each git repository, after the files of the workspace are there."""
    for path, repository in repositories.items():
        yield " && ".join(_steps(str(absolute(path)), repository))


def _steps(folder: str, repository: Repository) -> Iterator[str]:
    branch = quote(repository.branch)
    yield f"mkdir -p {quote(folder)} && cd {quote(folder)} && git init -q -b {branch}"
    if repository.origin is not None:
        origin = quote(str(absolute(repository.origin)))
        yield f"git init -q --bare -b {branch} {origin} && git remote add origin {origin}"
    for number, commit in enumerate(repository.commits):
        yield from map(_written, commit.files.items())
        what = "." if not commit.files or not number else " ".join(map(quote, commit.files))
        when = _WHEN.format(number % 60)
        yield f"git add -- {what}"
        yield (
            f"GIT_AUTHOR_DATE={when} GIT_COMMITTER_DATE={when} git commit -q --allow-empty -m {quote(commit.message)}"
        )
        if commit.tag is not None:
            yield f"git tag {quote(commit.tag)}"
        if repository.origin is not None and commit.pushed:
            yield f"git push -q -u origin {branch}"
            if commit.tag is not None:
                yield f"git push -q origin {quote(commit.tag)}"
    yield from map(_written, repository.staged.items())
    if repository.staged:
        yield f"git add -- {' '.join(map(quote, repository.staged))}"


def _written(file: tuple[str, str]) -> str:
    path, text = file
    folder = path.rpartition("/")[0]
    made = f"mkdir -p {quote(folder)} && " if folder else ""
    return f"{made}printf '%s\\n' {quote(text)} > {quote(path)}"

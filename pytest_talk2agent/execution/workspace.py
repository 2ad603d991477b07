"""The workspace of one trial: folders of the host that stand at their own absolute paths inside the sandbox.

It outlives single commands and is gone at the end. The host lays it out before any foreign code runs, and never reads
a file of it afterwards: what an agent left is looked at inside a sandbox only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType

from pytest_talk2agent.execution.bubblewrap import Mount, SandboxError, readable
from pytest_talk2agent.execution.sandbox import Sandbox, Setting
from pytest_talk2agent.execution.scratch import ScratchFolder
from pytest_talk2agent.tasks.executable import HOME, Execution, File, absolute, top

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

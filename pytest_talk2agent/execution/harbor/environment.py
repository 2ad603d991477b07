"""An environment class of Harbor's without a container engine: every command runs in a bubblewrap sandbox.

The system is that of this machine, read-only. What a trial writes lies in folders of the host that nobody else sees,
and that are gone at its end. There is no network, whatever a task asks for; what a command leaves running ends with it.
What the agent left is read by the host only where no link is on the way.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from threading import Event
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult, SandboxBuildFailedError
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

from pytest_talk2agent.execution.harbor.dockerfile import Recipe, Step, read_recipe
from pytest_talk2agent.execution.harbor.engines import BUBBLEWRAP
from pytest_talk2agent.execution.sandbox import Limits, Mount, Sandbox, Setting
from pytest_talk2agent.execution.scratch import ScratchFolder
from pytest_talk2agent.tasks.executable import top

HOME = "/root"
_WORKDIR = "/app"
_PLACES = ("/logs", "/tests", "/solution", "/tmp", "/agent", HOME)
"""What Harbor and agents expect in every container, or bring into it."""
_FREE = ("tmp", "root", "home", "opt", "mnt", "media")
"""Folders at the root that a trial may have for its own."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
_MOST_SECONDS = 24 * 3600
_KILLED = 137
_MEMORY_MB, _STORAGE_MB = 2048, 10_240


class BubblewrapEnvironment(BaseEnvironment):  # type: ignore[misc]  # Harbor may not be installed where this is checked
    """What Harbor calls an environment, made of sandboxes."""

    @staticmethod
    def type() -> str:
        """Its name."""
        return BUBBLEWRAP

    @property
    def capabilities(self) -> Any:
        """There is never a network."""
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> Any:
        """Memory is limited; processors are not."""
        return EnvironmentResourceCapabilities(memory_limit=True, fractional_cpus=True)

    def _validate_definition(self) -> None:
        """Raise ValueError for an environment that only an engine can build."""
        folder = Path(self.environment_dir)
        if (folder / "docker-compose.yaml").exists():
            raise ValueError(f"{folder}/docker-compose.yaml: no services are started here; use docker or podman")
        self._recipe = self._read_recipe(folder / "Dockerfile")
        self._folder: ScratchFolder | None = None
        self._tops = sorted({*_PLACES, *map(_top, self._recipe.places), _top(self._workdir)})

    @property
    def _workdir(self) -> str:
        return self.task_env_config.workdir or self._recipe.workdir or _WORKDIR

    def _read_recipe(self, path: Path) -> Recipe:
        if path.is_file():
            return read_recipe(path.read_text(encoding="utf-8"), self.task_env_config.workdir or "")
        # With an image and nothing to build, Harbor puts the files of the folder beside it into the working folder.
        workdir = self.task_env_config.workdir or _WORKDIR
        loose = path.parent.is_dir() and any(path.parent.iterdir())
        return Recipe(workdir, steps=[Step(workdir, sources=(".",), target=f"{workdir}/")] if loose else [])

    async def start(self, force_build: bool) -> None:
        """Make the folders and follow the recipe."""
        self._folder = ScratchFolder()
        for place in self._tops:
            self._host(place).mkdir(parents=True)
        for place in (*self._recipe.places, self._workdir, "/logs/agent", "/logs/verifier", "/logs/artifacts"):
            self._made(place if not place.endswith("/") else place[:-1])
        for step in self._recipe.steps:
            if step.run:
                await self._built(step)
            else:
                self._copied(step)

    async def _built(self, step: Step) -> None:
        done = await self.exec(step.run, cwd=step.folder or "/", env=self._recipe.environment)
        if done.return_code:
            said = " ".join((done.stdout or done.stderr or "").split())[-300:]
            raise SandboxBuildFailedError(f"RUN {step.run} ended with status {done.return_code}: {said}")

    def _copied(self, step: Step) -> None:
        build = Path(self.environment_dir)
        for source in step.sources:
            found = sorted(build.glob(source)) if source not in (".", "./") else [build]
            if not found:
                raise SandboxBuildFailedError(f"COPY {source}: {build} has no such file")
            for path in found:
                if path.is_dir():
                    self._put_all(path, step.target, leave="Dockerfile" if path == build else "")
                elif step.target.endswith("/") or len(step.sources) > 1 or self._find(step.target).is_dir():
                    self._put(path, f"{step.target.rstrip('/')}/{path.name}")
                else:
                    self._put(path, step.target)

    async def stop(self, delete: bool) -> None:
        """Delete the folders."""
        if self._folder is not None:
            self._folder.delete()
            self._folder = None

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> Any:
        """Run a shell command; there is one user, whoever is asked for.

        A command that meets a limit of memory, processes, files or output has the status 137 and says which.

        Raises:
            RuntimeError: where its time is over, as other environments do, or the sandbox itself fails.
        """
        environment = {"HOME": HOME, "PATH": _PATH, **self._recipe.environment, **(self._merge_env(env) or {})}
        mounts = tuple(Mount(self._host(place), place, writable=True) for place in self._tops)
        sandbox = Sandbox(Setting(mounts=mounts, environment=environment, cwd=cwd or self._workdir))
        given_up = Event()
        words = ["bash", "-c", command]
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(None, sandbox.call, words, b"", self._limits(timeout_sec), given_up)
        try:
            ended = await asyncio.shield(running)
        except asyncio.CancelledError:
            given_up.set()
            await running  # nothing of it may be there when the folders are deleted
            raise
        if ended.broken:
            raise RuntimeError(ended.broken)
        if ended.late:
            raise RuntimeError(f"Command timed out after {timeout_sec} seconds")
        if ended.stopped:
            return ExecResult(stdout=ended.output, stderr=ended.stopped, return_code=_KILLED)
        return ExecResult(stdout=ended.output, stderr=ended.errors or None, return_code=ended.status)

    def _limits(self, seconds: float | None) -> Limits:
        memory = (self._effective_memory_mb or _MEMORY_MB) << 20
        stored = (self._effective_storage_mb or _STORAGE_MB) << 20
        most = float(seconds or _MOST_SECONDS)
        return Limits(
            seconds=most,
            memory=memory,
            stored_bytes=stored,
            stored_files=200_000,
            file_bytes=stored,
            address_space=max(16 << 30, 2 * memory),
            cpu_seconds=math.ceil(most),
            open_files=1024,
            tasks=512,
        )

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the environment."""
        self._put(Path(source_path), str(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder into the environment."""
        self._put_all(Path(source_dir), str(target_dir))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the environment; raises OSError where there is none, or a link is on the way."""
        source = self._find(str(source_path))
        _regular(source)
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target_path, follow_symlinks=False)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder out of the environment; links and what is no file stay behind."""
        root = self._find(str(source_dir))
        for folder, names, files in os.walk(root):
            target = Path(target_dir) / Path(folder).relative_to(root)
            target.mkdir(parents=True, exist_ok=True)
            names[:] = [name for name in names if not Path(folder, name).is_symlink()]
            for name in files:
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink():
                    shutil.copyfile(path, target / name, follow_symlinks=False)

    def _put(self, source: Path, target: str) -> None:
        place = self._made(str(PurePosixPath(target).parent)) / PurePosixPath(target).name
        if place.is_symlink() or place.is_file():
            place.unlink()
        shutil.copy2(source, place)

    def _put_all(self, source: Path, target: str, leave: str = "") -> None:
        self._made(target.rstrip("/") or "/")
        for path in sorted(source.rglob("*")):
            place = f"{target.rstrip('/')}/{path.relative_to(source).as_posix()}"
            if path.is_dir():
                self._made(place)
            elif path.relative_to(source).as_posix() != leave:
                self._put(path, place)

    def _made(self, place: str) -> Path:
        """The folder of the host for a folder of the environment, made where it is not there."""
        found = self._find(place)
        found.mkdir(parents=True, exist_ok=True)
        return found

    def _host(self, place: str) -> Path:
        assert self._folder is not None, "the environment has not started"
        return self._folder.path / place.strip("/").replace("/", "+")

    def _find(self, place: str) -> Path:
        """Where a place of the environment lies on the host; raises OSError where a link is on the way."""
        path = PurePosixPath(_WORKDIR if place == "." else place)
        head = next((name for name in self._tops if path.is_relative_to(name)), None)
        if head is None or ".." in path.parts:
            raise FileNotFoundError(f"{place} is no place of this environment; it has {', '.join(self._tops)}")
        found = self._host(head)
        for part in path.relative_to(head).parts:
            found /= part
            if found.is_symlink():
                raise PermissionError(f"{place}: {part} is a link, which is not followed")
        return found


def _regular(path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"{path.name} is no file")


def _top(place: str) -> str:
    """The folder at the root that holds a place; raises ValueError where that is the system's."""
    parts = PurePosixPath(place).parts
    if len(parts) > 1 and parts[1] in _FREE:
        return f"/{parts[1]}"
    return str(top(PurePosixPath(place)))

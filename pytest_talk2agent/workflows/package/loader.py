"""How a folder becomes a package: every file read, every fault kept with its line, every reference checked."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import BaseModel

from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown
from pytest_talk2agent.tasks.files import is_inside, read_utf8
from pytest_talk2agent.workflows.package.checks import check
from pytest_talk2agent.workflows.package.manifest import ArtifactSources, LatentWorld, TaskSpec, TaxonomySpec
from pytest_talk2agent.workflows.package.package import Document, Package
from pytest_talk2agent.workflows.package.source import LARGEST, PackageError, Source, read_lines, read_source
from pytest_talk2agent.workflows.package.user import BankLine, Clip, EventProgram, FlowSpec, ObserverSpec, UserState
from pytest_talk2agent.workflows.package.work import Adversary, GoldSpec, KnowledgeManifest, Policy, ToolSet, Workspace

MANIFEST = "task.yaml"
SOURCES = "assets/inputs/artifact_source_manifest.yaml"
OBSERVER = "user/observer.yaml"
POLICY = "reference/policy.yaml"
ADVERSARIES = "reference/adversaries"
STATE = "state/state.yaml"
WORLDS, TOOLS_OF_WORLD = "worlds", "tool_spec.yaml"
"""The folder, beside those of packages, of worlds that several of them share; each may have the tools too."""
ASSERTIONS = "grading/assertions.yaml"

STATE_FILES = (".sql", ".py")

Model = TypeVar("Model", bound=BaseModel)


class Parts:
    """The sources of a package while it is loaded: where each record stands in its file, and what is wrong so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []
        self._sources: dict[str, Source] = {}
        self._bank: list[Source] = []

    def read(self, relative: str, model: type[Model], *, optional: bool = False) -> Model | None:
        """Read a file as a record; None where it has faults, which are kept, or is optional and not there."""
        source = self.source(relative, optional=optional)
        return None if source is None else source.validate(model)

    def source(self, relative: str, *, optional: bool = False) -> Source | None:
        """Read a file as plain values; None as `read`."""
        path = self.path(relative)
        if path is None or (optional and not path.exists()):
            return None
        try:
            found = read_source(path)
        except PackageError as error:
            self.problems += error.problems
            return None
        self._sources[relative] = found
        found.problems = self.problems
        return found

    def lines(self, relative: str, model: type[Model], *, optional: bool = False) -> list[Model]:
        """Read a file of JSON Lines as records; faults are kept."""
        path = self.path(relative)
        if path is None or (optional and not path.exists()):
            return []
        try:
            sources = read_lines(path)
        except PackageError as error:
            self.problems += error.problems
            return []
        records = []
        for index, source in enumerate(sources):
            source.problems = self.problems
            self._sources[f"{relative}#{index}"] = source
            record = source.validate(model)
            if record is not None:
                records.append(record)
        return records

    def path(self, relative: str) -> Path | None:
        """Where a file of the package is; None, and a fault, where that would be outside of its folder."""
        pure = PurePosixPath(relative)
        path = self.folder / pure
        beside = self.folder.parent if self.folder.name else self.folder / ".."
        roots = [self.folder, beside / WORLDS]
        outside = ".." in pure.parts and not relative.startswith(f"../{WORLDS}/")
        if not relative or pure.is_absolute() or outside or not is_inside(path, roots):
            self.fault(MANIFEST, (), f"{shown(relative)} leads out of the package; name a file inside it")
            return None
        return path if ".." not in pure.parts else beside.joinpath(*pure.parts[1:])

    def fault(self, relative: str, location: tuple[Any, ...], message: str) -> None:
        """Keep a fault at a place of a file that was read, or of the file as a whole."""
        source = self._sources.get(relative)
        if source is not None:
            source.fault(location, message)
        else:
            self.problems.append(Problem(self.folder / relative.partition("#")[0], 0, 0, message))


def load_package(folder: Path) -> Package:
    """Load the package in a folder, with every cross-check.

    Raises:
        PackageError: with everything that is wrong, each with its file and line.
    """
    parts = Parts(folder)
    task = parts.read(MANIFEST, TaskSpec)
    if task is None:
        raise PackageError(parts.problems)
    state = parts.source(task.initial_state)
    if state is not None and not isinstance(state.data, dict):
        state.fault((), "the initial state must be a mapping")
    persona = parts.source(task.persona, optional=True)
    if persona is not None and not isinstance(persona.data, dict):
        persona.fault((), "a persona must be a mapping")
    optional = {
        "events": parts.read(task.event_program, EventProgram, optional=True),
        "observer": parts.read(OBSERVER, ObserverSpec, optional=True),
        "sources": parts.read(SOURCES, ArtifactSources, optional=True),
    }
    assertions = parts.source(ASSERTIONS, optional=True)
    behind, world, files = _state(parts)
    tools = task.tools if world is None or (folder / task.tools).exists() else f"{world}/{TOOLS_OF_WORLD}"
    made = {
        "folder": folder,
        "task": task,
        "taxonomy": parts.read(task.taxonomy, TaxonomySpec),
        "initial_state": state.data if state else None,
        "workspace": parts.read(task.initial_workspace, Workspace),
        "tools": parts.read(tools, ToolSet),
        "gold": parts.read(f"{task.gold_dir}/gold.yaml", GoldSpec),
        "user": parts.read(task.user_state, UserState),
        "flow": parts.read(task.user_program, FlowSpec),
        "bank": tuple(parts.lines(task.realization_bank, BankLine)),
        "clips": tuple(parts.lines(task.audio_manifest, Clip, optional=True)),
        "documents": _documents(parts, task),
        "persona": persona.data if persona else {},
        "policy": parts.read(POLICY, Policy, optional=True),
        "adversaries": _adversaries(parts),
        "latent_world": parts.read(task.latent_world, LatentWorld, optional=True),
        **{name: record for name, record in optional.items() if record is not None},
        "state": behind,
        "state_files": files,
        "assertions": assertions.data if assertions is not None else None,
    }
    if parts.problems:
        raise PackageError(parts.problems)
    package = Package.model_validate(made)
    check(package, parts.fault)
    if parts.problems:
        raise PackageError(parts.problems)
    return package


def is_package(folder: Path) -> bool:
    """Whether a folder says that it is a package: it has a manifest, and the user's side."""
    return (folder / MANIFEST).is_file() and (folder / "user").is_dir()


def find_packages(root: Path) -> list[Path]:
    """The folders of packages at a data root: itself, what is in it, or what is in its ``tasks``; sorted by name."""
    if is_package(root):
        return [root]
    for folder in (root / "tasks", root):
        if folder.is_dir():
            found = sorted(place for place in folder.iterdir() if is_package(place))
            if found:
                return found
    return []


def _adversaries(parts: Parts) -> dict[str, Adversary]:
    """The trajectories that go wrong, by the names of their files."""
    folder = parts.path(ADVERSARIES)
    names = sorted(path.stem for path in folder.glob("*.yaml")) if folder is not None and folder.is_dir() else []
    read = {name: parts.read(f"{ADVERSARIES}/{name}.yaml", Adversary) for name in names}
    return {name: adversary for name, adversary in read.items() if adversary is not None}


def _state(parts: Parts) -> tuple[Any, str | None, dict[str, str]]:
    """What is behind the tools: the plain values of `state/state.yaml`, the world it builds on, and the other files.

    With ``world: NAME`` it builds on ``../worlds/NAME/state.yaml``; a key or a file of the package's own comes first.
    """
    source = parts.source(STATE, optional=True)
    if source is None:
        return None, None, {}
    world: str | None = None
    data = source.data
    folders = ["state"]
    if isinstance(data, dict) and "world" in data:
        name = data["world"]
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            parts.fault(STATE, ("world",), f"{shown(name)} is no name of a folder in {WORLDS}/ beside the package")
            return None, None, {}
        world = f"../{WORLDS}/{name}"
        base = parts.source(f"{world}/state.yaml")
        if base is None:
            return None, None, {}
        data = {**(base.data if isinstance(base.data, dict) else {}), **data}
        folders.insert(0, world)
    files: dict[str, str] = {}
    for folder in folders:
        for path in sorted((parts.folder / folder).iterdir()):
            if path.suffix in STATE_FILES and (inside := parts.path(f"{folder}/{path.name}")) is not None:
                try:
                    files[path.name] = read_utf8(inside, LARGEST)
                except TaskFileError as error:
                    parts.problems += error.problems
    return data, world, files


def _documents(parts: Parts, task: TaskSpec) -> tuple[Document, ...] | None:
    relative = f"{task.knowledge_dir}/manifest.json"
    manifest = parts.read(relative, KnowledgeManifest, optional=True)
    if manifest is None:
        return None
    found = []
    for index, spec in enumerate(manifest.documents):
        text = spec.text
        if (spec.text is None) == (spec.path is None):
            parts.fault(relative, ("documents", index), "a document needs one of `text` and `path`")
        elif spec.path is not None:
            path = parts.path(f"{task.knowledge_dir}/{spec.path}")
            try:
                text = read_utf8(path, LARGEST) if path is not None else None
            except TaskFileError as error:
                parts.problems += error.problems
        found.append(
            Document(doc_id=spec.doc_id, title=spec.title, text=text or "", gold=spec.gold, distractor=spec.distractor)
        )
    return tuple(found)

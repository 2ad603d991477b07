"""A package in memory: everything that a workflow is made of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from pytest_talk2agent.workflows.package.base import Record
from pytest_talk2agent.workflows.package.manifest import ArtifactSources, LatentWorld, TaskSpec, TaxonomySpec
from pytest_talk2agent.workflows.package.user import BankLine, Clip, EventProgram, FlowSpec, ObserverSpec, UserState
from pytest_talk2agent.workflows.package.work import Adversary, GoldSpec, Policy, ToolSet, Workspace
from pytest_talk2agent.workflows.stable import digest_of


class Document(Record):
    """A document of the knowledge base, with its text."""

    doc_id: str
    title: str
    text: str
    gold: bool = False
    distractor: bool = False


class Package(Record):
    """Everything that a workflow is made of.

    ``state`` (`state/state.yaml`), ``assertions`` (`grading/assertions.yaml`) and ``adversaries`` (the folder
    `reference/adversaries`) are this project's additions to the format; the first two are plain values, of which the
    modules that read them have the records. ``state_files`` are the scripts and programs
    beside `state/state.yaml`, by name. ``policy`` is None where the package has no
    reference.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    folder: Path = Field(exclude=True)
    task: TaskSpec
    taxonomy: TaxonomySpec
    initial_state: dict[str, Any]
    workspace: Workspace
    tools: ToolSet
    gold: GoldSpec
    user: UserState
    flow: FlowSpec
    bank: tuple[BankLine, ...]
    events: EventProgram = EventProgram()
    observer: ObserverSpec = ObserverSpec()
    documents: tuple[Document, ...] | None = None
    persona: dict[str, Any] = Field(default_factory=dict)
    clips: tuple[Clip, ...] = ()
    policy: Policy | None = None
    adversaries: dict[str, Adversary] = Field(default_factory=dict)
    latent_world: LatentWorld | None = None
    sources: ArtifactSources = ArtifactSources()
    state: Any = None
    state_files: dict[str, str] = Field(default_factory=dict)
    assertions: Any = None

    @property
    def id(self) -> str:
        """The id of the task."""
        return self.task.id

    @cached_property
    def as_plain(self) -> Mapping[str, Any]:
        """The package as JSON values, without its folder and what has its default; a log carries it."""
        return self.plain()

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) over all of it."""
        return digest_of(self.as_plain)

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any], folder: Path = Path()) -> Package:
        """The package that `as_plain` wrote; raises pydantic's ValidationError (a ValueError) where it is none."""
        return cls.model_validate({**plain, "folder": folder})

"""The artifacts of a session: their fields, lifecycle, versions, and what a write makes stale (APEX-Voice 1.7)."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pytest_talk2agent.workflows.package.base import LIFECYCLE, Lifecycle
from pytest_talk2agent.workflows.package.work import ArtifactSchema, Workspace
from pytest_talk2agent.workflows.stable import digest_of

LIFECYCLE_PATH, STALE_PATH = "@lifecycle", "@stale"
"""What stands for the lifecycle and the list of stale fields where a mutation names a field."""

EffectType: TypeAlias = Literal["ARTIFACT_MUTATION", "WORLD_MUTATION", "APPROVAL_EVENT"]


@dataclass(frozen=True)
class Effect:
    """Something that changed, as the payload of its event."""

    type: EffectType
    payload: Mapping[str, Any]


class UnknownArtifactError(KeyError):
    """There is no such artifact."""


@dataclass
class Artifact:
    """One artifact as it stands; ``version`` counts its mutations."""

    artifact_id: str
    artifact_type: str
    schema: ArtifactSchema | None
    fields: dict[str, Any]
    lifecycle: Lifecycle
    stale: set[str] = field(default_factory=set)
    version: int = 0

    def plain(self) -> dict[str, Any]:
        """The artifact as `final_workspace.json` of APEX-Voice has it."""
        return {
            "artifact_id": self.artifact_id,
            "artifact_type": self.artifact_type,
            "lifecycle": self.lifecycle,
            "fields": copy.deepcopy(self.fields),
            "stale_fields": sorted(self.stale),
        }

    def names(self) -> list[str] | None:
        """The fields that it may have, None where it has no schema."""
        return None if self.schema is None else [spec.name for spec in self.schema.fields]

    def dependents(self, name: str) -> tuple[str, ...]:
        """The fields that a write to a field makes stale."""
        specs = self.schema.fields if self.schema else ()
        return next((spec.dependents for spec in specs if spec.name == name), ())


class Artifacts:
    """All artifacts of a session. Every change is an `Effect`."""

    def __init__(self, start: Workspace) -> None:
        self._all = {
            name: Artifact(name, spec.artifact_type, spec.schema_, copy.deepcopy(spec.fields), spec.lifecycle)
            for name, spec in start.artifacts.items()
        }

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._all

    def __getitem__(self, artifact_id: str) -> Artifact:
        if artifact_id not in self._all:
            raise UnknownArtifactError(artifact_id)
        return self._all[artifact_id]

    def names(self) -> list[str]:
        """The ids, in the order of the package."""
        return list(self._all)

    def write(self, artifact_id: str, name: str, value: Any) -> list[Effect]:
        """Set a field: it is fresh, and what depends on it is stale. Raises UnknownArtifactError."""
        artifact = self[artifact_id]
        old = artifact.fields.get(name)
        artifact.fields[name] = copy.deepcopy(value)
        effects = [self._mutation(artifact, name, old, value)]
        return effects + self._restale(artifact, (artifact.stale - {name}) | set(artifact.dependents(name)))

    def touch(self, artifact_id: str) -> list[Effect]:
        """Make an artifact that was empty or partial a draft, as a write does."""
        draft = self[artifact_id].lifecycle in ("EMPTY", "PARTIAL")
        return self.set_lifecycle(artifact_id, "DRAFT") if draft else []

    def set_lifecycle(self, artifact_id: str, state: Lifecycle) -> list[Effect]:
        """Put an artifact into a state. Raises UnknownArtifactError."""
        artifact = self[artifact_id]
        old, artifact.lifecycle = artifact.lifecycle, state
        return [self._mutation(artifact, LIFECYCLE_PATH, old, state)] if old != state else []

    def mark_stale(self, artifact_id: str, names: Iterable[str]) -> list[Effect]:
        """Make fields stale, so that they have to be written again. Raises UnknownArtifactError."""
        artifact = self[artifact_id]
        return self._restale(artifact, artifact.stale | set(names))

    def _restale(self, artifact: Artifact, stale: set[str]) -> list[Effect]:
        if stale == artifact.stale:
            return []
        old, artifact.stale = sorted(artifact.stale), stale
        return [self._mutation(artifact, STALE_PATH, old, sorted(stale))]

    def _mutation(self, artifact: Artifact, path: str, old: Any, new: Any) -> Effect:
        artifact.version += 1
        payload = {
            "artifact_id": artifact.artifact_id,
            "path": path,
            "old": copy.deepcopy(old),
            "new": copy.deepcopy(new),
            "version": artifact.version,
        }
        return Effect("ARTIFACT_MUTATION", payload)

    def content_digest(self, artifact_ids: Collection[str], without: Collection[str] = ()) -> str:
        """SHA-256 of what the fields of some artifacts say; an approval is bound to it.

        ``without`` are fields of no account: those that the commit itself sets.
        """
        content = {
            name: {key: value for key, value in self._all[name].fields.items() if key not in without}
            for name in artifact_ids
        }
        return digest_of(content)

    def plain(self) -> dict[str, Any]:
        """All artifacts as plain values."""
        return {name: artifact.plain() for name, artifact in self._all.items()}

    def digest(self) -> str:
        """SHA-256 of all artifacts."""
        return digest_of(self.plain())


def is_lifecycle(state: object) -> bool:
    """Whether a value is a state of the lifecycle."""
    return isinstance(state, str) and state in LIFECYCLE

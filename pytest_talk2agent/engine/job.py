"""What a transcription pass is asked: its jobs and its set-up. Both are plain values that travel to another process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Utterance

if TYPE_CHECKING:
    from pytest_talk2agent.remote.budget import Budget


@dataclass(frozen=True)
class Job:
    """An utterance and the spec string of the interface that is to transcribe it.

    ``sha256`` is the hash that the task declares for the recording, or None. ``terms`` are what the agent can see,
    where the spec biases or repairs.
    """

    spec: str
    utterance: Utterance
    sha256: str | None = None
    terms: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """What tells this job from the others of its run."""
        return f"{self.spec}\n{self.utterance.task}\n{self.utterance.take}\n{self.utterance.path}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wire; the audio itself never travels."""
        utterance = self.utterance
        return {
            "spec": self.spec,
            "task": utterance.task,
            "take": utterance.take,
            "instruction": utterance.instruction,
            "script": utterance.script,
            "path": None if utterance.path is None else str(utterance.path),
            "sha256": self.sha256,
            "terms": list(self.terms),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        """The inverse of `to_json`."""
        path = data["path"]
        utterance = Utterance(
            task=data["task"],
            take=data["take"],
            instruction=data["instruction"],
            script=data["script"],
            path=None if path is None else Path(path),
        )
        return cls(spec=data["spec"], utterance=utterance, sha256=data["sha256"], terms=tuple(data["terms"]))


def spec_of(key: str) -> str:
    """The spec string of the job that has this key."""
    return key.partition("\n")[0]


def by_model(jobs: Sequence[Job]) -> list[tuple[str, list[Job]]]:
    """Jobs by spec string, those of one model side by side."""
    by_spec: dict[str, list[Job]] = defaultdict(list)
    models: dict[tuple[str, str | None], int] = {}
    for job in jobs:
        by_spec[job.spec].append(job)
    specs = {text: parse_spec(text) for text in by_spec}
    for spec in specs.values():
        models.setdefault((spec.name, spec.model), len(models))
    return sorted(by_spec.items(), key=lambda item: models[specs[item[0]].name, specs[item[0]].model])


@dataclass(frozen=True)
class Setup:
    """Plain values, so that they travel to another process.

    ``interfaces`` are those that hooks add, name to ``"module:callable"``; ``budget`` is the most that a run may spend,
    as decimal text, and ``purse`` the file that all who spend from it share, where it is not this process alone;
    ``engine`` is "local", "ray" or "ray:ADDRESS"; ``frozen`` says that only what is stored is used, ``refresh`` that
    everything is heard anew.
    """

    interfaces: Mapping[str, str] = field(default_factory=dict)
    budget: str | None = None
    engine: str = "local"
    frozen: bool = False
    refresh: bool = False
    purse: str | None = None

    @property
    def money(self) -> Budget:
        """The budget."""
        from pytest_talk2agent.remote.budget import Budget
        from pytest_talk2agent.remote.purse import SharedBudget

        limit = None if self.budget is None else Decimal(self.budget)
        return Budget(limit) if limit is None or self.purse is None else SharedBudget(Path(self.purse), limit)

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wire."""
        return {**vars(self), "interfaces": dict(self.interfaces)}

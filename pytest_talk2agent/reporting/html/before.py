"""What an earlier run says of the items of this one: a baseline file, or a whole saved run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.record import TaskResult


@dataclass(frozen=True)
class Earlier:
    """One item of an earlier run. ``labels`` and ``heard`` are None where only a baseline file is known."""

    native: Interval | None
    shapley: Interval | None
    lost: tuple[str, ...] | None
    labels: dict[str, str] | None = None
    heard: str | None = None


class Before(Protocol):
    """Anything that knows earlier results."""

    name: str

    def of(self, result: TaskResult) -> Earlier | None:
        """The same item of the earlier run, None where it has none."""


class BeforeLimits:
    """What the results themselves were held against, which every record keeps."""

    name = "baseline"

    def of(self, result: TaskResult) -> Earlier | None:
        """The intervals of the baseline that the item had in its run."""
        before = result.limits.baseline
        return None if before is None else Earlier(before.get("native"), before.get("shapley"), None)


class BeforeBaseline:
    """A baseline file; an item of a changed task is not compared."""

    def __init__(self, baseline: Baseline) -> None:
        self.name = f"baseline {baseline.path.name}"
        self._baseline = baseline

    def of(self, result: TaskResult) -> Earlier | None:
        """The item under the condition of the same label, else of the same spec, else the only one."""
        try:
            reference = self._baseline.reference(result.condition, result.spec)
        except BaselineError:
            return None
        entry = self._baseline.items[reference].get(result.key)
        if entry is None or entry.task_sha256 != result.task_sha256:
            return None
        return Earlier(entry.native, entry.shapley, entry.lost)


class BeforeRun:
    """Another run's results, whose transcripts can be shown beside this one's."""

    def __init__(self, path: Path, results: Sequence[TaskResult]) -> None:
        self.name = f"run {path.name}"
        self._items: dict[str, dict[str, TaskResult]] = {}
        for result in results:
            self._items.setdefault(result.condition, {})[result.key] = result
        self._specs = {rows[0]: rows[1] for rows in ((r.spec, r.condition) for r in reversed(results))}

    def of(self, result: TaskResult) -> Earlier | None:
        """The item under the condition of the same label, else of the same spec, else the only one."""
        condition = result.condition if result.condition in self._items else self._specs.get(result.spec)
        if condition is None and len(self._items) == 1:
            condition = next(iter(self._items))
        found = self._items.get(condition or "", {}).get(result.key)
        if found is None or found.task_sha256 != result.task_sha256:
            return None
        return Earlier(
            native=found.retention.native,
            shapley=found.retention.shapley,
            lost=tuple(found.lost()),
            labels={name: label.value for name, label in found.judgement.labels().items()},
            heard=found.transcript.text,
        )

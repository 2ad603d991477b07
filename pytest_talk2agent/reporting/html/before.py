"""What an earlier run says of the items of this one, and what has moved since: a baseline file or a saved run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_talk2agent.grading.retention import Interval, mean_interval
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import fault_line


@dataclass(frozen=True)
class Earlier:
    """One item of an earlier run.

    ``labels`` and ``heard`` are None where only a baseline file is known; ``lost`` is None where only scores are, and
    ``unresolved`` in a baseline of schema 1, too.
    """

    native: Interval | None
    shapley: Interval | None
    lost: tuple[str, ...] | None
    labels: dict[str, str] | None = None
    heard: str | None = None
    unresolved: tuple[str, ...] | None = None

    def was(self, name: str) -> str | None:
        """What an intention was before: retained, lost or unresolved; None where that is not known."""
        if self.lost is None:
            return "retained" if self.native == 1 and self.shapley == 1 else None
        if name in self.lost:
            return "lost"
        if self.unresolved is None:
            return None
        return "unresolved" if name in self.unresolved else "retained"

    def to_json(self) -> list[Any]:
        """Plain values: scores, then what was lost and unresolved."""
        scores = [None if one is None else one.to_json() for one in (self.native, self.shapley)]
        return [*scores, *(None if names is None else list(names) for names in (self.lost, self.unresolved))]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Earlier:
        """The inverse of `to_json`."""
        native, shapley = (None if ends is None else Interval.from_json(ends) for ends in data[:2])
        lost, unresolved = (None if names is None else tuple(names) for names in data[2:])
        return cls(native, shapley, lost, unresolved=unresolved)


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
        return Earlier(entry.native, entry.shapley, entry.lost, unresolved=entry.unresolved)


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
            unresolved=tuple(found.unresolved()),
        )


class BeforeSaved:
    """The baseline of a saved run, as far as its ``run.json`` keeps it; raises ValueError where it is invalid."""

    def __init__(self, saved: Mapping[str, Any]) -> None:
        try:
            self.name = str(saved["name"])
            self._items = {str(node): Earlier.from_json(found) for node, found in saved["items"].items()}
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"run.json: what it says of its baseline cannot be read ({fault_line(error)})") from None

    def of(self, result: TaskResult) -> Earlier | None:
        """The item of the same node."""
        return self._items.get(result.node)


def saved_before(before: Before, results: Sequence[TaskResult]) -> dict[str, Any]:
    """What `BeforeSaved` reads."""
    found = {result.node: before.of(result) for result in results}
    return {"name": before.name, "items": {node: one.to_json() for node, one in found.items() if one is not None}}


@dataclass
class Count:
    """How many of some intentions were lost before, and are lost now."""

    of: int = 0
    before: int = 0
    now: int = 0


@dataclass
class Moved:
    """One condition over the items that both runs have.

    ``native`` and ``shapley`` are means before and now, over those of them that enter means and have a score in both;
    None without one. ``lost`` and ``kinds`` count intentions of items whose earlier losses are known.
    """

    condition: str
    items: int = 0
    new: int = 0
    native: tuple[Interval, Interval] | None = None
    shapley: tuple[Interval, Interval] | None = None
    lost: Count = field(default_factory=Count)
    kinds: dict[str, Count] = field(default_factory=dict)


def moved_of(results: Sequence[TaskResult], before: Before) -> dict[str, Moved]:
    """Each condition by its label; empty where the earlier run has none of them."""
    by_condition: dict[str, list[tuple[TaskResult, Earlier | None]]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append((result, before.of(result)))
    found = {condition: _moved(condition, rows) for condition, rows in by_condition.items()}
    return found if any(one.items for one in found.values()) else {}


def _moved(condition: str, rows: Sequence[tuple[TaskResult, Earlier | None]]) -> Moved:
    both = [(result, earlier) for result, earlier in rows if earlier is not None]
    scored = [(result.retention, earlier) for result, earlier in both if result.scored]
    moved = Moved(
        condition,
        items=len(both),
        new=len(rows) - len(both),
        native=_means((earlier.native, kept.native) for kept, earlier in scored),
        shapley=_means((earlier.shapley, kept.shapley) for kept, earlier in scored),
    )
    for result, earlier in both:
        if earlier.lost is None:
            continue
        for name, finding in result.judgement.findings.items():
            for count in (moved.lost, moved.kinds.setdefault(result.kinds[name], Count())):
                count.of += 1
                count.before += name in earlier.lost
                count.now += finding.label.lost
    return moved


def _means(pairs: Iterable[tuple[Interval | None, Interval | None]]) -> tuple[Interval, Interval] | None:
    known = [(before, now) for before, now in pairs if before is not None and now is not None]
    if not known:
        return None
    before, now = (mean_interval(side) for side in zip(*known, strict=True))
    return before, now

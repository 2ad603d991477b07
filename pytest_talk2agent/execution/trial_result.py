"""The result of one trial of a run: what came of it, beside what was heard and what the projection said of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.grading.retention import Interval, Retention, read_fraction
from pytest_talk2agent.results.saved import TRIAL
from pytest_talk2agent.results.task_result import item_key
from pytest_talk2agent.results.untrusted import mapping
from pytest_talk2agent.tasks.task import Task

_SCORES = ("native", "shapley", "predicted")


@dataclass(frozen=True)
class TrialResult:
    """One task, one recording, one condition, one agent, one round.

    Attributes:
        node: what the item is: its file, as seen from the root directory, ``::`` and its name.
        task_sha256: of the task's words and grader, as `TaskResult.task_sha256`; the record's key has one of all that
            can change a trial.
        agent: the label of the agent; the record has its spec and identity.
        said, heard: script and transcript.
        native, shapley: the retention of the transcript; None where it is not defined.
        predicted: the score that the projection expects; both ends where labels are unresolved.
        labels: the label of each intention, in words.
        limit: the least score that passes; None where trials are not held one by one.
        must_pass: whether the task must not fall below its baseline, whatever the run as a whole may lose.
        stored: whether the record is that of an earlier run.
    """

    node: str
    suite: str
    task_sha256: str
    take: str
    condition: str
    spec: str
    agent: str
    polarity: str
    said: str
    heard: str
    record: TrialRecord
    native: Interval | None = None
    shapley: Interval | None = None
    predicted: Interval | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    limit: Fraction | None = None
    must_pass: bool = False
    stored: bool = False

    @property
    def task(self) -> str:
        """The id of the task."""
        return self.record.key.task

    @property
    def round(self) -> int:
        """The round, from 1."""
        return self.record.key.round

    @property
    def score(self) -> Fraction | None:
        """The score; None where it is missing."""
        return self.record.score

    @property
    def key(self) -> str:
        """The task and the take, as in a baseline."""
        return item_key(self.task, self.take)

    @property
    def pair(self) -> tuple[str, str, str, str]:
        """Condition, agent, task and take: what the rounds are repetitions of."""
        return self.condition, self.agent, self.task, self.take

    @property
    def file(self) -> str:
        """The file of the item, as seen from pytest's root directory, with slashes."""
        return self.node.partition("::")[0]

    @property
    def scored(self) -> bool:
        """Whether the trial enters means: it has a score, and a higher one is better."""
        return self.score is not None and self.polarity == "normal"

    @property
    def fails(self) -> bool:
        """Whether the score is below what the trial is held to; one that is missing is no failure but an error."""
        return self.score is not None and self.limit is not None and self.score < self.limit

    @property
    def as_predicted(self) -> bool | None:
        """Whether the score is what the projection expects; None where one of them is not known, or is open."""
        if self.predicted is None or self.score is None or not self.predicted.is_point:
            return None
        return self.predicted == self.score

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions as strings."""
        plain: dict[str, Any] = {"kind": TRIAL, **vars(self), "labels": dict(self.labels)}
        plain |= {name: None if plain[name] is None else plain[name].to_json() for name in _SCORES}
        plain["limit"] = None if self.limit is None else str(self.limit)
        return {**plain, "record": self.record.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrialResult:
        """The inverse of `to_json`, for data that anyone may have written.

        Raises:
            KeyError, TypeError, ValueError: for what is no result of a trial.
        """
        values = dict(data)
        if values.pop("kind") != TRIAL:
            raise ValueError("it is no trial")
        if unknown := values.keys() - _NAMES:
            raise TypeError(f"a trial has no {min(unknown)!r}")
        for name in ("node", "suite", "task_sha256", "take", "condition", "spec", "agent", "polarity", "said", "heard"):
            if not isinstance(values[name], str):
                raise TypeError(f"{name} is no text")
        labels = mapping(values["labels"], "labels")
        if not all(isinstance(label, str) for label in labels.values()):
            raise TypeError("labels are no texts")
        values |= {name: None if values[name] is None else Interval.from_json(values[name]) for name in _SCORES}
        values["limit"] = None if values["limit"] is None else read_fraction(values["limit"])
        return cls(**{**values, "record": TrialRecord.from_json(mapping(values["record"], "record"))})


_NAMES = frozenset(one.name for one in fields(TrialResult))


def projected(task: Task, retention: Retention, retained: Sequence[str]) -> Interval:
    """The score that is left by the projection, as a share of the task's range, like `TrialRecord.score`.

    What is unresolved makes an interval. Where the task has nothing to lose, exactly what is ``retained`` counts.
    """
    grader = task.grader()
    lowest, highest = task.range
    if retention.native is None:
        score = (grader.value(retained) - lowest) / (highest - lowest)
        return Interval(score, score)
    kept = (retention.native.low, retention.native.high)
    ends = [(grader.base + share * grader.full - lowest) / (highest - lowest) for share in kept]
    return Interval(min(ends), max(ends))

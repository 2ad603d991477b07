"""One item of a baseline: what a run left behind, and what later runs are held to."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import refuse_other_types, texts
from pytest_talk2agent.results.verdict import METRICS

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HEARD = 16


@dataclass(frozen=True)
class Entry:
    """One item of a baseline. Intervals are None where the task has nothing to lose.

    ``kinds`` maps every intention to its kind, ``scored`` says whether the item enters means, ``heard`` is a hash of
    the transcript. ``file`` is where the item was collected, empty where that is not known.
    """

    task_sha256: str
    audio_sha256: str | None
    native: Interval | None
    shapley: Interval | None
    lost: tuple[str, ...]
    unresolved: tuple[str, ...]
    kinds: Mapping[str, str]
    scored: bool
    heard: str
    file: str = ""

    @classmethod
    def of(cls, result: TaskResult) -> Entry:
        """The entry that a result leaves behind."""
        retention = result.retention
        return cls(
            task_sha256=result.task_sha256,
            audio_sha256=result.transcript.audio_sha256,
            native=retention.native,
            shapley=retention.shapley,
            lost=tuple(result.lost()),
            unresolved=tuple(result.unresolved()),
            kinds={name: result.kinds[name] for name in result.judgement.findings},
            scored=result.scored,
            heard=content_key(result.transcript.state, result.transcript.text)[:_HEARD],
            file=result.file,
        )

    def intervals(self) -> dict[str, Interval]:
        """The metrics that are defined."""
        found = {"native": self.native, "shapley": self.shapley}
        return {metric: interval for metric, interval in found.items() if interval is not None}

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions as strings."""
        return {
            "file": self.file,
            "task_sha256": self.task_sha256,
            "audio_sha256": self.audio_sha256,
            "native": None if self.native is None else self.native.to_json(),
            "shapley": None if self.shapley is None else self.shapley.to_json(),
            "lost": list(self.lost),
            "unresolved": list(self.unresolved),
            "kinds": dict(self.kinds),
            "scored": self.scored,
            "heard": self.heard,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        """The inverse of `to_json`, for data that anyone may have edited.

        Raises KeyError where a value is missing, TypeError where one is of another type, and ValueError where it is
        none or where values contradict each other.
        """
        if unknown := data.keys() - _NAMES:
            raise TypeError(f"an item has no {min(unknown)!r}")
        native, shapley = (None if data[name] is None else Interval.from_json(data[name]) for name in METRICS)
        entry = cls(
            task_sha256=data["task_sha256"],
            audio_sha256=data["audio_sha256"],
            native=native,
            shapley=shapley,
            lost=texts(data["lost"], "lost"),
            unresolved=texts(data["unresolved"], "unresolved"),
            kinds=data["kinds"],
            scored=data["scored"],
            heard=data["heard"],
            file=data["file"],
        )
        refuse_other_types(entry)
        entry.refuse_contradictions()
        return entry

    def refuse_contradictions(self) -> None:
        """Raise ValueError where a hash is malformed, or where no grader could give these scores.

        A retention of everything is exactly 1 and one of nothing exactly 0, by definition; what is unresolved makes an
        interval of the values between which it may fall out. Nothing else is certain, as a grader may have penalties.
        """
        hashes = {"task_sha256": self.task_sha256, "audio_sha256": self.audio_sha256 or self.task_sha256}
        for name, value in hashes.items():
            if not _SHA256.fullmatch(value):
                raise ValueError(f"{name} is {value!r:.80}, not 64 hexadecimal digits")
        if not self.kinds:
            raise ValueError("it has no intention")
        named = [*self.lost, *self.unresolved]
        if len(set(named)) != len(named):
            raise ValueError("an intention is named twice as lost or unresolved")
        if odd := sorted(set(named) - self.kinds.keys()):
            raise ValueError(f"{odd[0]!r} is lost or unresolved, but has no kind")
        if (self.native is None) != (self.shapley is None) or (self.scored and self.native is None):
            raise ValueError("one score is there and another is not")
        for metric, interval in self.intervals().items():
            if not self.unresolved and not interval.is_point:
                raise ValueError(f"{metric} is open though nothing is unresolved")
            if not self.lost and not interval.low <= 1 <= interval.high:
                raise ValueError(f"{metric} is {interval!s:.40} though nothing is lost")
            if len(named) == len(self.kinds) and not interval.low <= 0 <= interval.high:
                raise ValueError(f"{metric} is {interval!s:.40} though nothing is retained")


_NAMES = frozenset(one.name for one in fields(Entry))


def unlike(before: Collection[str], now: Collection[str]) -> str | None:
    """How the scores that two runs have of one task differ in what they are of, if they do."""
    if set(before) == set(now):
        return None
    gone = ", ".join(sorted(set(now) - set(before)))
    return f"no {gone} in the baseline" if gone else f"{', '.join(sorted(set(before) - set(now)))} only in the baseline"

"""The result of one item: the row that every report, baseline and gate is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.grading.retention import Interval, Retention, read_fraction
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.untrusted import mapping, refuse_other_types, texts
from pytest_talk2agent.results.verdict import Limits, Outcome, Verdict

VERSION = version("pytest-talk2agent")


SCHEMA = 4


def item_key(task: str, take: str) -> str:
    """What identifies an item across runs and machines, independent of its condition."""
    return f"{task}[{take}]"


@dataclass(frozen=True)
class Visible:
    """What the agent could see of one task, where the condition made use of it.

    ``decoys`` are the terms that were added though nobody can see them; ``inserted`` those terms of the list that stand
    in the transcript and were not spoken; ``overlap`` is the share of the intentions' values that the list holds, None
    where there is none to hold; ``checked`` says that the list was held against what the agent can see. ``roots`` is
    what was read for it, ``rejected`` counts strings that look like secrets and were left out.
    """

    decoys: tuple[str, ...]
    inserted: tuple[str, ...]
    overlap: Fraction | None
    checked: bool
    roots: tuple[str, ...] = ()
    rejected: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values; the overlap as a fraction in a string."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
        return {**plain, "overlap": None if self.overlap is None else str(self.overlap)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Visible:
        """The inverse of `to_json`."""
        lists = {name: texts(data[name], name) for name in ("decoys", "inserted", "roots")}
        overlap = None if data["overlap"] is None else read_fraction(data["overlap"])
        return cls(**lists, overlap=overlap, checked=data["checked"], rejected=data["rejected"])


@dataclass(frozen=True)
class TaskResult:
    """One task, one recording, one condition: what was said, heard, kept, and what came of it.

    ``node`` is what the item is: its file, as seen from the root directory, ``::`` and its name; ``condition`` is the
    label of the interface and ``spec`` its spec string; ``weights`` maps each intention to its Shapley value
    (unnormalised, exact), ``kinds`` to its kind; ``critical`` names what must not be lost. ``raw`` is the judgement of
    the transcript before its repair, where there was one; ``visible`` is there where the condition biases or repairs;
    ``grader`` is the whole grader that ``value`` is part of; ``proposed`` says that rules made the task and that no
    person has reviewed it.
    """

    node: str
    suite: str
    task: str
    task_sha256: str
    take: str
    condition: str
    spec: str
    value: str
    polarity: str
    said: str
    transcript: Transcript
    judgement: Judgement
    retention: Retention
    weights: Mapping[str, Fraction]
    limits: Limits
    verdict: Verdict
    version: str
    audio: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    raw: Judgement | None = None
    visible: Visible | None = None
    grader: GraderSource | None = None
    critical: tuple[str, ...] = ()
    proposed: bool = False

    @property
    def key(self) -> str:
        """The item's key in a baseline."""
        return item_key(self.task, self.take)

    @property
    def file(self) -> str:
        """The file of the item, as seen from pytest's root directory, with slashes."""
        return self.node.partition("::")[0]

    @property
    def scored(self) -> bool:
        """Whether the item enters means: its scores are defined, and mean what they mean for other tasks."""
        return self.retention.status == "scored" and self.polarity == "normal"

    def lost(self) -> list[str]:
        """The intentions that are changed or omitted, in the order of the task."""
        return [name for name, finding in self.judgement.findings.items() if finding.label.lost]

    def unresolved(self) -> list[str]:
        """The intentions whose label is unresolved."""
        return [name for name, finding in self.judgement.findings.items() if finding.label is Label.UNRESOLVED]

    def share(self, name: str) -> Fraction | None:
        """The part of the task's Shapley value that one intention holds."""
        total = sum(self.weights.values(), Fraction(0))
        return self.weights[name] / total if total else None

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions as strings, so that nothing is rounded."""
        baseline, own = self.limits.baseline, self.limits.own
        return {
            "schema": SCHEMA,
            "node": self.node,
            "suite": self.suite,
            "task": self.task,
            "task_sha256": self.task_sha256,
            "take": self.take,
            "condition": self.condition,
            "spec": self.spec,
            "value": self.value,
            "polarity": self.polarity,
            "said": self.said,
            "audio": self.audio,
            "transcript": self.transcript.to_json(),
            "judgement": self.judgement.to_json(),
            "retention": self.retention.to_json(),
            "weights": {name: str(weight) for name, weight in self.weights.items()},
            "limits": {
                "thresholds": {metric: str(limit) for metric, limit in self.limits.thresholds.items()},
                "baseline": None if baseline is None else {metric: i.to_json() for metric, i in baseline.items()},
                "tolerance": str(self.limits.tolerance),
                "own": None if own is None else {metric: str(limit) for metric, limit in own.items()},
                "must_pass": self.limits.must_pass,
            },
            "verdict": {"outcome": self.verdict.outcome.value, "reasons": list(self.verdict.reasons)},
            "version": self.version,
            "kinds": dict(self.kinds),
            "raw": None if self.raw is None else self.raw.to_json(),
            "visible": None if self.visible is None else self.visible.to_json(),
            "grader": None if self.grader is None else self.grader.to_json(),
            "critical": list(self.critical),
            "proposed": self.proposed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TaskResult:
        """The inverse of `to_json`, for data that anyone may have written.

        Raises KeyError where a field is missing, TypeError where one has another type, ValueError where its value is
        none or the record is of another schema.
        """
        data = mapping(data, "a result")
        if data.get("schema") != SCHEMA:
            raise ValueError(f"a result of schema {data.get('schema')!r}; this version reads schema {SCHEMA}")
        result = cls(
            **{name: data[name] for name in _PLAIN},
            transcript=Transcript.from_json(data["transcript"]),
            judgement=_judgement(data, "judgement"),
            retention=Retention.from_json(mapping(data["retention"], "retention")),
            weights=_fractions(data, "weights"),
            limits=_limits(mapping(data["limits"], "limits")),
            verdict=_verdict(mapping(data["verdict"], "verdict")),
            kinds=dict(mapping(data["kinds"], "kinds")),
            raw=None if data["raw"] is None else _judgement(data, "raw"),
            visible=None if data["visible"] is None else Visible.from_json(mapping(data["visible"], "visible")),
            grader=None if data["grader"] is None else _grader(mapping(data["grader"], "grader")),
            critical=texts(data["critical"], "critical"),
            proposed=data.get("proposed", False),
        )
        refuse_other_types(result)
        return result


def _judgement(data: Mapping[str, Any], name: str) -> Judgement:
    found = mapping(data[name], name)
    for intention, finding in mapping(found["findings"], f"{name}.findings").items():
        mapping(finding, f"{name}.findings.{intention}")
    return Judgement.from_json({**found, "flags": texts(found["flags"], f"{name}.flags")})


def _grader(data: Mapping[str, Any]) -> GraderSource:
    for name in ("intentions", "fixed", "let", "groups"):
        mapping(data[name], f"grader.{name}")
    return GraderSource.from_json(data)


def _limits(data: Mapping[str, Any]) -> Limits:
    baseline = None if data["baseline"] is None else mapping(data["baseline"], "baseline")
    return Limits(
        thresholds=_fractions(data, "thresholds"),
        baseline=None if baseline is None else {metric: Interval.from_json(ends) for metric, ends in baseline.items()},
        tolerance=read_fraction(data["tolerance"]),
        own=None if data["own"] is None else _fractions(data, "own"),
        must_pass=data["must_pass"],
    )


def _verdict(data: Mapping[str, Any]) -> Verdict:
    return Verdict(Outcome(data["outcome"]), texts(data["reasons"], "reasons"))


def _fractions(data: Mapping[str, Any], name: str) -> dict[str, Fraction]:
    return {key: read_fraction(value) for key, value in mapping(data[name], name).items()}


_PLAIN = (
    "node",
    "suite",
    "task",
    "task_sha256",
    "take",
    "condition",
    "spec",
    "value",
    "polarity",
    "said",
    "audio",
    "version",
)

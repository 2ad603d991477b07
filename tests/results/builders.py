"""Small, whole records for tests: every builder has a sound default for each field and takes what a test is about."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from pytest_talk2agent.grading.retention import Interval, Retention, Status
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.results.baseline import Baseline
from pytest_talk2agent.results.task_result import TaskResult, Visible
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.verdict import Limits, Outcome, Verdict

JUDGE = "lexical/1"
KEPT, CHANGED, OMITTED, OPEN = Label.RETAINED, Label.CHANGED, Label.OMITTED, Label.UNRESOLVED


def interval(low: str, high: str | None = None) -> Interval:
    return Interval(Fraction(low), Fraction(low if high is None else high))


ONE = interval("1")


def retention(
    native: Interval | None = ONE,
    shapley: Interval | None = ONE,
    status: Status = "scored",
    reason: str | None = None,
    lost: int = 0,
    lost_upper: int | None = None,
) -> Retention:
    return Retention(native, shapley, ONE, lost, lost if lost_upper is None else lost_upper, status, reason)


def undefined(reason: str = "nothing to lose") -> Retention:
    return retention(native=None, shapley=None, status="not_addressable", reason=reason)


def finding(label: Label = KEPT, heard: str | None = "8080", reason: str = "as it was said") -> Finding:
    if heard is None:
        return Finding(label, reason, expected="8080")
    return Finding(label, reason, expected="8080", heard=heard, start=0, end=len(heard))


def judgement(labels: Mapping[str, Label] | None = None, judge: str = JUDGE) -> Judgement:
    named = {"port": KEPT, "service": KEPT} if labels is None else labels
    return Judgement({name: finding(label) for name, label in named.items()}, judge)


def transcript(
    text: str = "set the port to 8080", fingerprint: str = "f00d", audio_sha256: str | None = "a" * 64
) -> Transcript:
    identity = {"name": "whisper", "model": fingerprint}
    return Transcript(text, fingerprint, identity, "0.1.0", audio_sha256=audio_sha256, seconds=1.5, elapsed=0.25)


def limits(native: str | None = None, shapley: str | None = None) -> Limits:
    given = {"native": native, "shapley": shapley}
    return Limits({metric: Fraction(limit) for metric, limit in given.items() if limit is not None})


def result(
    task: str = "files/set-port",
    *,
    take: str = "amy",
    condition: str = "whisper-tiny.en",
    spec: str = "whisper:tiny.en",
    outcome: Outcome = Outcome.PASSED,
    reasons: tuple[str, ...] = (),
    heard: Transcript | None = None,
    judged: Judgement | None = None,
    kept: Retention | None = None,
    held_to: Limits | None = None,
    weights: Mapping[str, Fraction] | None = None,
    polarity: str = "normal",
    task_sha256: str = "1" * 64,
    value: str = "0.5*port + 0.5*service",
    kinds: Mapping[str, str] | None = None,
    raw: Judgement | None = None,
    visible: Visible | None = None,
) -> TaskResult:
    found = judgement() if judged is None else judged
    return TaskResult(
        node=f"suites/tasks.yaml::{task}[{condition}-{take}]",
        suite="mini",
        task=task,
        task_sha256=task_sha256,
        take=take,
        condition=condition,
        spec=spec,
        value=value,
        polarity=polarity,
        said="set the port to eighty eighty",
        transcript=transcript() if heard is None else heard,
        judgement=found,
        retention=retention() if kept is None else kept,
        weights={"port": Fraction(1, 2), "service": Fraction(1, 2)} if weights is None else weights,
        limits=limits("1", "1") if held_to is None else held_to,
        verdict=Verdict(outcome, reasons),
        version="0.1.0",
        audio="audio/amy.flac",
        kinds=dict.fromkeys(found.findings, "number") if kinds is None else kinds,
        raw=raw,
        visible=visible,
    )


def lossy(task: str = "files/set-port", condition: str = "whisper-tiny.en") -> TaskResult:
    """A result that lost its port, and failed."""
    return result(
        task,
        condition=condition,
        outcome=Outcome.FAILED,
        reasons=("native 0.5 < 1", "shapley 0.5 < 1"),
        judged=judgement({"port": CHANGED, "service": KEPT}),
        kept=retention(interval("1/2"), interval("1/2"), lost=1),
    )


def baseline(path: Path, *results: TaskResult) -> Baseline:
    """The baseline that some results leave behind."""
    return Baseline(path=path, judge=JUDGE).updated(results or [result()], JUDGE, only_new=False)


def damage_one(root: Path) -> Path:
    """Flip one bit in the data of one record of a store; which one."""
    record = min(root.rglob("*.json"))
    content = bytearray(record.read_bytes())
    content[content.index(b'"data"') + 20] ^= 1
    record.write_bytes(content)
    return record

"""Results of trials, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pytest_talk2agent.execution.checking import Finding
from pytest_talk2agent.execution.record import State, Step, TrialKey, TrialRecord
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.grading.retention import Interval

IDENTITY = {"name": "obedient", "version": "1"}


def point(value: str | int) -> Interval:
    return Interval(Fraction(value), Fraction(value))


def trial(
    task: str = "own/move",
    score: str | int | None = 1,
    *,
    take: str = "amy",
    condition: str = "rc",
    agent: str = "obedient",
    round_: int = 1,
    native: str | int | None = 1,
    predicted: Interval | None = None,
    limit: int | None = 1,
    polarity: str = "normal",
    must_pass: bool = False,
    identity: Mapping[str, str] | None = None,
    state: State = "scored",
    reason: str = "",
    steps: tuple[Step, ...] = (Step("mv a.txt b.txt", 0),),
    criteria: Mapping[str, Finding] | None = None,
    heard: str = "Move a.txt to b.txt.",
    cost: Mapping[str, float] | None = None,
    stored: bool = False,
) -> TrialResult:
    found = (
        {"target": Finding(score == 1, "" if score == 1 else "b.txt is not there")} if criteria is None else criteria
    )
    return TrialResult(
        node=f"suites/own.yaml::{task}[{condition}-{take}-{round_}]",
        suite="own",
        task_sha256="1" * 64,
        take=take,
        condition=condition,
        spec="whisper:tiny.en",
        agent=agent,
        polarity=polarity,
        said="move a dot t x t to b dot t x t",
        heard=heard,
        record=TrialRecord(
            key=TrialKey(task, "2" * 64, "3" * 64, "4" * 64, round_),
            agent=agent,
            identity=IDENTITY if identity is None else identity,
            state="infrastructure_failed" if score is None else state,
            score=None if score is None else Fraction(score),
            criteria=found if score is not None else {},
            reason=reason,
            steps=steps,
            seconds=0.5,
            cost=cost or {},
        ),
        native=None if native is None else point(native),
        shapley=None if native is None else point(native),
        predicted=predicted if predicted is not None else None if native is None else point(native),
        labels={"target": "retained" if native == 1 else "changed"},
        limit=None if limit is None else Fraction(limit),
        must_pass=must_pass,
        stored=stored,
    )

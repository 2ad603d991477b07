"""The four gates and workflow success: target state, process validity, action completion, artifact validity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import Gate
from pytest_talk2agent.workflows.scoring.artifacts import (
    ArtifactScore,
    FieldCounts,
    grade_afterwards,
    score_artifact,
)
from pytest_talk2agent.workflows.scoring.fields import Bench
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth, both, either, opposite
from pytest_talk2agent.workflows.scoring.judge import FieldJudge
from pytest_talk2agent.workflows.scoring.predicates import Finding, Predicates
from pytest_talk2agent.workflows.scoring.say_do import check_assertions
from pytest_talk2agent.workflows.scoring.trace import Trace

GATES: tuple[Gate, ...] = ("TS", "PV", "AC", "AV")
TITLES: Mapping[Gate, str] = {
    "TS": "target state",
    "PV": "process validity",
    "AC": "action completion",
    "AV": "artifact validity",
}
Rule = Literal[
    "terminal state", "alternate terminal state", "forbidden", "critical gate", "precedence", "required action",
    "required evidence", "artifact", "assertion",
]  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """One reason why a gate failed or is open: which rule, what it wanted, what stood there, and where in the log."""

    gate: Gate
    rule: Rule
    id: str
    open: bool
    wanted: str
    found: str
    events: tuple[int, ...] = ()


@dataclass(frozen=True)
class SessionScore:
    """What one session is worth. A gate is True, False, or None where nobody judged what it hangs on.

    ``afa`` is the mean live field accuracy over the expected artifacts, None where a field is unjudged; ``counts`` are
    those for pooling. ``progress`` is the share of gates that hold.
    """

    gates: Mapping[Gate, Truth]
    problems: tuple[Problem, ...]
    artifacts: tuple[ArtifactScore, ...]
    counts: FieldCounts
    compat: Compat | None = None

    @property
    def success(self) -> Truth:
        """Whether all gates hold."""
        return both(self.gates.values())

    @property
    def progress(self) -> Fraction:
        """Share of gates that hold; a diagnostic."""
        return Fraction(sum(value is True for value in self.gates.values()), len(GATES))

    @property
    def afa(self) -> Fraction | None:
        """Mean live accuracy over the expected artifacts; 1 without any."""
        found = [one.afa for one in self.artifacts]
        known = [value for value in found if value is not None]
        if len(known) < len(found):
            return None
        return sum(known, Fraction(0)) / len(known) if known else Fraction(1)

    @property
    def failed(self) -> list[Gate]:
        """The gates that failed."""
        return [name for name in GATES if self.gates[name] is False]

    @property
    def unjudged(self) -> list[Gate]:
        """The gates that nobody could judge."""
        return [name for name in GATES if self.gates[name] is None]


@dataclass(frozen=True)
class Scores:
    """The score by the mended rules and by the published ones."""

    mended: SessionScore
    published: SessionScore

    def by(self, compat: Compat | None) -> SessionScore:
        """The score that counts."""
        return self.mended if compat is None else self.published

    @property
    def differences(self) -> list[str]:
        """Where the two differ, one line each: gates, success and accuracy."""
        pairs: list[tuple[str, object, object]] = [
            (name, _word(self.mended.gates[name]), _word(self.published.gates[name])) for name in GATES
        ]
        pairs.append(("success", _word(self.mended.success), _word(self.published.success)))
        pairs.append(("AFA", _number(self.mended.afa), _number(self.published.afa)))
        return [f"{name}: {one}, by apex-1.0 {two}" for name, one, two in pairs if one != two]


def _word(value: Truth) -> str:
    return {True: "pass", False: "fail", None: "unjudged"}[value]


def _number(value: Fraction | None) -> str:
    return "unjudged" if value is None else f"{float(value):.4f}"


def score_session(package: Package, trace: Trace, judge: FieldJudge | None = None) -> Scores:
    """Score a session by both sets of rules; each question is put to the judge once.

    Assertions of the package count in the gates that they name, by the mended rules alone.

    Raises:
        ValueError: for a session that the infrastructure lost, which has no score.
        PackageError: for assertions that are wrong.
    """
    if trace.state != "finished":
        raise ValueError(f"{trace.package}: the session has no score: {trace.failure or trace.state}")
    bench = Bench(judge)
    return Scores(_score(package, trace, bench), _score(package, trace, bench.as_published()))


def _score(package: Package, trace: Trace, bench: Bench) -> SessionScore:
    gold, predicates = package.gold, Predicates(package, trace, bench)
    problems: list[Problem] = []

    def note(gate: Gate, rule: Rule, finding: Finding, held: Truth) -> Truth:
        if held is not True:
            problem = Problem(gate, rule, finding.id, held is None, finding.wanted, finding.found, finding.events)
            problems.append(problem)
        return held

    target = [predicates.check(one) for one in gold.terminal_state]
    others = [[predicates.check(one) for one in group] for group in gold.alternate_terminal_states]
    reached = either([both(one.held for one in target), *(both(one.held for one in group) for group in others)])
    if reached is not True:
        for finding in target:
            note("TS", "terminal state", finding, finding.held)
        for finding in (one for group in others for one in group):
            note("TS", "alternate terminal state", finding, finding.held)

    process: list[Truth] = []
    for one in gold.forbidden:
        finding = predicates.check(one)
        process.append(note("PV", "forbidden", _negated(finding, must_hold=False), opposite(finding.held)))
    for gate in gold.critical_gates:
        finding = predicates.check(gate.predicate)
        held = finding.held if gate.must_hold else opposite(finding.held)
        process.append(note("PV", "critical gate", _named(_negated(finding, gate.must_hold), gate.id), held))
    if bench.compat is None:
        for rule in gold.precedence:
            finding = predicates.precedes(rule)
            process.append(note("PV", "precedence", finding, finding.held))

    actions: list[Truth] = []
    for required, kind in ((gold.required_actions, "required action"), (gold.required_evidence, "required evidence")):
        for one in required:
            finding = predicates.check(one)
            actions.append(note("AC", kind, finding, finding.held))  # type: ignore[arg-type]

    artifacts = tuple(score_artifact(one, trace, bench) for one in gold.artifact_expectations)
    for score in artifacts:
        problems += _problems(score, trace)
    truths: dict[Gate, list[Truth]] = {
        "TS": [reached],
        "PV": process,
        "AC": actions,
        "AV": [one.valid for one in artifacts],
    }
    for asserted in check_assertions(package, trace) if bench.compat is None else ():
        truths[asserted.gate].append(note(asserted.gate, "assertion", asserted.finding, asserted.finding.held))
    gates = {name: both(truths[name]) for name in GATES}
    expectations = {one.artifact_id: one for one in gold.artifact_expectations}
    counts = grade_afterwards(expectations, corrected_fields(package, trace, bench.compat), trace, bench)
    return SessionScore(gates, tuple(problems), artifacts, counts, bench.compat)


def _negated(finding: Finding, must_hold: bool) -> Finding:
    if must_hold:
        return finding
    return Finding(finding.id, finding.kind, finding.held, f"not: {finding.wanted}", finding.found, finding.events)


def _named(finding: Finding, name: str) -> Finding:
    return Finding(name, finding.kind, finding.held, finding.wanted, finding.found, finding.events)


def _problems(score: ArtifactScore, trace: Trace) -> list[Problem]:
    found = []
    for gap in score.gaps:
        events = [one.seq for one in trace.mutations if (one.artifact_id, one.path) == (score.artifact_id, gap.field)]
        name = f"{score.artifact_id}.{gap.field}" if gap.field else score.artifact_id
        found.append(Problem("AV", "artifact", name, gap.right is None, gap.wanted, gap.found, tuple(events)))
    return found


def corrected_fields(package: Package, trace: Trace, compat: Compat | None) -> frozenset[str]:
    """The required fields that the user corrected, as ``artifact.field``.

    Published: every field whose name is the last part of an expected repair of a correction that the package has, in
    any artifact. Here: the fields of corrections that happened in this session.
    """
    fired = {event.event_id for event in trace.events}
    repairs = {
        repair
        for event in package.events.events
        if "CORRECTION" in event.type and (compat is not None or event.id in fired)
        for repair in event.expected_repairs
    }
    names = {repair.rpartition(".")[2] for repair in repairs}
    return frozenset(
        place
        for expected in package.gold.artifact_expectations
        for one in expected.fields
        if one.required
        and (place := f"{expected.artifact_id}.{one.field}")
        and (one.field in names if compat is not None else place in repairs)
    )

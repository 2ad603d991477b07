"""Proof of a package before it is trusted: the oracle passes, silence does not, and every rule can be broken.

Sessions are run on the virtual clock, scored from their logs, and thrown away. A rule that no silence, no adversary of
the package and no mutant of the reference breaks says nothing about an agent, and is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_talk2agent.workflows.agents.adversary import AdversaryAgent
from pytest_talk2agent.workflows.agents.policy import Oracle, PolicyTalker, Silent
from pytest_talk2agent.workflows.agents.protocol import Agent, AgentError, Briefing, Talker
from pytest_talk2agent.workflows.agents.sabotage import SABOTAGE
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import PolicyTurn
from pytest_talk2agent.workflows.proof.mutants import mutants
from pytest_talk2agent.workflows.proof.reach import unasserted, unreachable
from pytest_talk2agent.workflows.scoring.assertions import assertions_of
from pytest_talk2agent.workflows.scoring.gates import GATES, Scores, SessionScore, score_session
from pytest_talk2agent.workflows.scoring.say_do import check_assertions
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import MakeBackend, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.state.backend import open_state

MOST_MUTANTS = 400
Rule = tuple[str, str, str]
"""A gate, the sort of a rule, and its id."""


@dataclass(frozen=True)
class Objection:
    """One reason not to trust a package; ``file`` is relative to its folder."""

    file: str
    message: str
    level: Literal["error", "warning"] = "error"


@dataclass(frozen=True)
class Proved:
    """What came of a proof: the objections, and how much was tried."""

    objections: tuple[Objection, ...]
    sessions: int
    rules: int


class _Mutated:
    """An agent that follows turns of its own."""

    control = True

    def __init__(self, turns: Sequence[PolicyTurn]) -> None:
        self._turns = turns

    def identity(self) -> dict[str, str]:
        return {"name": "mutant"}

    def start(self, briefing: Briefing) -> Talker:
        return PolicyTalker(self._turns)


class _Proof:
    def __init__(self, package: Package, backend: MakeBackend) -> None:
        self.package = package
        self.backend = backend
        self.sessions = 0
        self.broken: set[Rule] = set()
        self.shown: list[Any] = []

    def run(self, agent: Agent, spec: str) -> tuple[Trace, Scores]:
        """One session, scored from its log; what it broke is remembered."""
        self.sessions += 1
        log = run_session(self.package, agent, spec, backend=self.backend)
        trace = trace_of(replay(log.to_bytes()))
        scores = score_session(self.package, trace)
        for score in (scores.mended, scores.published):
            self.broken |= {(one.gate, one.rule, one.id) for one in score.problems if not one.open}
        return trace, scores


def prove(package: Package, backend: MakeBackend = open_state) -> Proved:
    """Prove a package; raises PackageError where its state or its assertions are wrong, StateError for its database."""
    proof = _Proof(package, backend)
    rules = list(rules_of(package))
    if package.policy is None:
        missing = Objection("reference/policy.yaml", "there is no reference; without an oracle nothing can be proved")
        return Proved((missing,), 0, len(rules))
    objections = [*_oracle(proof), *_silence(proof), *_empty(proof), *_adversaries(proof)]
    hidden = unreachable(package, proof.shown)
    objections += [Objection("grading/gold.yaml", f"{place}: {why}") for place, why in hidden]
    wanted = unasserted(package, assertions_of(package), proof.shown)
    objections += [Objection("grading/assertions.yaml", f"{name}: {why}") for name, why in wanted]
    if not any(one.file == "reference/policy.yaml" for one in objections):
        objections += _unbreakable(proof, rules)
    return Proved(tuple(objections), proof.sessions, len(rules))


def rules_of(package: Package) -> Iterator[tuple[Rule, str]]:
    """Every rule of a package with the file that has it."""
    gold = f"{package.task.gold_dir}/gold.yaml"
    spec = package.gold
    for one in spec.terminal_state:
        yield ("TS", "terminal state", one.id), gold
    for one in spec.forbidden:
        yield ("PV", "forbidden", one.id), gold
    for gate in spec.critical_gates:
        yield ("PV", "critical gate", gate.id), gold
    for kind, required in (("required action", spec.required_actions), ("required evidence", spec.required_evidence)):
        for one in required:
            yield ("AC", kind, one.id), gold
    for artifact in spec.artifact_expectations:
        for field in artifact.fields:
            if field.required and (field.expected is not None):
                yield ("AV", "artifact", f"{artifact.artifact_id}.{field.field}"), gold
    read = assertions_of(package)
    for assertion in read.assertions:
        yield (assertion.belongs_to, "assertion", assertion.id), "grading/assertions.yaml"
    built_in = [f"said but not done: {claim.id}" for claim in read.claims]
    built_in += [f"quoted after enrolling: {quote.id}" for quote in read.quotes]
    built_in += ["disclosed before verified"] if read.verification is not None else []
    for name in built_in:
        yield ("PV", "assertion", name), "grading/assertions.yaml"


def _oracle(proof: _Proof) -> Iterator[Objection]:
    file = "reference/policy.yaml"
    trace, scores = proof.run(Oracle(), "oracle")
    proof.shown = [call.result for call in trace.calls]
    if scores.mended.success is not True:
        for problem in scores.mended.problems:
            yield Objection(file, f"the oracle fails {problem.gate}, {_said(problem)}")
    for leak in trace.leaks:
        yield Objection(file, f"with the oracle the user was about to say {leak.fact_id!r} before its time")
    for plan in trace.fallbacks:
        yield Objection(proof.package.task.realization_bank, f"the plan {plan!r} was wanted and has no words")
    failed = [call.tool for call in trace.calls if call.error == "the tool failed"]
    if failed:
        yield Objection("state/state.yaml", f"the tool {failed[0]!r} failed under the oracle; correct its statements")


def _said(problem: Any) -> str:
    return f"{problem.rule} {problem.id}: wanted {problem.wanted}; found {problem.found}"


def _silence(proof: _Proof) -> Iterator[Objection]:
    _, scores = proof.run(Silent(), "silent")
    if scores.mended.success is True:
        yield Objection("grading/gold.yaml", "an agent that says and does nothing succeeds; require something of it")


def _empty(proof: _Proof) -> Iterator[Objection]:
    """Negative checks that hold although nothing happened at all."""
    package = proof.package
    backend = proof.backend(package)
    try:
        world = backend.snapshot()
    finally:
        backend.close()
    nothing = Trace(package=package.id, agent="nobody", world=world)
    negative = {one.id for one in assertions_of(package).assertions if one.negative}
    for asserted in check_assertions(package, nothing):
        finding = asserted.finding
        if finding.held is True and (finding.id in negative or finding.kind == "built in") and package.assertions:
            message = f"{finding.id} holds on an empty log; name with `once` a moment that a session has to reach"
            yield Objection("grading/assertions.yaml", message)


def _adversaries(proof: _Proof) -> Iterator[Objection]:
    for name, adversary in proof.package.adversaries.items():
        _, scores = proof.run(AdversaryAgent(name), f"adversary:{name}")
        file = f"reference/adversaries/{name}.yaml"
        pairs = [("", adversary.fails, scores.mended)]
        if adversary.fails_published is not None:
            pairs.append((" by the published scoring", adversary.fails_published, scores.published))
        for how, wanted, score in pairs:
            if set(score.failed) != set(wanted):
                yield Objection(file, f"fails {_gates(score.failed)}{how}, not {_gates(wanted)}: {_why(score)}")


def _gates(names: Iterable[str]) -> str:
    return ", ".join(name for name in GATES if name in set(names)) or "no gate"


def _why(score: SessionScore) -> str:
    return "; ".join(_said(problem) for problem in score.problems if not problem.open) or "nothing is wrong with it"


def _unbreakable(proof: _Proof, rules: Sequence[tuple[Rule, str]]) -> Iterator[Objection]:
    """The rules that nothing breaks; it stops trying once all were broken."""
    left = {rule for rule, _ in rules} - proof.broken
    for name in SABOTAGE:
        if left - proof.broken and name not in proof.package.adversaries:
            try:
                proof.run(AdversaryAgent(name), f"adversary:{name}")
            except AgentError:
                continue
    for number, mutant in enumerate(mutants(proof.package, assertions_of(proof.package))):
        if not left - proof.broken or number >= MOST_MUTANTS:
            break
        proof.run(_Mutated(mutant.turns), "mutant")
    for (gate, kind, name), file in rules:
        if (gate, kind, name) in left - proof.broken:
            message = f"nothing that was tried breaks the {kind} {name!r} ({gate}); write an adversary that does"
            yield Objection(file, message)

"""The record of one session: what it was, what it was worth by both sets of rules, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pytest_talk2agent.results.held import HeldRow
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.tasks.exact import Exact
from pytest_talk2agent.workflows.campaign.call_record import CallRecord
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import Gate
from pytest_talk2agent.workflows.scoring.floor import Yields, overlap_ratio, yields_of
from pytest_talk2agent.workflows.scoring.gates import Problem, Scores, SessionScore
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth, both
from pytest_talk2agent.workflows.scoring.service import Handoff, service_of
from pytest_talk2agent.workflows.scoring.timing import call_counts, repetition, response_latency, time_to_result
from pytest_talk2agent.workflows.scoring.trace import State, Trace

SCHEMA = 1
TIMED = "speech after stop"
"""The contract that is about time."""
Outcome = Literal["passed", "failed", "unjudged", "missing"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionKey(_Record):
    """What a session is: two with the same key are the same session, and it is held once.

    ``package_sha256`` covers the whole package, ``agent_sha256`` all that can change what the agent does, and
    ``scoring`` names the judge. ``sound`` says how a call was held, and is empty for a session without sound.
    """

    package: str
    package_sha256: str
    agent: str
    agent_sha256: str
    repetition: int
    seed: int
    clock: str
    scoring: str = "rules"
    sound: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the key."""
        values = self.model_dump()
        if not self.sound:
            del values["sound"]
        return content_key(*values.values())

    @property
    def file(self) -> str:
        """The name of its log among others."""
        return f"{self.digest}.jsonl"


class ProblemRecord(_Record):
    """One reason why a gate failed or is open (`scoring.gates.Problem`)."""

    gate: str
    rule: str
    id: str
    open: bool
    wanted: str
    found: str
    events: tuple[int, ...] = ()

    @classmethod
    def of(cls, problem: Problem) -> ProblemRecord:
        """The record of a problem."""
        return cls(**vars(problem))


class ScoreRecord(_Record):
    """A session by one set of rules. ``counts`` are those of `scoring.artifacts.FieldCounts`, for pooling."""

    gates: dict[Gate, Truth]
    afa: Exact | None
    counts: dict[str, int]
    problems: tuple[ProblemRecord, ...] = ()
    overlap: Exact
    latency_ms: Exact | None
    yields: tuple[int, int, tuple[int, ...], int, int, int]

    @property
    def success(self) -> Truth:
        """Whether all gates hold."""
        return both(self.gates.values())

    @property
    def floor(self) -> Yields:
        """The yields."""
        return Yields(*self.yields)

    @classmethod
    def of(cls, score: SessionScore, trace: Trace) -> ScoreRecord:
        """The record of a score, with the figures of the trace that go by the same rules."""
        return cls(
            gates=dict(score.gates),
            afa=score.afa,
            counts=vars(score.counts),
            problems=tuple(map(ProblemRecord.of, score.problems)),
            overlap=overlap_ratio(trace, score.compat),
            latency_ms=response_latency(trace, score.compat),
            yields=tuple(vars(yields_of(trace, score.compat)).values()),
        )


class SessionRecord(_Record):
    """One session.

    Attributes:
        labels: what kind of work it is, by slice axis.
        file: where the package is, for whoever reads it.
        state: ``infrastructure_failed`` has no scores and is *missing*: never the agent's fault, never a pass.
        reason: one line on a state that is not ``finished``.
        problems: what is against the session besides gates, one line each.
        calls, failed_calls, oracle_calls: tool calls; the last is None without a reference.
        satisfied: requests that the caller took for done, by what it heard; ``requests`` are all of them.
        handoff: whether the call was kept or passed on, and rightly so; None where the package does not say.
        asserted_requests: requests that assertions are about; ``done_requests`` those of which all hold.
        contracts: broken race contracts, one line each.
        log: path of the event log, relative to the folder of the run; ``log_sha256`` is the head of its chain.
        call: what a session on sound has besides.
    """

    schema_version: int = SCHEMA
    key: SessionKey
    labels: dict[str, str] = {}
    file: str = ""
    state: State = "finished"
    reason: str = ""
    attempts: int = 1
    mended: ScoreRecord | None = None
    published: ScoreRecord | None = None
    problems: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()
    end: str = ""
    turns: int = 0
    ttr_ms: int | None = None
    calls: int = 0
    failed_calls: int = 0
    oracle_calls: int | None = None
    repetition: Exact | None = None
    leaks: int = 0
    fallbacks: int = 0
    requests: int = 0
    satisfied: int = 0
    handoff: Handoff | None = None
    asserted_requests: int = 0
    done_requests: int = 0
    log: str = ""
    log_sha256: str = ""
    call: CallRecord | None = None

    @property
    def finished(self) -> bool:
        """Whether the session has a score, so that it is never held again."""
        return self.state == "finished"

    def score(self, compat: Compat | None = None) -> ScoreRecord:
        """The score by one set of rules; raises ValueError where there is none."""
        found = self.mended if compat is None else self.published
        if found is None:
            raise ValueError(f"{self.key.package}: the session has no score: {self.reason or self.state}")
        return found

    def success(self, compat: Compat | None = None) -> Truth:
        """Whether the session succeeded: all gates, and by the mended rules all contracts, too.

        A contract about time that broke on a host which cannot pace is undecided.
        """
        gates = self.score(compat).success
        if compat is not None:
            return gates
        timed = [one for one in self.contracts if one.startswith(f"{TIMED}:")]
        if timed and self.call is not None and self.call.refusal:
            return both([gates, None if len(timed) == len(self.contracts) else False])
        return both([gates, not self.contracts])

    def outcome(self, compat: Compat | None = None) -> Outcome:
        """The verdict in one word."""
        if not self.finished:
            return "missing"
        success = self.success(compat)
        return "unjudged" if success is None else "passed" if success else "failed"

    def row(self, compat: Compat | None = None) -> HeldRow:
        """The session as a baseline takes it in; raises ValueError where it has no score."""
        key = self.key
        outcome = self.outcome(compat)
        if outcome == "missing":
            raise ValueError(f"{key.package}: the session has no outcome")
        shas = key.agent_sha256, key.package, key.package_sha256
        return HeldRow(key.agent, *shas, key.repetition, outcome, self.file)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionRecord:
        """The inverse of `to_json`; raises ValueError for what is no record."""
        record = cls.model_validate(data)
        if record.schema_version != SCHEMA:
            raise ValueError(f"it is of schema {record.schema_version}; this version reads {SCHEMA}")
        if record.finished != (record.mended is not None and record.published is not None):
            raise ValueError("its scores do not go with its state")
        return record


def record_session(
    key: SessionKey,
    package: Package,
    trace: Trace,
    scores: Scores | None,
    *,
    problems: tuple[str, ...] = (),
    contracts: tuple[str, ...] = (),
    file: str = "",
    log: str = "",
    attempts: int = 1,
    call: CallRecord | None = None,
) -> SessionRecord:
    """The record of a session; ``scores`` is None exactly where the infrastructure failed."""
    oracle = None if package.policy is None else sum(len(turn.tool_calls) for turn in package.policy.turns)
    counts = call_counts(trace, oracle)
    service = None if scores is None else service_of(package, trace)
    return SessionRecord(
        key=key,
        labels=labels_of(package),
        file=file,
        state=trace.state,
        reason=trace.failure,
        attempts=attempts,
        mended=None if scores is None else ScoreRecord.of(scores.mended, trace),
        published=None if scores is None else ScoreRecord.of(scores.published, trace),
        problems=problems,
        contracts=contracts,
        end=trace.end,
        turns=trace.turns,
        ttr_ms=time_to_result(trace),
        calls=counts.all,
        failed_calls=counts.failed,
        oracle_calls=oracle,
        repetition=repetition([clip.heard for clip in trace.heard_by_user]),
        leaks=len(trace.leaks),
        fallbacks=len(trace.fallbacks),
        requests=len(trace.requests),
        satisfied=sum(request.satisfied is True for request in trace.requests),
        handoff=service.handoff if service else None,
        asserted_requests=service.requests if service else 0,
        done_requests=service.done if service else 0,
        log=log,
        log_sha256=trace.log_sha256,
        call=call,
    )


def labels_of(package: Package) -> dict[str, str]:
    """What kind of work a package is, by the axes of the published slices (4.11)."""
    card = package.taxonomy
    count = card.difficulty.required_fact_count
    return {
        "archetype": package.task.archetype,
        "industry": package.task.industry or card.professional_work.industry_setting,
        "approve": f"{'' if 'APPROVE' in card.interaction.delegation_patterns else 'not '}APPROVE-gated",
        "artifact": card.workspace.primary_artifact or "none",
        "autonomy": package.task.autonomy.level,
        "kburden": card.knowledge.burden,
        "tburden": card.knowledge.tool_burden,
        "uprofile": card.interaction.user_profile,
        "difficulty": "9 fields" if count <= 9 else "10 fields" if count == 10 else "11-13 fields",
        "risk": package.task.risk_tier,
    }

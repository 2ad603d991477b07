"""What both sides of a session act on: the log, the workbench, what was seen, and the scripted events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from pytest_talk2agent.workflows.agents.protocol import AgentFailedError, Call, InfrastructureError
from pytest_talk2agent.workflows.caller.caller import Caller
from pytest_talk2agent.workflows.caller.flow import Plan
from pytest_talk2agent.workflows.caller.observation import Observation
from pytest_talk2agent.workflows.caller.observer import Classifier, Observer, UnreachableError
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import EventSpec, Trigger
from pytest_talk2agent.workflows.session.event import Actor, EventType
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.options import Perturbation
from pytest_talk2agent.workflows.session.timeline import Timeline
from pytest_talk2agent.workflows.stable import canonical
from pytest_talk2agent.workflows.workbench.artifacts import Effect
from pytest_talk2agent.workflows.workbench.backend import StateError
from pytest_talk2agent.workflows.workbench.guard import Scope
from pytest_talk2agent.workflows.workbench.workbench import LARGEST_CALL, Outcome, Workbench

LONGEST_RAW = 500
"""Characters of arguments that are no JSON object, as the log keeps them."""
LOST_MS = 5_000
"""How long an agent waits for a result that is lost on its way."""


class Held(Protocol):
    """A conversation that can be held."""

    end: str
    """How it ended: an `Ending`."""

    @property
    def turn(self) -> int:
        """How many turns there were."""
        ...

    def begin(self) -> None:
        """Plan the first moment."""
        ...

    def finish(self) -> None:
        """Close what is open."""
        ...


Talking = TypeVar("Talking", bound=Held)


class Scene:
    """The shared state of one session. ``fired`` is called for every event that fires."""

    def __init__(
        self,
        package: Package,
        workbench: Workbench,
        log: EventLog,
        timeline: Timeline,
        *,
        perturbation: Perturbation,
        classifier: Classifier | None,
    ) -> None:
        self.package = package
        self.workbench = workbench
        self.log = log
        self.timeline = timeline
        self.caller = Caller(package, compat=workbench.compat)
        self.observer = Observer(package)
        self.perturbation = perturbation
        self.seen = Observation(world=workbench.state.get)
        self.fired: Callable[[EventSpec], None] = lambda event: None
        self._classifier = classifier
        self._unfired = [event for event in package.events.events if event.trigger != Trigger()]
        self._ever_fired: list[str] = []
        self._asked: Counter[str] = Counter()
        self._requests: dict[Scope, int] = {}
        self._calls = 0

    def hold(
        self, start: Callable[[], Talking], fault: Callable[[Exception], Mapping[str, Any]] = lambda error: {}
    ) -> tuple[Talking | None, dict[str, Any]]:
        """Start a conversation and hold it from the first word to the last: it, and how it ended.

        A fault of the agent ends it. A fault of something else leaves the state ``infrastructure_failed``, with what
        ``fault`` says of it; one before it could start leaves no conversation.
        """
        talking: Talking | None = None
        ending: dict[str, Any] = {"state": "finished", "failure": ""}
        try:
            try:
                talking = start()
                talking.begin()
                self.timeline.run()
                ending["end"] = talking.end
            except AgentFailedError as error:
                ending |= {"end": "agent-failed", "failure": str(error)}
            if talking is not None:
                talking.finish()
        except (InfrastructureError, StateError, UnreachableError) as error:
            more = fault(error)
            self.note("INFRA_FAILURE", "harness", error=str(error), **more)
            ending |= {"state": "infrastructure_failed", "end": "infrastructure", "failure": str(error), **more}
        return talking, {**ending, "turns": talking.turn if talking is not None else 0}

    def note(self, kind: EventType, actor: Actor, parents: Sequence[int] = (), /, **payload: Any) -> int:
        """Log an event at this moment; its number."""
        now, wall = self.timeline.now, self.timeline.wall_ns
        return self.log.append(kind, actor, now, payload, parents=tuple(parents), wall_time_ns=wall).seq

    def effects(self, effects: Sequence[Effect], cause: int) -> None:
        """Log what changed, and see it."""
        for effect in effects:
            actor: Actor = "environment" if effect.type != "APPROVAL_EVENT" else "harness"
            self.note(effect.type, actor, [cause], **effect.payload)
            if effect.type == "ARTIFACT_MUTATION" and not effect.payload["path"].startswith("@"):
                self.seen.mutations.append(f"{effect.payload['artifact_id']}.{effect.payload['path']}")

    def act(self, key: str, source: str, parent: int, value: str | None = None, **more: Any) -> None:
        """See an act of the agent."""
        self.note("AGENT_ACT", "agent", [parent], act=key, source=source, value=value, **more)
        self._asked[key] += 1
        self.seen.acts.append(key)

    def classify(self, heard: str, parent: int) -> None:
        """Let the model look for acts in what was heard, where there is one; its raw answer is logged."""
        if self._classifier is None or not heard.strip():
            return
        seen = {act.key for act in self.observer.in_speech(heard)}
        found = self._classifier.classify(heard, self.observer.known)
        asked = {"kind": "classifier", "text": heard, "answer": found.answer, "keys": list(found.keys)}
        number = self.note("POLICY_EVENT", "harness", [parent], **asked, error=found.error)
        for key in found.keys:
            if key not in seen:
                self.act(key, "model", number)

    def call(self, call: Call, turn: int) -> tuple[Outcome, int]:
        """Do a tool call now; its outcome, and the number of its TOOL_CALL."""
        args = plain_arguments(call.args)
        raw = {} if args is not None else {"raw": str(call.args)[:LONGEST_RAW]}
        number, self._calls = self._calls, self._calls + 1
        seq = self.note("TOOL_CALL", "agent", call=call.call_id, turn=turn, tool=call.name, args=args, **raw)
        outcome = self.workbench.call(call.name, args, self.timeline.now)
        self.effects(outcome.effects, seq)
        self.seen.tools.append(call.name)
        attempted = self.workbench.attempted(call.name)
        if attempted is not None:
            self.seen.commits.append(attempted)
        if outcome.requested is not None:
            self._requests[outcome.requested] = number + 1
        key = self.observer.of_tool(call.name, outcome.result) if outcome.ok else None
        if key is not None:
            self.act(key, "tool", seq)
        self.fire(seq)
        extra = self.perturbation.latency.get(number, 0)
        if number in self.perturbation.lost:
            note, late = "the result was lost", outcome.latency_ms + LOST_MS
            outcome = replace(outcome, ok=False, result=None, error="no answer in time", latency_ms=late, note=note)
        if extra:
            outcome = replace(outcome, latency_ms=outcome.latency_ms + extra)
        return outcome, seq

    def result(self, call: Call, outcome: Outcome, parent: int, *, abandoned: bool = False) -> None:
        """Log a result at the moment at which the agent gets it, and see it."""
        told = {"call": call.call_id, "tool": call.name, "ok": outcome.ok, "result": outcome.result}
        more = {
            "error": outcome.error,
            "auth_decision": outcome.decision.plain() if outcome.decision else None,
            "latency_ms": outcome.latency_ms,
            "effect": bool(outcome.effects),
            "statements": list(outcome.statements),
            "query": outcome.query,
            "hits": list(outcome.hits),
            "note": outcome.note,
            "abandoned": abandoned,
        }
        seq = self.note("TOOL_RESULT", "environment", [parent], **told, **more)
        self.seen.results.append(call.name)
        self.fire(seq)

    def fire(self, cause: int) -> None:
        """Let every event happen whose trigger matches what was seen, and what follows from that."""
        again = True
        while again:
            again = False
            seen = self.observe()
            for event in list(self._unfired):
                if not seen.matches(event.trigger, self.caller.engine.revealed):
                    continue
                self._unfired.remove(event)
                self._happen(event, cause)
                again = True
                break

    def _happen(self, event: EventSpec, cause: int) -> None:
        seq = self.note(
            "DUPLEX_EVENT",
            "environment",
            [cause],
            event_id=event.id,
            type=event.type,
            phase="fired",
            expected=event.expected_floor_action,
            task_critical=event.criticality == "task_critical",
            repairs=list(event.expected_repairs),
            max_stop_ms=event.max_stop_latency_ms,
            fact_updates=dict(event.fact_updates),
        )
        self.seen.fired.append(event.id)
        self._ever_fired.append(event.id)
        self.effects(self.workbench.happen(event, self.timeline.now), seq)
        self.caller.engine.learn(self.seen)
        self.fired(event)

    def observe(self) -> Observation:
        """What was seen since the user last had the floor, at this moment."""
        seen, compat = self.seen, self.workbench.compat
        seen.media_time_ms = self.timeline.now
        seen.asked = self._asked
        pending = self.workbench.guard.pending
        seen.approvals = {asked.scope.action_type: self._requests[asked.scope] for asked in pending}
        if not compat:
            seen.fired = [event for event in self._ever_fired if self.caller.engine.unanswered(event)]
        return seen

    def forget(self) -> None:
        """The user has had the floor: what is seen begins anew."""
        if self.workbench.compat:
            self._requests = {}
            self.workbench.guard.forget()
        self.seen = Observation(world=self.workbench.state.get)

    def waiting(self) -> list[str]:
        """The events that fired and that the flow has not answered."""
        return [event for event in self._ever_fired if self.caller.engine.unanswered(event)]

    def plan(self, plan: Plan, *, unsaid: bool = False) -> int:
        """Log what the user means to do, and facts that may not be spoken yet."""
        seq = self.note(
            "USER_PLAN",
            "user",
            plan_id=plan.id,
            speech_act=plan.speech_act,
            facts=list(plan.facts),
            floor_action=plan.floor_action,
            event_id=plan.event_id,
            dropped=list(plan.dropped),
            recovered=plan.recovered,
            unsaid=unsaid,
        )
        for fact in plan.dropped:
            self.note("POLICY_EVENT", "harness", [seq], kind="leak", fact_id=fact, plan_id=plan.id)
        return seq

    def onset(self, plan: Plan, seq: int) -> None:
        """What takes effect as the user begins to speak: approvals and revocations."""
        now = self.timeline.now
        if plan.speech_act == "APPROVE":
            _, effects = self.workbench.grant(now, plan.approves)
            self.effects(effects, seq)
        elif plan.speech_act in ("REVOKE", "DENY"):
            self.effects(self.workbench.revoke(now), seq)


def plain_arguments(args: Any) -> dict[str, Any] | None:
    """The arguments of a call as plain values; None where they are no JSON object, or one beyond all measure."""
    if not isinstance(args, Mapping):
        return None
    try:
        text = canonical(args)
        return dict(json.loads(text)) if len(text) <= LARGEST_CALL else None
    except (ValueError, TypeError, RecursionError):
        return None

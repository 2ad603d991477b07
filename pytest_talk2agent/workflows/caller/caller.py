"""The caller: the flow, and what a person does when the flow has nothing to say (APEX-Voice 2.4).

Recovery says an answer again that was asked for, at most twice; then it volunteers what may be volunteered; then it
prompts the agent to go on, as often as its patience lasts; then it ends the call. It never says a value that a newer
one has replaced, and never a fact before its time. With ``compat`` it answers unasked, and ends once all was said.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from pytest_talk2agent.workflows.caller.flow import FlowEngine, Plan, Taken
from pytest_talk2agent.workflows.caller.observation import Observation
from pytest_talk2agent.workflows.caller.requests import Satisfaction, Verdict
from pytest_talk2agent.workflows.package.manner import Manner, manner_of
from pytest_talk2agent.workflows.package.package import Package

MOST_PLANS = 24
"""Plans that are said in one go."""
MOST_REPEATS = 2
"""How often an answer is said again."""

End = Literal["done", "nothing-left", "patience"]


@dataclass(frozen=True)
class Turn:
    """What the caller does with the floor: says plans, a closing or a nudge, or ends the call.

    ``unsaid`` are plans of the flow that have no wording without a fact that may not be spoken yet.
    """

    plans: tuple[Plan, ...] = ()
    unsaid: tuple[Plan, ...] = ()
    say: Literal["closing", "nudge"] | None = None
    end: End | None = None
    reason: str = ""


class Caller:
    """The user of one session. Raises ValueError for a persona of another form."""

    def __init__(self, package: Package, *, compat: bool = False) -> None:
        self.manner: Manner = manner_of(package.persona)
        self.engine = FlowEngine(package, compat=compat)
        self.satisfaction = Satisfaction(self.manner, package.flow.start)
        self._compat = compat
        self._expressed = {
            line.user_plan_id: [frozenset(variant.expressed_fact_ids) for variant in line.variants]
            for line in package.bank
        }
        self._repeats: Counter[str] = Counter()
        self._nudges = 0
        self._closed = False
        self.gave_up = ""

    def take_floor(self, seen: Observation) -> Turn:
        """What the caller does once the agent has released the floor."""
        impatient = self._impatient(seen)
        if impatient:
            return self.give_up(impatient)
        plans = self._drain(seen)
        unsaid = tuple(plan for plan in plans if not self._has_words(plan))
        said = tuple(plan for plan in plans if plan not in unsaid)
        if said:
            self._nudges = 0
            return Turn(said, unsaid)
        turn = Turn(end="done") if self.engine.terminal else self._recover(seen)
        return replace(turn, unsaid=unsaid)

    def hear_last(self, seen: Observation) -> None:
        """The agent hung up: the flow still takes in what it heard, though nothing is said any more."""
        self._drain(seen)

    def overlap(self, seen: Observation) -> Plan | None:
        """What the caller says over the agent, if anything."""
        before = self.engine.state
        plan = self.engine.overlap(seen)
        self._entered(before)
        return plan

    def says(self, line: str, seen: Observation) -> tuple[Plan, bool]:
        """A person says a line of the flow: its plan, and whether it was due; raises KeyError for an unknown one."""
        before = self.engine.state
        found = self.engine.said(line, seen)
        self._entered(before)
        return found

    def follows(self, seen: Observation, taken: Taken) -> None:
        """A person has heard something: the flow goes where nothing has to be said for it."""
        before = self.engine.state
        self.engine.follow(seen, taken)
        self._entered(before)

    def give_up(self, reason: str) -> Turn:
        """Hang up."""
        self.gave_up = reason
        return Turn(end="patience", reason=reason)

    def verdicts(self) -> list[Verdict]:
        """How the caller took its requests."""
        return self.satisfaction.verdicts(done=self.engine.terminal, gave_up=self.gave_up)

    def _impatient(self, seen: Observation) -> str:
        patience = self.manner.patience
        if patience.total_ms is not None and seen.media_time_ms >= patience.total_ms:
            return f"the call took longer than {patience.total_ms} ms"
        if patience.reasks is not None:
            for act in seen.acts:
                if act.startswith("ASK:") and seen.asked[act] > patience.reasks:
                    return f"was asked for {act.removeprefix('ASK:')} more than {patience.reasks} times"
        return ""

    def _drain(self, seen: Observation) -> tuple[Plan, ...]:
        """Plans one after the other, until there is none or one led to another state."""
        plans: list[Plan] = []
        taken = Taken()
        while len(plans) < MOST_PLANS:
            before = self.engine.state
            plan = self.engine.step(seen, taken)
            self._entered(before)
            if plan is not None:
                plans.append(plan)
            elif self.engine.state == before:
                break
            if plan is not None and self.engine.state != before:
                break
            if plan is None and len(taken.transitions) > MOST_PLANS:
                break
        return tuple(plans)

    def _entered(self, before: str) -> None:
        if self.engine.state != before:
            self.satisfaction.enter(self.engine.state)

    def _recover(self, seen: Observation) -> Turn:
        again = self._again(seen) or self._volunteer()
        if again is not None:
            return Turn((again,))
        said = self.engine.everything_said()
        if said and (self._compat or self._nudges >= self.manner.patience.nudges):
            if self._closed:
                return Turn(end="nothing-left")
            self._closed = True
            return Turn(say="closing")
        if self._nudges >= self.manner.patience.nudges:
            return self.give_up(f"prompted the agent {self._nudges} times, in vain")
        self._nudges += 1
        return Turn(say="nudge")

    def _again(self, seen: Observation) -> Plan | None:
        """The answer to what was just asked, once more."""
        for act, state, action in self.engine.answers():
            if act in seen.acts and self._repeats[act] < MOST_REPEATS and self._speakable(action.facts):
                self._repeats[act] += 1
                return replace(self.engine.plan_of(state, action, recovered=True), floor_action="AFTER_FLOOR_RELEASE")
        return None

    def _volunteer(self) -> Plan | None:
        """The first answer that was not given yet, though nobody asked for it, where that may be."""
        for _, state, action in self.engine.answers():
            fresh = any(fact not in self.engine.revealed for fact in action.facts)
            if fresh and (self._compat or self._speakable(action.facts)) and not self._outdated(action.facts):
                return replace(self.engine.plan_of(state, action, recovered=True), floor_action="AFTER_FLOOR_RELEASE")
        return None

    def _has_words(self, plan: Plan) -> bool:
        """Whether a plan can be said without what may not be spoken yet."""
        said = self._expressed.get(plan.id, ())
        return self._compat or not plan.dropped or any(not facts & set(plan.dropped) for facts in said)

    def _speakable(self, facts: tuple[str, ...]) -> bool:
        return all(self.engine.eligible(fact) for fact in facts)

    def _outdated(self, facts: tuple[str, ...]) -> bool:
        return not self._compat and any(self.engine.corrected(fact) for fact in facts)

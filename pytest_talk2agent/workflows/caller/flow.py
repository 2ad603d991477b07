"""The flow engine: from what was observed to what the user means to do next (APEX-Voice 2.3 and 2.4).

The same observations give the same plans. It never holds a gold value, and no plan has a fact that may not be spoken
yet. Of a fact that has a newer version which the user knows of, the newer one is spoken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_talk2agent.workflows.caller.observation import Observation
from pytest_talk2agent.workflows.package.base import FloorAction, SpeechAct
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Action, Transition, Trigger, plan_id

OVERLAPPING: frozenset[FloorAction] = frozenset(
    ("BARGE_IN", "URGENT_OVERRIDE", "BACKCHANNEL", "OVERLAP_WITHOUT_FLOOR_CLAIM")
)
"""What is said while the agent speaks."""
CLAIMING: frozenset[FloorAction] = frozenset(("BARGE_IN", "URGENT_OVERRIDE"))
"""What is said over the agent to take the floor."""


@dataclass(frozen=True)
class Plan:
    """What the user means to do, without its wording.

    ``dropped`` are the facts that were taken out because they may not be spoken yet; ``approves`` is the action whose
    approval was asked for; ``recovered`` says that the flow itself had nothing to say.
    """

    id: str
    speech_act: SpeechAct
    facts: tuple[str, ...] = ()
    floor_action: FloorAction = "AFTER_FLOOR_RELEASE"
    urgency: str = "normal"
    event_id: str | None = None
    approves: str | None = None
    dropped: tuple[str, ...] = ()
    recovered: bool = False
    style: dict[str, Any] = field(default_factory=dict)


@dataclass
class Taken:
    """What was reacted to while the user has the floor: transitions, and acts that were answered."""

    transitions: set[tuple[str, int]] = field(default_factory=set)
    acts: set[str] = field(default_factory=set)


class FlowEngine:
    """The user's state machine in one session."""

    def __init__(self, package: Package, *, compat: bool = False) -> None:
        self._flow = package.flow
        self._facts = {fact.id: fact for fact in package.user.facts}
        self._newer = {fact.supersedes: fact.id for fact in package.user.facts if fact.supersedes is not None}
        self._actions = package.flow.actions()
        self._compat = compat
        self.state = package.flow.start
        self.entered: list[str] = [package.flow.start]
        self.acts: set[str] = set()
        self.events: set[str] = set()
        self.revealed: dict[str, int] = {}
        self._emitted: set[str] = set()
        self._answered_events: set[str] = set()
        self._answered_requests: dict[str, int] = {}

    @property
    def terminal(self) -> bool:
        """Whether the user wants nothing more."""
        return self._flow.states[self.state].terminal

    def learn(self, seen: Observation) -> None:
        """Take in acts and events, which decide what may be spoken."""
        self.acts.update(seen.acts)
        self.events.update(seen.fired)

    def step(self, seen: Observation, taken: Taken | None = None) -> Plan | None:
        """One step: at most one plan. What is ``taken`` is not reacted to again; what this step takes is added."""
        self.learn(seen)
        taken = Taken() if taken is None else taken
        if taken.acts:
            seen = replace(seen, acts=[act for act in seen.acts if act not in taken.acts])
        self._rearm(seen)
        entering = self._on_enter()
        if entering is not None:
            return entering
        for index, transition in enumerate(self._flow.states[self.state].transitions):
            if (self.state, index) in taken.transitions:
                continue
            if self._armed(transition, seen) and seen.matches(transition.when, self.revealed):
                taken.transitions.add((self.state, index))
                if transition.when.agent_act is not None:
                    taken.acts.add(transition.when.agent_act)
                return self._take(transition, seen)
        if not self._compat:
            self._skip()
        return None

    def overlap(self, seen: Observation) -> Plan | None:
        """The plan that an event brings while the agent speaks; None where it brings none that is said over it."""
        self.learn(seen)
        for transition in self._flow.states[self.state].transitions:
            action = transition.do or self._flow.states[transition.next].on_enter
            if (
                transition.when.external_event is not None
                and action is not None
                and action.floor_action in OVERLAPPING
                and self._armed(transition, seen)
                and seen.matches(transition.when, self.revealed)
            ):
                return self._take(transition, seen)
        return None

    def unanswered(self, event_id: str) -> bool:
        """Whether nothing was done yet about an event."""
        return event_id not in self._answered_events

    def answers(self) -> Iterator[tuple[str, str, Action]]:
        """The answers of the flow in file order: the act that asks for each, the state that has it, the action."""
        for name, state in self._flow.states.items():
            for transition in state.transitions:
                act, action = transition.when.agent_act, transition.do
                if act is not None and action is not None and action.act == "ANSWER":
                    yield act, name, action

    def plan_of(self, state: str, action: Action, approves: str | None = None, *, recovered: bool = False) -> Plan:
        """The plan of an action as it may be spoken now; what it says counts as spoken."""
        if not self._compat:
            state, action = self._newest(state, action)
        kept = tuple(name for name in action.facts if self.eligible(name) or (recovered and self._compat))
        plan = Plan(
            plan_id(state, action),
            action.act,
            kept,
            action.floor_action,
            action.urgency,
            action.event_id,
            approves,
            tuple(name for name in action.facts if name not in kept),
            recovered,
            action.style,
        )
        for name in kept:
            self.revealed.setdefault(name, len(self.revealed))
        return plan

    def eligible(self, name: str) -> bool:
        """Whether a fact may be spoken: volunteered, or its act, event or state has come."""
        rule = self._facts[name].reveal
        return (
            rule.may_volunteer
            or any(act in self.acts for act in rule.agent_acts)
            or any(event in self.events for event in rule.events)
            or any(state in self.entered for state in rule.on_state)
        )

    def everything_said(self) -> bool:
        """Whether every fact of the flow was spoken, in its newest version that may be."""
        said = set(self.revealed)
        facts = {name for _, action in self._actions for name in action.facts}
        return all(name in said or self._newer.get(name) in said for name in facts)

    def _newest(self, state: str, action: Action) -> tuple[str, Action]:
        """The action that says the newer version of what an action says, where the user knows of one."""
        for name in action.facts:
            newer = name
            while self.corrected(newer):
                newer = self._newer[newer]
            if newer != name:
                found = [(place, one) for place, one in self._actions if newer in one.facts]
                if found:
                    place, other = next((pair for pair in found if pair[1].act == "ANSWER"), found[0])
                    return place, other.model_copy(
                        update={
                            "plan_id": plan_id(place, other),
                            "floor_action": action.floor_action,
                            "event_id": action.event_id,
                        }
                    )
        return state, action

    def _skip(self) -> None:
        """Pass an answer that was given already, as to a question out of the order of the flow."""
        for transition in self._flow.states[self.state].transitions:
            action, when = transition.do, transition.when
            if (
                action is not None
                and action.act == "ANSWER"
                and when.agent_act in self.acts
                and when == Trigger(agent_act=when.agent_act)
                and transition.next != self.state
                and all(name in self.revealed for name in action.facts)
            ):
                self.state = transition.next
                self.entered.append(transition.next)
                return

    def corrected(self, name: str) -> bool:
        """Whether a fact has a newer version that was spoken, or whose event has come."""
        newer = self._newer.get(name)
        return newer is not None and (
            newer in self.revealed or any(event in self.events for event in self._facts[newer].reveal.events)
        )

    def _on_enter(self) -> Plan | None:
        action = self._flow.states[self.state].on_enter
        if action is None or self.state in self._emitted:
            return None
        self._emitted.add(self.state)
        return self.plan_of(self.state, action)

    def _rearm(self, seen: Observation) -> None:
        """Forget an answered request once it is gone; another request of the action has another number."""
        self._answered_requests = {
            action: number for action, number in self._answered_requests.items() if action in seen.approvals
        }

    def _armed(self, transition: Transition, seen: Observation) -> bool:
        """Whether an event or a request that a transition waits for was not answered already."""
        when = transition.when
        if when.external_event in self._answered_events:
            return False
        number = seen.approvals.get(when.approval_request or "")
        return number is None or self._answered_requests.get(when.approval_request or "") != number

    def _take(self, transition: Transition, seen: Observation) -> Plan | None:
        state, when = self.state, transition.when
        self._pass(transition, seen)
        if transition.do is not None:
            plan = self.plan_of(state, transition.do, when.approval_request)
            return replace(plan, event_id=plan.event_id or when.external_event)
        return self._on_enter()

    def _pass(self, transition: Transition, seen: Observation) -> None:
        """Go where a transition leads; what it waited for is answered."""
        when, state = transition.when, self.state
        if when.external_event is not None:
            self._answered_events.add(when.external_event)
        if when.approval_request is not None and when.approval_request in seen.approvals:
            self._answered_requests[when.approval_request] = seen.approvals[when.approval_request]
        if transition.next != state:
            self.state = transition.next
            self.entered.append(transition.next)

    # A user who decides by itself what it says

    def follow(self, seen: Observation, taken: Taken) -> None:
        """Take the transitions at which nothing is said. What is ``taken`` is not reacted to again."""
        self.learn(seen)
        self._rearm(seen)
        while (found := self._silent(seen, taken)) is not None:
            taken.transitions.add((self.state, found))
            transition = self._flow.states[self.state].transitions[found]
            if transition.when.agent_act is not None:
                taken.acts.add(transition.when.agent_act)
            self._pass(transition, seen)

    def said(self, line: str, seen: Observation) -> tuple[Plan, bool]:
        """The plan of a line that the user said by its own choice, and whether it was its turn to.

        Nothing is dropped or replaced: what was said is said. A line of another state than this one moves nothing.

        Raises:
            KeyError: for a line that the flow has not.
        """
        self.learn(seen)
        self._rearm(seen)
        entering = self._flow.states[self.state].on_enter
        if entering is not None and plan_id(self.state, entering) == line:
            fresh = self.state not in self._emitted
            self._emitted.add(self.state)
            return self._spoken(line, entering, Trigger(), recovered=not fresh), True
        everything = replace(seen, acts=[*self.acts])
        here = [one for one in self._flow.states[self.state].transitions if self._says(self.state, one, line)]
        due = [one for one in here if self._armed(one, everything) and everything.matches(one.when, self.revealed)]
        for transition in (due or here)[:1]:
            assert transition.do is not None, "it says something"
            self._pass(transition, seen)
            return self._spoken(line, transition.do, transition.when), bool(due)
        for name, state in self._flow.states.items():
            if state.on_enter is not None and plan_id(name, state.on_enter) == line:
                return self._spoken(line, state.on_enter, Trigger(), recovered=True), name in self.entered
            for transition in state.transitions:
                if self._says(name, transition, line) and transition.do is not None:
                    due_now = everything.matches(transition.when, self.revealed)
                    return self._spoken(line, transition.do, transition.when, recovered=True), due_now
        raise KeyError(line)

    def lines_here(self, seen: Observation) -> list[tuple[str, Trigger, bool]]:
        """The lines of this state, when each is said, and whether that is now; the first one until it was said."""
        state, everything = self._flow.states[self.state], replace(seen, acts=[*self.acts])
        found = [
            (
                plan_id(self.state, one.do),
                one.when,
                self._armed(one, seen) and everything.matches(one.when, self.revealed),
            )
            for one in state.transitions
            if one.do is not None
        ]
        if state.on_enter is not None and self.state not in self._emitted:
            found.insert(0, (plan_id(self.state, state.on_enter), Trigger(), True))
        return found

    def _silent(self, seen: Observation, taken: Taken) -> int | None:
        for index, transition in enumerate(self._flow.states[self.state].transitions):
            known = (self.state, index) in taken.transitions or transition.when.agent_act in taken.acts
            silent = transition.do is None and not known and self._armed(transition, seen)
            if silent and seen.matches(transition.when, self.revealed):
                return index
        return None

    def _says(self, state: str, transition: Transition, line: str) -> bool:
        return transition.do is not None and plan_id(state, transition.do) == line

    def _spoken(self, line: str, action: Action, when: Trigger, *, recovered: bool = False) -> Plan:
        for name in action.facts:
            self.revealed.setdefault(name, len(self.revealed))
        return Plan(
            line,
            action.act,
            action.facts,
            action.floor_action,
            action.urgency,
            action.event_id or when.external_event,
            when.approval_request,
            recovered=recovered,
            style=action.style,
        )

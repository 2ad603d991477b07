"""The card of a package: what the caller may know, as a person reads it before a call and follows it in one.

It is made of the user's side of the package alone. Neither gold, assertions, tools nor the observer's patterns are on
it, nor the title, which may say what the agent has to do. A line that only an event brings is kept back until then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.workflows.caller.flow import CLAIMING, OVERLAPPING
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.package.manner import manner_of
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Action, Trigger, UserFact, plan_id

LIT = "when this line lights up"
_HEARD: Mapping[str, str] = {
    "ASK": "when you are asked for: {}",
    "OFFER": "when you are offered: {}",
    "CONFIRM": "when it is read back to you: {}",
    "ANNOUNCE": "when it is announced: {}",
}
_BARE: Mapping[str, str] = {
    "ASK": "when you are asked",
    "OFFER": "when you are offered something",
    "CONFIRM": "when it is read back to you",
    "CLOSE": "when the agent says goodbye",
    "REFUSE": "when the agent says that it cannot",
    "HANDOFF": "when you are passed on",
}


@dataclass(frozen=True)
class CardLine:
    """One thing to say.

    Attributes:
        id: that of its plan in the flow.
        act: what saying it does, such as ANSWER or APPROVE.
        facts: name and value of what it tells.
        words: how the bank puts it, as an example; empty where it has none.
        when: when it is its turn, one line each.
        over: "barge-in" or "murmur" for what is said while the agent speaks, else empty.
        needs: events of which one has to happen before anybody knows of it; empty for all other lines.
    """

    id: str
    act: str
    facts: tuple[tuple[str, str], ...]
    words: str
    when: tuple[str, ...]
    over: str
    needs: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As the page gets it."""
        return {name: value for name, value in vars(self).items() if name != "needs"}


@dataclass(frozen=True)
class Card:
    """Who calls, what for, how, and the lines in the order of the flow."""

    who: str
    goal: str
    more: tuple[str, ...]
    manner: str
    first_speaker: str
    lines: tuple[CardLine, ...]

    def known(self, fired: Sequence[str]) -> list[CardLine]:
        """The lines that the caller knows of once some events have happened."""
        return [line for line in self.lines if not line.needs or set(line.needs) & set(fired)]

    def plain(self, fired: Sequence[str] = ()) -> dict[str, Any]:
        """As the page gets it: without lines that nobody knows of yet."""
        told = {name: value for name, value in vars(self).items() if name != "lines"}
        return {**told, "lines": [line.plain() for line in self.known(fired)]}


def card_of(package: Package, wordings: Wordings) -> Card:
    """The card of a package; ``wordings`` choose the examples."""
    user, persona = package.user, package.persona
    facts = {fact.id: fact for fact in user.facts}
    found: dict[str, list[tuple[Action, Trigger, str]]] = {}
    for line, action, when, text in _uses(package):
        found.setdefault(line, []).append((action, when, text))
    manner = persona.get("manner", "")
    return Card(
        who=_words(user.user_id),
        goal=user.goals_primary or user.delegation.user_outcome_request or "",
        more=(*user.goals_secondary, *user.constraints),
        manner=manner if isinstance(manner, str) else "",
        first_speaker=manner_of(persona).first_speaker,
        lines=tuple(_line(line, uses, facts, wordings) for line, uses in found.items()),
    )


def _uses(package: Package) -> Iterator[tuple[str, Action, Trigger, str]]:
    """Every place of the flow at which something is said: its line, and when that is."""
    start = package.flow.start
    for name, state in package.flow.states.items():
        if state.on_enter is not None:
            text = "to begin" if name == start else "at the end" if state.terminal else LIT
            yield plan_id(name, state.on_enter), state.on_enter, Trigger(), text
        for transition in state.transitions:
            if transition.do is not None:
                yield plan_id(name, transition.do), transition.do, transition.when, when_of(transition.when)


def _line(
    line: str, uses: Sequence[tuple[Action, Trigger, str]], facts: Mapping[str, UserFact], wordings: Wordings
) -> CardLine:
    action = uses[0][0]
    variant = wordings.variant(line)
    needs = [_needs(one, when, facts) for one, when, _ in uses]
    over = ""
    if action.floor_action in OVERLAPPING:
        over = "barge-in" if action.floor_action in CLAIMING else "murmur"
    return CardLine(
        id=line,
        act=action.act,
        facts=tuple((_words(name), shown(facts[name].value)) for name in action.facts),
        words="" if variant is None else variant.text,
        when=tuple(dict.fromkeys(text for _, _, text in uses)),
        over=over,
        needs=tuple(sorted(set().union(*needs))) if all(needs) else (),
    )


def _needs(action: Action, when: Trigger, facts: Mapping[str, UserFact]) -> set[str]:
    """The events of which one has to happen before a line can be known."""
    needs = {when.external_event} if when.external_event is not None else set()
    for name in action.facts:
        rule = facts[name].reveal
        if rule.events and not (rule.may_volunteer or rule.agent_acts or rule.on_state):
            needs |= set(rule.events)
    return needs


def when_of(when: Trigger) -> str:
    """When a line is due, in words; what a person cannot hear is shown by a light."""
    parts = []
    if when.agent_act is not None:
        act, _, about = when.agent_act.partition(":")
        form = _HEARD.get(act) if about else _BARE.get(act)
        parts.append(form.format(_words(about)) if form else f"when the agent does this: {_words(when.agent_act)}")
    if when.approval_request is not None:
        parts.append(f"when you are asked to approve: {_words(when.approval_request)}")
    return ", and ".join(parts) if parts and not is_lit(when) else LIT


def is_lit(when: Trigger) -> bool:
    """Whether a line waits for something that a person does not hear."""
    heard = {"agent_act", "approval_request"}
    return any(value is not None for name, value in when if name not in heard) or when == Trigger()


def shown(value: Any) -> str:
    """A value of a fact as it is read."""
    return ", ".join(map(shown, value)) if isinstance(value, list | tuple) else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").replace(":", " ").lower()

"""What the user's side sees of a stretch of a session, and whether a trigger matches it (APEX-Voice 2.1)."""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_talk2agent.workflows.package.user import Trigger

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def _nowhere(path: str) -> None:
    return None


@dataclass
class Observation:
    """What happened since the user last had the floor.

    ``acts`` are act keys in the order in which they were observed; ``approvals`` maps an action to the number of the
    request that waits for an answer; ``asked`` counts how often an act was observed in the whole session. ``world``
    looks up a dotted path.
    """

    media_time_ms: int = 0
    acts: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    approvals: dict[str, int] = field(default_factory=dict)
    fired: list[str] = field(default_factory=list)
    mutations: list[str] = field(default_factory=list)
    speech_ms: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    world: Callable[[str], Any] = _nowhere

    def matches(self, trigger: Trigger, revealed: Mapping[str, int] | None = None) -> bool:
        """Whether everything that a trigger names is there; ``revealed`` are the facts that were spoken."""
        return (
            trigger.agent_act in (None, *self.acts)
            and trigger.tool_call in (None, *self.tools)
            and trigger.tool_result in (None, *self.results)
            and trigger.commit_attempt in (None, *self.commits)
            and trigger.approval_request in (None, *self.approvals)
            and trigger.external_event in (None, *self.fired)
            and trigger.artifact_mutation in (None, *self.mutations)
            and (trigger.media_time_ms_gte is None or self.media_time_ms >= trigger.media_time_ms_gte)
            and (
                trigger.agent_speech_continuous_ms_gte is None
                or self.speech_ms >= trigger.agent_speech_continuous_ms_gte
            )
            and (trigger.repetition_count_gte is None or self._repeated(trigger) >= trigger.repetition_count_gte)
            and (trigger.fact_unrevealed is None or trigger.fact_unrevealed not in (revealed or {}))
            and (trigger.world_predicate is None or holds(trigger.world_predicate, self.world))
        )

    def _repeated(self, trigger: Trigger) -> int:
        if trigger.agent_act is not None:
            return self.asked[trigger.agent_act]
        return max((self.asked[act] for act in self.acts), default=0)


def holds(predicate: str, world: Callable[[str], Any]) -> bool:
    """Whether a world predicate, ``path OP value``, holds; one that cannot be compared does not.

    The value is JSON, or a text without quotes.
    """
    for sign in OPERATORS:
        path, found, text = predicate.partition(f" {sign} ")
        if found:
            try:
                value = json.loads(text)
            except ValueError:
                value = text.strip()
            try:
                return bool(OPERATORS[sign](world(path.strip()), value))
            except TypeError:
                return False
    return bool(world(predicate.strip()))

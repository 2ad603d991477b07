"""The user's side of a package: facts, the flow, events, how acts are observed, and the frozen speech bank.

Names and defaults are those of APEX-Voice 1.0 (`UserState`, `FlowSpec`, `EventProgram`, `RealizationBank`).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pytest_talk2agent.workflows.package.base import (
    AgentFloorAction,
    DelegationPattern,
    FloorAction,
    Record,
    SpeechAct,
    UserProfile,
)

Urgency = Literal["normal", "high"]


class RevealRule(Record):
    """When a fact may be spoken: volunteered, or after any of these acts, events or flow states."""

    may_volunteer: bool = False
    agent_acts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    on_state: tuple[str, ...] = ()


class UserFact(Record):
    """One thing that the user knows; ``supersedes`` names the older version of it."""

    id: str
    value: Any
    source: str = "task_fixture"
    visibility: Literal["private_user", "public"] = "private_user"
    truth_status: bool = True
    criticality: Literal["required", "optional", "distractor"] = "required"
    supersedes: str | None = None
    reveal: RevealRule = RevealRule()


class Delegation(Record):
    """How the user hands the work over."""

    patterns: tuple[DelegationPattern, ...] = ()
    user_outcome_request: str | None = None
    procedural_steps_revealed: bool = False


class ApprovalState(Record):
    """Approvals at the beginning of a call."""

    pending_actions: tuple[str, ...] = ()
    active_tokens: tuple[str, ...] = ()
    revoked_tokens: tuple[str, ...] = ()


class UserState(Record):
    """Who calls, and what they know (`user/user_state.yaml`)."""

    user_id: str
    profile: UserProfile
    facts: tuple[UserFact, ...]
    schema_version: int = 1
    role: str = "user"
    persona: dict[str, Any] = Field(default_factory=dict)
    goals_primary: str | None = None
    goals_secondary: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    delegation: Delegation = Delegation()
    approval_state: ApprovalState = ApprovalState()


class Trigger(Record):
    """When a transition or an event comes: all that is set must match; what is not set matches anything.

    Acts are ``ACT:field`` or ``ACT``; a mutation is ``artifact.field``; a world predicate is ``path OP value``, with an
    operator of ``==``, ``!=``, ``<=``, ``>=``, ``<`` or ``>`` and a JSON value. Times are in milliseconds.
    """

    agent_act: str | None = None
    tool_call: str | None = None
    tool_result: str | None = None
    artifact_mutation: str | None = None
    commit_attempt: str | None = None
    approval_request: str | None = None
    world_predicate: str | None = None
    external_event: str | None = None
    media_time_ms_gte: int | None = None
    agent_speech_continuous_ms_gte: int | None = None
    repetition_count_gte: int | None = None
    fact_unrevealed: str | None = None


class Action(Record):
    """What the user does in a transition, without its wording."""

    act: SpeechAct
    facts: tuple[str, ...] = ()
    floor_action: FloorAction = "AFTER_FLOOR_RELEASE"
    urgency: Urgency = "normal"
    event_id: str | None = None
    plan_id: str | None = None
    style: dict[str, Any] = Field(default_factory=dict)


class Transition(Record):
    """From one state to the next."""

    when: Trigger = Trigger()
    do: Action | None = None
    next: str


class FlowState(Record):
    """A state of the flow."""

    on_enter: Action | None = None
    transitions: tuple[Transition, ...] = ()
    terminal: bool = False


class FlowSpec(Record):
    """The user's state machine (`user/flow.yaml`)."""

    states: dict[str, FlowState]
    start: str = "START"

    def actions(self) -> list[tuple[str, Action]]:
        """Every action with the state that holds it, in file order."""
        found: list[tuple[str, Action]] = []
        for name, state in self.states.items():
            found += [(name, state.on_enter)] if state.on_enter else []
            found += [(name, transition.do) for transition in state.transitions if transition.do]
        return found


def plan_id(state: str, action: Action) -> str:
    """The id under which the bank has the words of an action."""
    return action.plan_id or f"{state}:{action.act}"


class EventSpec(Record):
    """Something that happens on the line or in the world, once, when its trigger matches.

    ``start_window_ms`` is relative to the beginning of the agent's speech, in milliseconds.
    """

    id: str
    type: str
    criticality: Literal["task_critical", "nuisance"] = "task_critical"
    trigger: Trigger = Trigger()
    start_window_ms: tuple[int, int] | None = None
    delivery: FloorAction = "AFTER_FLOOR_RELEASE"
    expected_floor_action: AgentFloorAction | None = None
    max_stop_latency_ms: int | None = Field(default=None, gt=0)
    fact_updates: dict[str, Any] = Field(default_factory=dict)
    expected_repairs: tuple[str, ...] = ()
    world_updates: dict[str, Any] = Field(default_factory=dict)
    forbidden_tool_commits: tuple[str, ...] = ()


class EventProgram(Record):
    """The file of events (`user/events.yaml`)."""

    events: tuple[EventSpec, ...] = ()


class ActPattern(Record):
    """A regular expression, without regard to capitals, that shows an act in what the agent says.

    The field is the static one, or the named group ``field``.
    """

    act: str
    pattern: str
    field: str | None = None


class ObserverSpec(Record):
    """How acts are observed (`user/observer.yaml`)."""

    patterns: tuple[ActPattern, ...] = ()
    tool_act_map: dict[str, str] = Field(default_factory=dict)


class Compiler(Record):
    """What wrote a variant."""

    realizer: str = ""
    version: str = ""
    seed: int | None = None
    prompt_hash: str = ""


class Variant(Record):
    """One wording of a plan."""

    variant_id: str
    text: str = Field(min_length=1)
    expressed_fact_ids: tuple[str, ...] = ()
    compiler: Compiler = Compiler()
    checksum: str = ""


class BankLine(Record):
    """The approved wordings of a plan (`user/realization_bank.jsonl`)."""

    user_plan_id: str
    speech_act: SpeechAct
    variants: tuple[Variant, ...] = Field(min_length=1)


class WordTime(Record):
    """When a word of a clip is heard, in milliseconds from its beginning."""

    word: str
    start_ms: float
    end_ms: float


class Clip(Record):
    """A recorded wording (`user/audio/index.jsonl`)."""

    file: str
    text: str
    num_samples: int = Field(ge=0)
    sample_rate: int = Field(default=24_000, gt=0)
    kind: Literal["variant", "closing", "nudge"] = "variant"
    user_plan_id: str | None = None
    variant_id: str | None = None
    voice: str = ""
    pcm16_sha256: str = ""
    word_timestamps: tuple[WordTime, ...] = ()

    @property
    def duration_ms(self) -> int:
        """How long the clip is, in whole milliseconds, rounded up."""
        return -(-self.num_samples * 1000 // self.sample_rate)

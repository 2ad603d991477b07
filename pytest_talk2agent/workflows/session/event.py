"""An event of a session: one line of its log.

The keys are those of APEX-Voice 1.9, with ``prev`` and ``digest`` for the chain. What each type carries in ``payload``:

| type | payload |
|---|---|
| RUN_START | format, task_id, model_id (the agent's spec), agent (its identity), seed, repetition, clock, compat, perturbation, classifier, package (all of it, as plain values), package_sha256, world (as the session found it), speech (ms a word) |
| USER_STATE_TRANSITION | from, to |
| USER_PLAN | plan_id, speech_act, facts, floor_action, event_id, dropped (facts that may not be spoken yet), recovered, unsaid |
| USER_AUDIO_START | utterance, text, duration_ms, plan_id, variant_id, speech_act, facts, approves, kind (turn, barge_in, backchannel, recovered, closing, nudge), over (utterance of the agent that it meets, or null); of a person: start_ms, duration_ms null, marked (when its line was: before, during, after, unmarked) |
| USER_AUDIO_END | utterance; of a person: played_ms, and heard, text and cut as the agent's |
| USER_TEXT | utterance, text, listener, error: what a recogniser made of a person's words |
| AGENT_TEXT | turn, text: all that the agent set out to say; asked_ms, continuation, cancelled, end_call, usage |
| AGENT_AUDIO_START | utterance, turn, text, duration_ms |
| AGENT_AUDIO_END | utterance, played_ms, heard, cut |
| AGENT_ACT | act, source (pattern, tool, model), value |
| TOOL_CALL | call, turn, tool, args; raw where these were no JSON object, and args null |
| TOOL_RESULT | call, tool, ok, result, error, auth_decision (code, action_type, target_id, token_id, reason), latency_ms, effect, statements, query, hits, note, abandoned |
| ARTIFACT_MUTATION | artifact_id, path (a field; ``@lifecycle``; ``@stale``), old, new, version |
| WORLD_MUTATION | path (list of keys; of a database table, key, column), old, new, had, has |
| DUPLEX_EVENT | event_id, type, phase fired: expected, task_critical, repairs, max_stop_ms; phase met: onset_ms; phase over: onset_ms, agent_yielded, isl_ms, retained |
| POLICY_EVENT | kind: leak (fact_id, plan_id; spoken where a person said it), out_of_turn (plan_id), request (request_id, satisfied, reason), patience (reason), limit (what), classifier (text, answer, keys, error) |
| APPROVAL_EVENT | kind (requested, granted, revoked), action_type, target_id, token_id, content_sha256 |
| SIMULATOR_FALLBACK | user_plan_id |
| INFRA_FAILURE | error |
| RUN_END | state, end, failure, turns, workspace_sha256, world_sha256; of a call: recording, measures, pacing, fault, person |
"""  # noqa: E501 a table row is a line

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

EventType: TypeAlias = Literal[
    "RUN_START",
    "USER_STATE_TRANSITION",
    "USER_PLAN",
    "USER_TEXT",
    "USER_AUDIO_START",
    "USER_AUDIO_CHUNK",
    "USER_AUDIO_END",
    "AGENT_AUDIO_START",
    "AGENT_AUDIO_CHUNK",
    "AGENT_AUDIO_END",
    "AGENT_TEXT",
    "AGENT_TRANSCRIPT_PARTIAL",
    "AGENT_ACT",
    "TOOL_CALL",
    "TOOL_RESULT",
    "ARTIFACT_MUTATION",
    "WORLD_MUTATION",
    "DUPLEX_EVENT",
    "POLICY_EVENT",
    "APPROVAL_EVENT",
    "RUN_END",
    "INFRA_FAILURE",
    "SIMULATOR_FALLBACK",
]
Actor: TypeAlias = Literal["user", "agent", "environment", "harness"]

EVENT_TYPES: frozenset[str] = frozenset(get_args(EventType))
ACTORS: frozenset[str] = frozenset(get_args(Actor))
FORMAT = 1


@dataclass(frozen=True)
class Event:
    """What happened at a moment of the media timeline; ``seq`` counts from 0, parents are events before it.

    ``media_time_ms`` is in whole milliseconds. ``wall_time_ns`` counts from the start of the session; under the virtual
    clock it is the media time.
    """

    seq: int
    type: EventType
    actor: Actor
    media_time_ms: int
    payload: Mapping[str, Any]
    causal_parents: tuple[int, ...] = ()
    wall_time_ns: int = 0


@dataclass(frozen=True)
class RunLabel:
    """What every line of one log says about its session."""

    run_id: str
    task_version: str
    condition: str

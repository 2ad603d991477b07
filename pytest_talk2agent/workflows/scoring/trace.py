"""The trace of a session: the one record that scoring reads, rebuilt from the event log alone.

Everything in it happened; nothing in it is gold. Times are whole milliseconds on the media timeline, ``seq`` is the
number of the log event that an entry stands for. Values are plain JSON values. Sequences are in the order of the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

SCHEMA = 1

DecisionCode = Literal["AUTHORIZED", "PREMATURE_COMMIT", "POST_REVOCATION_COMMIT", "WRONG_SCOPE_COMMIT"]
"""What the commit guard says, in the order of APEX-Voice 1.7; an approval of other content is premature."""

State = Literal["finished", "infrastructure_failed"]
"""``infrastructure_failed``: nobody knows what the agent would have done. It has no score and is run again."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Decision(_Record):
    """What the commit guard decided about one attempt to commit; ``reason`` says more where it refused."""

    code: DecisionCode
    action_type: str
    target_id: str = ""
    token_id: str | None = None
    reason: str = ""


class ToolCall(_Record):
    """A tool call that reached the workbench, with its result.

    ``abandoned`` says that the agent was cut off before it could use the result. ``effect`` says that the call wrote
    something, ``statements`` are the SQL statements that it ran, as they were logged.
    """

    seq: int
    media_ms: int
    call_id: str
    tool: str
    args: Mapping[str, Any] | None
    ok: bool
    result: Any = None
    error: str | None = None
    decision: Decision | None = None
    result_seq: int | None = None
    result_ms: int | None = None
    abandoned: bool = False
    effect: bool = False
    statements: tuple[str, ...] = ()


class Mutation(_Record):
    """One write to an artifact field or lifecycle; ``cause`` is the seq of the tool call or event behind it."""

    seq: int
    media_ms: int
    artifact_id: str
    path: str
    old: Any = None
    new: Any = None
    cause: int | None = None


class WorldChange(_Record):
    """One change of the world state at a dotted path."""

    seq: int
    media_ms: int
    path: str
    old: Any = None
    new: Any = None
    cause: int | None = None


class RowChange(_Record):
    """One row of an SQL world that a session changed: None before an insert and after a delete."""

    table: str
    key: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


class ArtifactState(_Record):
    """An artifact as the session left it; ``stale`` are the fields that wait to be written again."""

    artifact_id: str
    artifact_type: str
    lifecycle: str
    fields: Mapping[str, Any]
    stale: tuple[str, ...] = ()


class Search(_Record):
    """A search of the knowledge base and the documents that it returned, best first."""

    seq: int
    media_ms: int
    query: str
    doc_ids: tuple[str, ...]


class Act(_Record):
    """An act of the agent that the observer saw: ``ACT:field`` or ``ACT``.

    ``stepped`` says that the flow engine took a step afterwards. The acts of the last beat have no such step, and
    APEX-Voice's own predicates do not see them.
    """

    seq: int
    media_ms: int
    key: str
    source: Literal["pattern", "tool", "model"] = "pattern"
    stepped: bool = True


class Approval(_Record):
    """A grant or a revocation of an approval, at the onset of the user's words."""

    seq: int
    media_ms: int
    kind: Literal["requested", "granted", "revoked"]
    action_type: str
    target_id: str = ""
    token_id: str | None = None
    content_sha256: str | None = None


class Clip(_Record):
    """A stretch of speech, as it was played out.

    ``text`` is what the speaker set out to say, ``heard`` what was delivered before the clip ended; they differ where
    a barge-in cut it. ``plan_id``, ``speech_act`` and ``facts`` are those of a user's plan; ``kind`` is ``turn``,
    ``barge_in``, ``backchannel``, ``recovered``, ``closing`` or ``nudge``. ``turn`` counts the speaker's turns.
    """

    seq: int
    speaker: Literal["user", "agent"]
    start_ms: int
    end_ms: int
    text: str
    heard: str
    turn: int = 0
    kind: str = "turn"
    plan_id: str | None = None
    speech_act: str | None = None
    facts: tuple[str, ...] = ()
    cut: bool = False


class DuplexEvent(_Record):
    """A scripted event that fired.

    ``onset_ms`` is where the user's voice set in over the agent's, None where it did not. ``yielded`` is None where the
    event has no outcome: it met no speech of the agent. ``stop_ms`` is the time from the onset until the agent was
    silent, None where it did not stop. ``retained`` says whether what the user said over the agent entered the work.
    """

    seq: int
    media_ms: int
    event_id: str
    type: str
    expected: Literal["YIELD", "CONTINUE"] | None = None
    onset_ms: int | None = None
    yielded: bool | None = None
    stop_ms: int | None = None
    task_critical: bool = False
    retained: bool | None = None
    repairs: tuple[str, ...] = ()
    max_stop_ms: int | None = None


class Wait(_Record):
    """A time that the user waited for the agent: from the request for a response to its first sound, if any.

    ``continuation`` marks a response that goes on after a tool result rather than answering the user.
    """

    asked_ms: int
    first_audio_ms: int | None
    continuation: bool = False


class Leak(_Record):
    """A fact that the user engine was about to say before it was eligible; it was stripped."""

    seq: int
    fact_id: str
    plan_id: str | None = None


class RequestOutcome(_Record):
    """How the caller took one of its requests, by what it heard alone; None where it never came to it."""

    request_id: str
    satisfied: bool | None
    reason: str = ""
    seq: int | None = None


class Trace(_Record):
    """A whole session.

    Attributes:
        package: id of the task package; ``package_sha256`` covers all its files.
        agent: spec of the agent.
        end: why the session ended: ``user``, ``agent``, ``turns``, ``patience``, ``budget`` and the like.
        failure: one line on a state that is not ``finished``.
        fallbacks: ids of user plans for which no utterance was there.
        turns: turns of the agent.
        started_ms, ended_ms: media time of the first sound of the user, and of the end.
        world: the world state at the end; ``rows`` what changed in an SQL world.
        has_knowledge: whether the package has a knowledge base.
        spoken: of a call, where ``user`` and ``agent`` were measured to speak, in ms; empty for other sessions.
        log_sha256: head of the hash chain of the log.
    """

    schema_version: int = SCHEMA
    package: str
    package_version: str = ""
    package_sha256: str = ""
    agent: str
    repetition: int = 0
    seed: int = 0
    state: State = "finished"
    failure: str = ""
    end: str = ""
    fallbacks: tuple[str, ...] = ()
    turns: int = 0
    started_ms: int | None = None
    ended_ms: int = 0
    world: Mapping[str, Any] = {}
    rows: tuple[RowChange, ...] = ()
    world_changes: tuple[WorldChange, ...] = ()
    artifacts: Mapping[str, ArtifactState] = {}
    mutations: tuple[Mutation, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    acts: tuple[Act, ...] = ()
    approvals: tuple[Approval, ...] = ()
    has_knowledge: bool = False
    searches: tuple[Search, ...] = ()
    events: tuple[DuplexEvent, ...] = ()
    clips: tuple[Clip, ...] = ()
    spoken: Mapping[str, tuple[tuple[int, int], ...]] = {}
    waits: tuple[Wait, ...] = ()
    leaks: tuple[Leak, ...] = ()
    requests: tuple[RequestOutcome, ...] = ()
    hung_up: str = ""
    log_sha256: str = ""

    @property
    def heard_by_user(self) -> list[Clip]:
        """The agent's clips of which the user heard at least a word."""
        return [clip for clip in self.clips if clip.speaker == "agent" and clip.heard.strip()]

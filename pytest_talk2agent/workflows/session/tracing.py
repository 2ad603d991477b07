"""From a proven log to the record that scoring reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_talk2agent.workflows.scoring.trace import (
    Act,
    Approval,
    ArtifactState,
    Clip,
    Decision,
    DuplexEvent,
    Leak,
    Mutation,
    RequestOutcome,
    RowChange,
    Search,
    ToolCall,
    Trace,
    Wait,
    WorldChange,
)
from pytest_talk2agent.workflows.session.event import Event
from pytest_talk2agent.workflows.session.replay import Replayed
from pytest_talk2agent.workflows.workbench.artifacts import STALE_PATH


def trace_of(done: Replayed) -> Trace:
    """The trace of a session whose log holds."""
    return _Tracing(done).trace()


class _Tracing:
    def __init__(self, done: Replayed) -> None:
        self.done = done
        self.events = done.log.events
        self.by_type: dict[str, list[Event]] = {}
        for event in self.events:
            self.by_type.setdefault(event.type, []).append(event)
        self.measures: Mapping[str, Any] = done.ending.get("measures", {})
        self.results = {event.causal_parents[0]: event for event in self.of("TOOL_RESULT")}
        self.texts = {event.payload["utterance"]: event.payload["text"] for event in self.of("USER_TEXT")}

    def of(self, *types: str) -> list[Event]:
        found = [event for kind in types for event in self.by_type.get(kind, [])]
        return sorted(found, key=lambda event: event.seq) if len(types) > 1 else found

    def policy(self, kind: str) -> list[Event]:
        return [event for event in self.of("POLICY_EVENT") if event.payload["kind"] == kind]

    def trace(self) -> Trace:
        start, end, package = self.done.start, self.done.ending, self.done.package
        spoken = self.of("USER_AUDIO_START")
        working = {event.payload["turn"] for event in self.of("TOOL_CALL")}
        turns = [e for e in self.of("AGENT_TEXT") if e.payload["text"].strip() or e.payload["turn"] in working]
        patience = self.policy("patience")
        return Trace(
            package=package.id,
            package_version=package.task.version,
            package_sha256=start["package_sha256"],
            agent=start["model_id"],
            repetition=start["repetition"],
            seed=start["seed"],
            state=end["state"],
            failure=end["failure"],
            end=end["end"],
            fallbacks=tuple(event.payload["user_plan_id"] for event in self.of("SIMULATOR_FALLBACK")),
            turns=len(turns),
            started_ms=min((_begins(event) for event in spoken), default=None),
            ended_ms=self.events[-1].media_time_ms,
            world=self.done.world,
            rows=self.rows(),
            world_changes=tuple(map(self.world_change, self.of("WORLD_MUTATION"))),
            artifacts={name: self.artifact(plain) for name, plain in self.done.artifacts.items()},
            mutations=tuple(self.mutation(e) for e in self.of("ARTIFACT_MUTATION") if e.payload["path"] != STALE_PATH),
            calls=tuple(map(self.call, self.of("TOOL_CALL"))),
            acts=tuple(map(self.act, self.of("AGENT_ACT"))),
            approvals=tuple(self.approval(event) for event in self.of("APPROVAL_EVENT")),
            has_knowledge=package.documents is not None,
            searches=tuple(self.search(e) for e in self.of("TOOL_RESULT") if e.payload["query"] is not None),
            events=tuple(self.duplex(e) for e in self.of("DUPLEX_EVENT") if e.payload["phase"] == "fired"),
            spoken={side: tuple(map(tuple, self.measures[side])) for side in ("user", "agent") if self.measures},
            clips=tuple(map(self.clip, self.of("USER_AUDIO_START", "AGENT_AUDIO_START"))),
            waits=tuple(self.wait(e) for e in turns if e.payload["text"].strip() or not e.payload["continuation"]),
            leaks=tuple(self.leak(event) for event in self.policy("leak")),
            requests=tuple(self.request(event) for event in self.policy("request")),
            hung_up=patience[-1].payload["reason"] if patience else "",
            log_sha256=self.done.log.head,
        )

    def rows(self) -> tuple[RowChange, ...]:
        """What differs between the tables as they were and as they are."""
        before, after = self.done.start["world"], self.done.world
        found = []
        for table in self.done.tables:
            old, new = before.get(table) or {}, after.get(table) or {}
            for key in sorted({*old, *new}):
                if old.get(key) != new.get(key):
                    row = RowChange(table=table, key={"key": key}, before=old.get(key), after=new.get(key))
                    found.append(row)
        return tuple(found)

    def call(self, event: Event) -> ToolCall:
        payload = event.payload
        result = self.results.get(event.seq)
        told: Mapping[str, Any] = result.payload if result is not None else {}
        decision = told.get("auth_decision")
        return ToolCall(
            seq=event.seq,
            media_ms=event.media_time_ms,
            call_id=payload["call"],
            tool=payload["tool"],
            args=payload["args"],
            ok=told.get("ok", False),
            result=told.get("result"),
            error=told.get("error"),
            decision=Decision(**decision) if decision else None,
            result_seq=result.seq if result is not None else None,
            result_ms=result.media_time_ms if result is not None else None,
            abandoned=told.get("abandoned", True),
            effect=told.get("effect", False),
            statements=tuple(told.get("statements", ())),
        )

    def search(self, event: Event) -> Search:
        call = self.events[event.causal_parents[0]]
        payload = event.payload
        return Search(seq=call.seq, media_ms=call.media_time_ms, query=payload["query"], doc_ids=tuple(payload["hits"]))

    def mutation(self, event: Event) -> Mutation:
        payload = event.payload
        return Mutation(
            seq=event.seq,
            media_ms=event.media_time_ms,
            artifact_id=payload["artifact_id"],
            path=payload["path"],
            old=payload["old"],
            new=payload["new"],
            cause=_cause(event),
        )

    def world_change(self, event: Event) -> WorldChange:
        payload = event.payload
        return WorldChange(
            seq=event.seq,
            media_ms=event.media_time_ms,
            path=".".join(payload["path"]),
            old=payload["old"],
            new=payload["new"],
            cause=_cause(event),
        )

    def artifact(self, plain: Mapping[str, Any]) -> ArtifactState:
        return ArtifactState(
            artifact_id=plain["artifact_id"],
            artifact_type=plain["artifact_type"],
            lifecycle=plain["lifecycle"],
            fields=plain["fields"],
            stale=tuple(plain["stale_fields"]),
        )

    def act(self, event: Event) -> Act:
        last = max((e.seq for e in self.of("USER_PLAN", "USER_AUDIO_START")), default=-1)
        payload = event.payload
        return Act(
            seq=event.seq,
            media_ms=event.media_time_ms,
            key=payload["act"],
            source=payload["source"],
            stepped=event.seq < last,
        )

    def approval(self, event: Event) -> Approval:
        return Approval(seq=event.seq, media_ms=event.media_time_ms, **event.payload)

    def duplex(self, event: Event) -> DuplexEvent:
        payload, name = event.payload, event.payload["event_id"]
        measured = {one["event_id"]: one["stop_ms"] for one in self.measures.get("stops", ())}
        later = [e.payload for e in self.of("DUPLEX_EVENT") if e.payload["event_id"] == name and e.seq > event.seq]
        met = next((one for one in later if one["phase"] == "met"), None)
        over = next((one for one in later if one["phase"] == "over"), None)
        onset = met["onset_ms"] if met is not None else None
        stop = over["isl_ms"] if over is not None else None
        if stop is not None and measured.get(name) is not None:
            stop = measured[name]
        return DuplexEvent(
            seq=event.seq,
            media_ms=event.media_time_ms,
            event_id=name,
            type=payload["type"],
            expected=payload["expected"] or (met["expected"] if met is not None else None),
            onset_ms=onset,
            yielded=over["agent_yielded"] if over is not None else None,
            stop_ms=stop,
            task_critical=payload["task_critical"],
            retained=self.retained(payload["repairs"], onset),
            repairs=tuple(payload["repairs"]),
            max_stop_ms=payload["max_stop_ms"],
        )

    def retained(self, repairs: list[str], onset: int | None) -> bool | None:
        """Whether everything that the user's words were to repair was written after they set in."""
        if onset is None or not repairs:
            return None
        written = {
            f"{event.payload['artifact_id']}.{event.payload['path']}"
            for event in self.of("ARTIFACT_MUTATION")
            if event.media_time_ms > onset
        }
        return written.issuperset(repairs)

    def clip(self, event: Event) -> Clip:
        payload, name = event.payload, event.payload["utterance"]
        agent = event.type == "AGENT_AUDIO_START"
        ends = self.of("AGENT_AUDIO_END" if agent else "USER_AUDIO_END")
        end = next((one for one in ends if one.payload["utterance"] == name), None)
        stopped = end.media_time_ms if end is not None else self.events[-1].media_time_ms
        start = _begins(event)
        planned, cut, text = start + (payload["duration_ms"] or 0), None, payload["text"]
        if payload["duration_ms"] is None:  # on sound: what was played says how long it was
            planned = stopped = start + end.payload["played_ms"] if end is not None else stopped
            cut, text = (end is None or end.payload["cut"]), (end.payload["text"] if end is not None else text)
        if not agent and name in self.texts:  # a person was written down
            text = self.texts[name]
        heard = (end.payload["heard"] if end is not None else "") if agent else text
        return Clip(
            seq=event.seq,
            speaker="agent" if agent else "user",
            start_ms=start,
            end_ms=min(stopped, planned),
            text=text,
            heard=heard,
            turn=payload.get("turn", 0),
            kind=payload.get("kind", "turn"),
            plan_id=payload.get("plan_id"),
            speech_act=payload.get("speech_act"),
            facts=tuple(payload.get("facts", ())),
            cut=stopped < planned if cut is None else cut,
        )

    def wait(self, event: Event) -> Wait:
        payload = event.payload
        starts = [one for one in self.of("AGENT_AUDIO_START") if one.payload["turn"] == payload["turn"]]
        first = starts[0].payload.get("start_ms", starts[0].media_time_ms) if starts else None
        return Wait(asked_ms=payload["asked_ms"], first_audio_ms=first, continuation=payload["continuation"])

    def leak(self, event: Event) -> Leak:
        return Leak(seq=event.seq, fact_id=event.payload["fact_id"], plan_id=event.payload["plan_id"])

    def request(self, event: Event) -> RequestOutcome:
        payload = event.payload
        return RequestOutcome(
            request_id=payload["request_id"],
            satisfied=payload["satisfied"],
            reason=payload["reason"],
            seq=event.seq,
        )


def _begins(event: Event) -> int:
    """When speech begins: that of an agent, or of a person, is logged a little later."""
    start: int = event.payload.get("start_ms", event.media_time_ms)
    return start


def _cause(event: Event) -> int | None:
    return event.causal_parents[0] if event.causal_parents else None

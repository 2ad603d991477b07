"""A log proves itself: its tool calls are done again on a fresh workbench, and what they change must come out equal.

What a database did is taken from the log change by change, since the log has all of it. What the workbench does itself
is done anew: calls, decisions, approvals, events. World and artifacts at the end must have the digests of RUN_END.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import ToolSpec
from pytest_talk2agent.workflows.session.event import FORMAT, Event
from pytest_talk2agent.workflows.session.log import BrokenLogError, StoredLog, read_log
from pytest_talk2agent.workflows.stable import canonical
from pytest_talk2agent.workflows.workbench.artifacts import Effect
from pytest_talk2agent.workflows.workbench.backend import Change, DictState, Done, StateBackend, apply
from pytest_talk2agent.workflows.workbench.workbench import Workbench

_EFFECTS = ("ARTIFACT_MUTATION", "WORLD_MUTATION", "APPROVAL_EVENT")


@dataclass(frozen=True)
class Replayed:
    """A log that holds: its package, and what was left behind."""

    log: StoredLog
    package: Package
    world: Mapping[str, Any]
    artifacts: Mapping[str, Any]
    tables: tuple[str, ...]

    @property
    def start(self) -> Mapping[str, Any]:
        """The payload of RUN_START."""
        return self.log.events[0].payload

    @property
    def ending(self) -> Mapping[str, Any]:
        """The payload of RUN_END."""
        return self.log.events[-1].payload


def replay(data: bytes) -> Replayed:
    """Prove a log.

    Raises:
        BrokenLogError: where the chain breaks, or where doing it again comes to something else.
    """
    log = read_log(data)
    return _Replay(log).all()


class _Recorded(DictState):
    """The world as the log has it; what a database did is told by the log."""

    def __init__(self, initial: Mapping[str, Any]) -> None:
        super().__init__(initial)
        self.next: Done | None = None

    def handles(self, handler: str) -> bool:
        return ":" in handler

    def call(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int) -> Done:
        if self.next is None:
            return Done(False, error="the log has no result of it")
        for change in self.next.changes:
            apply(self._world, change)
        return self.next


class _Replay:
    def __init__(self, log: StoredLog) -> None:
        self.log = log
        start = log.events[0].payload
        if start.get("format") != FORMAT:
            raise BrokenLogError(1, f"has the format {start.get('format')}; this release reads {FORMAT}")
        try:
            self.package = Package.of_plain(start["package"])
            self.initial: Mapping[str, Any] = start["world"]
            self.state = _Recorded(self.initial)
            seed, compat = start["seed"], start["compat"] is not None
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise BrokenLogError(1, f"holds no package ({type(error).__name__})") from None
        if self.package.digest != start.get("package_sha256"):
            raise BrokenLogError(1, "holds a package that has not its digest")
        backend: StateBackend = self.state
        self.workbench = Workbench(self.package, seed=seed, backend=backend, compat=compat)
        self.events = {event.id: event for event in self.package.events.events}
        self.results = {
            event.causal_parents[0]: event
            for event in log.events
            if event.type == "TOOL_RESULT" and event.causal_parents
        }

    def all(self) -> Replayed:
        follow: list[Event] = []
        expected: list[tuple[Event, Effect]] = []
        for event in self.log.events:
            if event.type in _EFFECTS:
                follow.append(event)
                continue
            made = self._again(event)
            if made is not None:
                self._compare(follow, expected)
                follow, expected = [], [(event, effect) for effect in made]
        self._compare(follow, expected)
        self._end()
        tables = tuple(name for name in self.initial if name not in self.package.initial_state)
        return Replayed(self.log, self.package, self.state.snapshot(), self.workbench.artifacts.plain(), tables)

    def _again(self, event: Event) -> Sequence[Effect] | None:
        """Do what an event of the log says, again; what that changes, None where it can change nothing."""
        payload = event.payload
        try:
            if event.type == "TOOL_CALL":
                return self._call(event)
            if event.type == "DUPLEX_EVENT" and payload["phase"] == "fired":
                return self.workbench.happen(self.events[payload["event_id"]], event.media_time_ms)
            if event.type == "USER_AUDIO_START":
                return self._onset(event)
        except BrokenLogError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise BrokenLogError(event.seq + 1, f"cannot be done again ({type(error).__name__}: {error})") from None
        return None

    def _call(self, event: Event) -> Sequence[Effect]:
        payload, told = event.payload, self.results.get(event.seq)
        tool = next((tool for tool in self.package.tools.tools if tool.name == payload["tool"]), None)
        by_state = tool is not None and self.state.handles(tool.handler or "")
        self.state.next = self._done(event, told) if by_state and told is not None else None
        outcome = self.workbench.call(payload["tool"], payload["args"], event.media_time_ms)
        if told is not None and not told.payload["note"]:
            decision = outcome.decision.plain() if outcome.decision is not None else None
            # The words of an error are those of a library, and may change with its release.
            again = (outcome.ok, outcome.result, outcome.error is None, decision)
            logged = (
                *(told.payload[n] for n in ("ok", "result")),
                told.payload["error"] is None,
                told.payload["auth_decision"],
            )
            if canonical(again) != canonical(logged):
                raise BrokenLogError(told.seq + 1, f"is not what the call of line {event.seq + 1} comes to")
        return outcome.effects

    def _done(self, event: Event, told: Event) -> Done:
        changes = tuple(self._changes(event))
        payload = told.payload
        return Done(payload["ok"], payload["result"], payload["error"], changes, tuple(payload["statements"]))

    def _changes(self, event: Event) -> Iterator[Change]:
        for later in islice(self.log.events, event.seq + 1, None):
            if later.type not in _EFFECTS or later.causal_parents != (event.seq,):
                return
            if later.type == "WORLD_MUTATION":
                value = later.payload
                yield Change(tuple(value["path"]), value["old"], value["new"], value["had"], value["has"])

    def _onset(self, event: Event) -> Sequence[Effect] | None:
        act = event.payload["speech_act"]
        if act == "APPROVE":
            return self.workbench.grant(event.media_time_ms, event.payload["approves"])[1]
        if act in ("REVOKE", "DENY"):
            return self.workbench.revoke(event.media_time_ms)
        return None

    def _compare(self, follow: Sequence[Event], expected: Sequence[tuple[Event, Effect]]) -> None:
        """What the log says changed, against what doing it again changed."""
        for index, logged in enumerate(follow):
            if index >= len(expected):
                raise BrokenLogError(logged.seq + 1, "says what nothing before it brings about")
            cause, effect = expected[index]
            same = canonical([logged.type, logged.payload]) == canonical([effect.type, effect.payload])
            if not same or logged.causal_parents != (cause.seq,):
                raise BrokenLogError(logged.seq + 1, f"is not what line {cause.seq + 1} brings about")
        if len(follow) < len(expected):
            cause, effect = expected[len(follow)]
            raise BrokenLogError(cause.seq + 2, f"lacks the {effect.type} that line {cause.seq + 1} brings about")

    def _end(self) -> None:
        ending = self.log.events[-1]
        artifacts, world = self.workbench.digest()
        if not ending.payload.get("workspace_sha256") and ending.payload.get("state") != "finished":
            return
        if ending.payload.get("workspace_sha256") != artifacts:
            raise BrokenLogError(ending.seq + 1, "has another digest of the artifacts than they come to")
        if ending.payload.get("world_sha256") != world:
            raise BrokenLogError(ending.seq + 1, "has another digest of the world than it comes to")

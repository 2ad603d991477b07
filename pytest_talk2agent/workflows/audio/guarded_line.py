"""Anybody's line: what it raises unasked, or gives that is no event of a line, is a fault of the line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    AgentFailedError,
    Call,
    InfrastructureError,
    Returned,
)
from pytest_talk2agent.workflows.agents.voice import (
    Called,
    Executed,
    Finished,
    Flushed,
    Heard,
    Left,
    Line,
    LineError,
    LineEvent,
    Sound,
    Words,
)

RATES = (4_000, 192_000)
"""Samples a second that sound may have."""
MOST_EVENTS = 10_000
"""Events that a line may give at once; more are a flood."""
_Result = TypeVar("_Result")


class GuardedLine:
    """A line whose faults cost its own session and no other.

    Every method raises AgentFailedError and LineError as the line does, and LineError for whatever else goes wrong.
    """

    def __init__(self, line: Line) -> None:
        self.line = line

    def send(self, frame: bytes, now_ms: int) -> None:
        """As the line."""
        _guarded(lambda: self.line.send(frame, now_ms))

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """As the line."""
        events = _guarded(lambda: list(self.line.poll(now_ms)))
        if len(events) > MOST_EVENTS:
            raise LineError("call", f"{len(events)} events at once")
        for event in events:
            fault = _fault(event)
            if fault:
                raise LineError("call", fault)
        return events

    def returned(self, results: Sequence[Returned]) -> None:
        """As the line."""
        _guarded(lambda: self.line.returned(results))

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """As the line."""
        _guarded(lambda: self.line.played(item, heard_ms, whole=whole))

    def close(self) -> None:
        """As the line; what it raises at its end changes nothing any more."""
        with contextlib.suppress(Exception):
            self.line.close()


def _guarded(act: Callable[[], _Result]) -> _Result:
    try:
        return act()
    except (AgentError, AgentFailedError, InfrastructureError):
        raise
    except Exception as error:
        text = " ".join("".join(sign if sign.isprintable() else " " for sign in str(error)).split())[:200]
        raise LineError("call", f"the line raised {type(error).__name__}: {text}") from error


def _fault(event: LineEvent) -> str:
    """What is wrong with an event, nothing for a good one."""
    if isinstance(event, Sound):
        if not isinstance(event.pcm, bytes | bytearray | memoryview):
            return f"sound is {type(event.pcm).__name__} and no bytes"
        if type(event.rate) is not int or not RATES[0] <= event.rate <= RATES[1]:
            return f"sound of {event.rate!r} samples a second"
        return "" if isinstance(event.item, str) else "the name of an utterance is no text"
    if isinstance(event, Words):
        return "" if isinstance(event.text, str) and isinstance(event.item, str) else "words are no text"
    if isinstance(event, Called | Executed):
        call = event.call
        good = isinstance(call, Call) and isinstance(call.name, str) and isinstance(call.call_id, str)
        return "" if good else "a tool call has no name or no id"
    good = isinstance(event, Heard | Flushed | Finished | Left)
    return "" if good else f"{type(event).__name__} is no event of a line"

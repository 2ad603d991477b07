"""A call to a deployed agent: what is the same whatever its messages look like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from pytest_talk2agent.workflows.agents.protocol import Returned
from pytest_talk2agent.workflows.agents.voice import Left, LineError, LineEvent, Phase, Sound
from pytest_talk2agent.workflows.lines.service import ToolService
from pytest_talk2agent.workflows.lines.wire import Wire

MOST_AHEAD_MS = 600_000
"""Sound of an agent that waits to be played; nobody speaks for so long."""
NORMAL = (1000, 1005)
"""Codes of an agent that ended the call: a normal closure, and one without a code (RFC 6455, 7.4.1)."""


class DeployedLine(ABC):
    """A call. Subclasses know how sound is sent and what a message means."""

    def __init__(self, wire: Wire, service: ToolService | None) -> None:
        self.wire, self.service = wire, service
        self.now = 0
        self.plays_until = 0.0
        """When what came so far is played, in ms of the media timeline, if each sound is played as it comes."""
        self._left = self._closed = False
        self._heard_of = False

    def send(self, frame: bytes, now_ms: int) -> None:
        """Send a frame of the user's channel."""
        self.now = now_ms
        if not self._left:
            self.speak(frame)

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """Sounds, tool calls and the end of the call; raises LineError for a message that is none."""
        self.now = now_ms
        events: list[LineEvent] = list(self.service.take()) if self.service is not None else []
        for message in self.wire.take():
            if not self._left:
                events.extend(self.message(message))
        ended = self.wire.ended
        if ended is not None and not self._left:
            if ended.code not in NORMAL:
                raise self.error(f"the agent {ended.text}")
            events.append(Left("closed the connection"))
        self._left = self._left or any(isinstance(event, Left) for event in events)
        return events

    @property
    def phase(self) -> Phase:
        """Where the call stands."""
        return "call" if self._heard_of else "first audio"

    def error(self, text: str) -> LineError:
        """An error that names the phase."""
        return LineError(self.phase, text)

    def sound(self, pcm: bytes, rate: int) -> Sound:
        """Sound that came; raises LineError where it is more than anybody says."""
        self._heard_of = True
        self.plays_until = max(self.plays_until, self.now) + len(pcm) / 2 / rate * 1000
        if self.plays_until - self.now > MOST_AHEAD_MS:
            minutes = MOST_AHEAD_MS // 60_000
            raise self.error(f"the agent sent {minutes} minutes of sound that could not be played yet")
        return Sound(pcm, rate)

    def returned(self, results: Sequence[Returned]) -> None:
        """Answer the tool calls."""
        if self.service is not None:
            self.service.answer(results)

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """These protocols have no message for it; marks are a matter of `media_stream`."""
        return None

    def close(self) -> None:
        """Hang up."""
        if self._closed:
            return
        self._closed = True
        if self.service is not None:
            self.service.close()
        if self.wire.ended is None:
            self.goodbye()
        self.wire.close()

    @abstractmethod
    def speak(self, frame: bytes) -> None:
        """Send sound of the user: PCM16 at `SAMPLE_RATE`."""

    @abstractmethod
    def message(self, message: str | bytes) -> Iterator[LineEvent]:
        """What a message means; raises LineError for one that is none."""

    @abstractmethod
    def goodbye(self) -> None:
        """Say that the call is over, where the protocol has a message for it."""

"""A line to a vendor: a connection, the protocol that is spoken over it, and the limits of the call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import AgentFailedError, Returned
from pytest_talk2agent.workflows.agents.voice import FRAME_MS, Flushed, LineError, LineEvent, Sound
from pytest_talk2agent.workflows.lines.address import Address
from pytest_talk2agent.workflows.lines.circuit import Circuit, Connection, Opened
from pytest_talk2agent.workflows.lines.endpointer import Endpointer
from pytest_talk2agent.workflows.lines.limits import Deadlines, LineOptions, Progress

MOST_AHEAD_MS = 600_000
"""How much sound may be there before it is played; no reply of a model is as long."""
PRE_ROLL_MS = 300
"""How much sound before an onset is sent, where this client finds the turns."""
HANG_UP = "end_call"
HANG_UP_TEXT = "Hang up, once the work is finished and you said goodbye."
OPEN_LINE = "(The line is open. Greet the customer.)"


class Talk(ABC):
    """A protocol without its connection: what comes in, what goes out. It waits for nothing and knows no clock."""

    def __init__(self, options: LineOptions, *, greets: bool) -> None:
        self._greets = greets
        self._ears = Endpointer(options.end_silence_ms)
        self._before: deque[bytes] = deque(maxlen=PRE_ROLL_MS // FRAME_MS)
        self._messages: list[Any] = []
        self._events: list[LineEvent] = []
        self._signs = 0
        self._spoke = self._acted = self._voiced = False

    @abstractmethod
    def begin(self) -> None:
        """A connection stands; what was said over the one before is gone. Greet, or wait for the user."""

    @abstractmethod
    def take(self, event: Any) -> None:
        """An event of the server; raises LineError or AgentFailedError."""

    @abstractmethod
    def frame(self, pcm: bytes) -> None:
        """The next frame of the user's channel; where this client finds the turns, only those of a turn are sent."""

    @abstractmethod
    def returned(self, results: Sequence[Returned]) -> None:
        """Results of tool calls."""

    @abstractmethod
    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """How much of an utterance was played."""

    @abstractmethod
    def progress(self) -> Progress:
        """How far the call is."""

    def messages(self) -> list[Any]:
        """What is to be sent, taken out."""
        found, self._messages = self._messages, []
        return found

    def events(self) -> list[LineEvent]:
        """What the session is told, taken out."""
        found, self._events = self._events, []
        return found

    def lasting(self) -> bool:
        """Whether the agent spoke or acted, or the user spoke: another connection would not know of it."""
        return self._spoke or self._acted or self._voiced


class VendorLine:
    """`Line` over a vendor's protocol; raises LineError from its constructor where the server cannot be reached."""

    def __init__(
        self, who: str, make: Callable[[], Connection], talk: Talk, options: LineOptions, address: Address
    ) -> None:
        self._who, self._talk, self._address = who, talk, address
        self._circuit = Circuit(who, make, options, address)
        self._deadlines = Deadlines(options, who)
        self._connection = 0
        self._failure: LineError | AgentFailedError | None = None
        self._began_ms: int | None = None
        self._sound_ms = 0.0
        self._circuit.start()

    def send(self, frame: bytes, now_ms: int) -> None:
        """Give it the next frame."""
        self._guard(lambda: self._talk.frame(frame))

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """What it has come up with; raises as `Line.poll`, once what came before was given."""
        if self._failure is None:
            self._guard(lambda: self._look(now_ms))
        events = self._talk.events()
        self._guard(lambda: self._measure(events, now_ms))
        if self._failure is not None and not events:
            raise self._failure
        return events

    def returned(self, results: Sequence[Returned]) -> None:
        """Give it the results of its calls."""
        self._guard(lambda: self._talk.returned(results))

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """Say how much of an utterance was played."""
        self._guard(lambda: self._talk.played(item, heard_ms, whole=whole))

    def close(self) -> None:
        """End the call."""
        self._circuit.close()

    def _look(self, now_ms: int) -> None:
        for arrived in self._circuit.arrived():
            if isinstance(arrived, LineError):
                raise arrived
            if isinstance(arrived, Opened):
                self._connection = arrived.number
                self._talk.begin()
            else:
                self._talk.take(arrived)
            if self._talk.lasting():
                self._circuit.keep()
        self._deadlines.check(now_ms, self._talk.progress())

    def _measure(self, events: Sequence[LineEvent], now_ms: int) -> None:
        """Count the sound that is there before it can be played."""
        if self._began_ms is None:
            self._began_ms = now_ms
        passed = now_ms - self._began_ms
        for event in events:
            if isinstance(event, Flushed):
                self._sound_ms = passed
            elif isinstance(event, Sound):
                self._sound_ms = max(self._sound_ms, passed) + len(event.pcm) / 2 / event.rate * 1000
        if self._sound_ms - passed > MOST_AHEAD_MS:
            raise LineError("call", f"the server sent {MOST_AHEAD_MS // 1000} s more of sound than could be played")

    def _guard(self, work: Callable[[], None]) -> None:
        """Do a piece of work and send what it comes to; its failure is told with the next `poll`."""
        if self._failure is not None:
            return
        try:
            work()
            if self._talk.lasting():
                self._circuit.keep()
            if self._connection:
                self._circuit.post(self._talk.messages(), self._connection)
        except LineError as error:
            text = str(error).removeprefix(f"{error.phase}: ").removeprefix(f"{self._who}: ")
            self._failure = LineError(error.phase, f"{self._who}: {self._address.clean(text)}")
        except AgentFailedError as error:
            self._failure = AgentFailedError(f"{self._who}: {self._address.clean(error)}")

"""The media timeline: an agenda of moments, worked through by a virtual clock or a real one, with the same code.

Under the virtual clock time is what the next moment says, so that minutes take milliseconds and the same session is the
same twice. Under the real clock a moment is waited for, and what an agent takes to answer is what it took.
"""

from __future__ import annotations

import heapq
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Result = TypeVar("Result")
Action = Callable[[], None]
Planned = tuple[int, Action]
"""A moment in milliseconds, and what to do then."""


@dataclass(frozen=True)
class Question(Generic[Result]):
    """What an agent is asked, how many milliseconds the answer took by its own word, and what to do with it."""

    ask: Callable[[], Result]
    took_ms: Callable[[Result], int]
    answer: Callable[[Result], None]


class Clock(Protocol):
    """What passes the time of a timeline."""

    name: str

    def wall_ns(self, media_ms: int) -> int:
        """Nanoseconds since the start."""
        ...

    def wait(self, until_ms: int | None) -> Planned | None:
        """Wait for a moment (None: none is planned); earlier an answer may come: when, and what to do with it."""
        ...

    def ask(self, asked: Question[Result], now: int) -> Planned | None:
        """Ask an agent. The moment of its answer and what to do then, or None where that comes by `wait`."""
        ...


class VirtualClock:
    """Time passes in jumps; ``took_ms`` says how long an answer took."""

    name = "virtual"

    def wall_ns(self, media_ms: int) -> int:
        """The media time."""
        return media_ms * 1_000_000

    def wait(self, until_ms: int | None) -> Planned | None:
        """Nothing comes but what is planned."""
        return None

    def ask(self, asked: Question[Result], now: int) -> Planned | None:
        """Ask at once, and answer when it would have been there."""
        result = asked.ask()
        return now + max(0, asked.took_ms(result)), lambda: asked.answer(result)


class RealClock:
    """Time passes by the monotonic clock of the machine; an agent is asked in a thread of its own."""

    name = "real"

    def __init__(self) -> None:
        self._start = time.monotonic_ns()
        self._ready: queue.SimpleQueue[Action] = queue.SimpleQueue()
        self._asked = 0

    def restart(self, beat_ns: int, phase: float) -> None:
        """Let the time begin anew, as what came before was no part of the session.

        It begins less than a beat from now, at ``phase`` of one (0 to 1), so that sessions of other phases, which work
        at every beat, do not work at the same moments.
        """
        now = time.monotonic_ns()
        self._start = now + (round(phase * beat_ns) - now) % beat_ns

    def wall_ns(self, media_ms: int) -> int:
        """What the machine's clock says."""
        return time.monotonic_ns() - self._start

    def wait(self, until_ms: int | None) -> Planned | None:
        """Sleep until a moment, or until an agent has answered."""
        try:
            if until_ms is None:
                action = self._ready.get() if self._asked else None
            else:
                action = self._ready.get(timeout=max(0.0, until_ms / 1000 - self.wall_ns(0) / 1e9))
        except queue.Empty:
            return None
        if action is None:
            return None
        self._asked -= 1
        return self.wall_ns(0) // 1_000_000, action

    def ask(self, asked: Question[Result], now: int) -> Planned | None:
        """Ask in a thread; its answer, or its error, comes by `wait`."""
        self._asked += 1

        def work() -> None:
            try:
                result = asked.ask()
            except BaseException as error:
                failure = error

                def fail() -> None:
                    raise failure

                self._ready.put(fail)
            else:
                self._ready.put(lambda: asked.answer(result))

        threading.Thread(target=work, name="t2a-agent", daemon=True).start()
        return None


class Timeline:
    """The agenda of one session. ``now`` is in milliseconds and never runs backwards."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.now = 0
        self._agenda: list[tuple[int, int, Action]] = []
        self._count = 0
        self._over = False

    @property
    def wall_ns(self) -> int:
        """Nanoseconds since the start, by the clock."""
        return self.clock.wall_ns(self.now)

    def at(self, when_ms: int, action: Action) -> None:
        """Plan an action for a moment, or for now where that has passed. What is planned first comes first."""
        self._count += 1
        heapq.heappush(self._agenda, (max(when_ms, self.now), self._count, action))

    def ask(
        self, question: Callable[[], Result], took_ms: Callable[[Result], int], answer: Callable[[Result], None]
    ) -> None:
        """Ask an agent, and go on with its answer when it is there. What the question raises, `run` raises."""
        planned = self.clock.ask(Question(question, took_ms, answer), self.now)
        if planned is not None:
            self.at(*planned)

    def stop(self) -> None:
        """End `run` after the action that is under way."""
        self._over = True

    def run(self) -> None:
        """Work through the agenda until it is stopped or nothing can come any more."""
        while not self._over:
            came = self.clock.wait(self._agenda[0][0] if self._agenda else None)
            if came is not None:
                self.at(*came)
            if not self._agenda:
                return
            self.now, _, action = heapq.heappop(self._agenda)
            action()

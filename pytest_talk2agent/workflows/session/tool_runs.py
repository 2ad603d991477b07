"""The tool calls of an agent in a session: one after the other, each for as long as its tool takes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from pytest_talk2agent.workflows.agents.protocol import Call, Returned
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.workbench.workbench import Outcome

MOST_CALLS = 64
"""Tool calls at once; the others are errors that the agent is told."""
MOST_CALLS_ALL = 2_000


class ToolRuns:
    """The tool calls of one session.

    ``spoken_over`` says whether the user speaks at this moment; ``done`` is called after every result. ``results`` are
    those that the agent was not given yet.
    """

    def __init__(self, scene: Scene, spoken_over: Callable[[], bool], done: Callable[[], None]) -> None:
        self.results: list[Returned] = []
        self.calls = 0
        self._scene, self._spoken_over, self._done = scene, spoken_over, done
        self._queue: deque[tuple[Call, int]] = deque()
        self._running: tuple[Call, Outcome, int] | None = None
        self._over = False

    @property
    def idle(self) -> bool:
        """Whether no call is running or waits for another."""
        return self._running is None and not self._queue

    @property
    def flooded(self) -> bool:
        """Whether there were more calls than a session bears."""
        return self.calls > MOST_CALLS_ALL

    def add(self, calls: Sequence[Call], turn: int, parents: Sequence[int]) -> None:
        """Put calls that were made at once into the queue; `start` begins with them."""
        self._queue += [(call, turn) for call in calls[:MOST_CALLS]]
        for call in calls[MOST_CALLS:]:
            told = {"ok": False, "error": f"more than {MOST_CALLS} calls at once"}
            self.results.append(Returned(call.call_id, call.name, told))
        if len(calls) > MOST_CALLS:
            self._scene.note("POLICY_EVENT", "harness", parents, kind="limit", what=f"{len(calls)} calls at once")
        self.calls += len(calls)

    def start(self) -> None:
        """Begin with the next call, where none is running."""
        if self._running is not None or not self._queue or self._over:
            return
        call, turn = self._queue.popleft()
        outcome, seq = self._scene.call(call, turn)
        self._running = (call, outcome, seq)
        timeline = self._scene.timeline
        timeline.at(timeline.now + outcome.latency_ms, lambda: self._returned(call, outcome, seq))

    def taken(self) -> tuple[Returned, ...]:
        """The results, which the agent is given now."""
        results, self.results = tuple(self.results), []
        return results

    def stop(self) -> None:
        """The call is over: nothing more begins or comes back."""
        self._over = True

    def finish(self) -> None:
        """Log the result of what was still running."""
        if self._running is not None:
            call, outcome, seq = self._running
            self._scene.result(call, outcome, seq, abandoned=True)
            self._running = None

    def _returned(self, call: Call, outcome: Outcome, seq: int) -> None:
        if self._over:
            return
        self._running = None
        self._scene.result(call, outcome, seq, abandoned=self._spoken_over())
        self.results.append(Returned(call.call_id, call.name, outcome.told()))
        self.start()
        self._done()

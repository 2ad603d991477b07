"""A real clock that runs faster, so that a conversation of two minutes over a real server takes one."""

from __future__ import annotations

import queue

from pytest_talk2agent.workflows.session.timeline import Action, RealClock

SPEED = 2


class FastClock(RealClock):
    """`SPEED` milliseconds in one."""

    def wall_ns(self, media_ms: int) -> int:
        return super().wall_ns(media_ms) * SPEED

    def wait(self, until_ms: int | None) -> tuple[int, Action] | None:
        if until_ms is None:
            return super().wait(None)
        left = max(0.0, until_ms / 1000 - self.wall_ns(0) / 1e9) / SPEED
        try:
            action = self._ready.get(timeout=left)
        except queue.Empty:
            return None
        self._asked -= 1
        return self.wall_ns(0) // 1_000_000, action

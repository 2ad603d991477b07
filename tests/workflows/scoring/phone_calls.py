"""Traces for tests of assertions: a caller and an agent take turns, tools are called, rows change."""

from __future__ import annotations

from typing import Any

from pytest_talk2agent.workflows.scoring.trace import Clip, ToolCall, Trace, WorldChange


class PhoneCall:
    """Builds a trace, one thing after the other; every step is an event of the log, and a word takes 100 ms."""

    def __init__(self) -> None:
        self.now = 0
        self.seq = 0
        self.clips: list[Clip] = []
        self.calls: list[ToolCall] = []
        self.changes: list[WorldChange] = []
        self.world: dict[str, Any] = {}

    def _step(self, ms: int = 0) -> tuple[int, int]:
        self.seq += 1
        start, self.now = self.now, self.now + ms
        return self.seq, start

    def agent(self, text: str, heard: str | None = None) -> PhoneCall:
        """The agent speaks; ``heard`` is the part that was played where the caller cut it."""
        played = text if heard is None else heard
        seq, start = self._step(100 * len(played.split()))
        self.clips.append(
            Clip(seq=seq, speaker="agent", start_ms=start, end_ms=self.now, text=text, heard=played, cut=played != text)
        )
        return self

    def user(self, text: str, plan: str | None = None) -> PhoneCall:
        """The caller speaks."""
        seq, start = self._step(100 * len(text.split()))
        self.clips.append(
            Clip(seq=seq, speaker="user", start_ms=start, end_ms=self.now, text=text, heard=text, plan_id=plan)
        )
        return self

    def tool(
        self, name: str, result: Any = None, *, ok: bool = True, effect: bool = False, error: str = "", **args: Any
    ) -> PhoneCall:
        """A tool is called, and answers 50 ms later."""
        seq, start = self._step(50)
        done, _ = self._step()
        call = {"seq": seq, "media_ms": start, "call_id": f"c{seq}", "tool": name, "args": args, "ok": ok}
        after = {"result": result, "error": error or None, "result_seq": done, "result_ms": self.now, "effect": effect}
        self.calls.append(ToolCall(**call, **after))
        return self

    def change(self, path: str, old: Any, new: Any) -> PhoneCall:
        """A value of the world changes."""
        seq, start = self._step()
        self.changes.append(WorldChange(seq=seq, media_ms=start, path=path, old=old, new=new))
        return self

    def trace(self, **more: Any) -> Trace:
        """The session, ended by the caller."""
        values: dict[str, Any] = {
            "package": "call",
            "agent": "someone",
            "end": "user",
            "ended_ms": self.now,
            "clips": self.clips,
            "calls": self.calls,
            "world": self.world,
            "world_changes": self.changes,
        }
        return Trace(**{**values, **more})

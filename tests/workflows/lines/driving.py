"""A caller that drives a line by hand: frames out, sound played in order, tools answered at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Briefing, Call, Reply, Returned
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_BYTES,
    FRAME_MS,
    Called,
    Finished,
    Flushed,
    Heard,
    Left,
    Line,
    LineEvent,
    Sound,
    VoiceAgent,
    Words,
)
from tests.workflows.lines.brain import voice

QUIET = b"\0" * FRAME_BYTES
SEARCH = {
    "name": "kb_search",
    "description": "looks things up",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": False},
}
BRIEFING = Briefing("You are on the phone.", "test", (SEARCH,), 1, 0, first_speaker="agent")


GREETING = Reply("Hello, how can I help you today?")
SEARCHES = Reply("One moment.", (Call("a", "kb_search", {"query": "x"}), Call("b", "kb_search", {})))
GOODBYE = Reply("It is done, goodbye now.", end_call=True)


def quiet(ms: int) -> list[bytes]:
    return [QUIET] * (ms // FRAME_MS)


def speech(ms: int) -> list[bytes]:
    sound = voice(ms)
    return [sound[start : start + FRAME_BYTES] for start in range(0, len(sound), FRAME_BYTES)]


@dataclass
class Playing:
    """What a session plays: utterances one after the other; only those that were played out are whole."""

    line: Line
    waiting: list[tuple[str, float]] = field(default_factory=list)
    heard_ms: float = 0.0
    cut: list[tuple[str, int]] = field(default_factory=list)
    complete: bool = False

    def add(self, sound: Sound) -> None:
        self.complete = False
        ms = len(sound.pcm) / 2 / sound.rate * 1000
        if self.waiting and self.waiting[-1][0] == sound.item:
            self.waiting[-1] = (sound.item, self.waiting[-1][1] + ms)
        else:
            self.waiting.append((sound.item, ms))

    def play(self, ms: int) -> None:
        if not self.waiting:
            return
        item, length = self.waiting[0]
        self.heard_ms = min(self.heard_ms + ms, length)
        if self.heard_ms >= length and (self.complete or len(self.waiting) > 1):
            self.waiting.pop(0)
            self.heard_ms = 0.0
            self.line.played(item, round(length), whole=True)

    def flush(self) -> None:
        for item, _ in self.waiting:
            self.cut.append((item, int(self.heard_ms)))
            self.line.played(item, int(self.heard_ms), whole=False)
            self.heard_ms = 0.0
        self.waiting.clear()


@dataclass
class Driven:
    """A line under way: what it came up with, and when, on the timeline of the call."""

    line: Line
    answer: Callable[[Called], Returned]
    pace: float
    events: list[tuple[int, LineEvent]] = field(default_factory=list)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.playing = Playing(self.line)

    def hear(self, frames: Sequence[bytes], until: Callable[[], bool] = lambda: False) -> None:
        """Send frames at their pace, so many times faster than real; stops early where ``until`` says so."""
        begun, first = time.monotonic(), self.now_ms
        for frame in frames:
            self.line.send(frame, self.now_ms)
            asked = []
            for event in self.line.poll(self.now_ms):
                self.events.append((self.now_ms, event))
                if isinstance(event, Sound):
                    self.playing.add(event)
                elif isinstance(event, Flushed):
                    self.playing.flush()
                elif isinstance(event, Finished):
                    self.playing.complete = True
                elif isinstance(event, Called):
                    asked.append(event)
            for one in asked:
                self.line.returned([self.answer(one)])
            self.playing.play(FRAME_MS)
            self.now_ms += FRAME_MS
            if until():
                return
            due = begun + (self.now_ms - first) / 1000 / self.pace
            time.sleep(max(0.0, due - time.monotonic()))

    def converse(self) -> None:
        """Hear the greeting out, say something, and listen until the agent has left."""
        self.hear(quiet(30_000), until=self.silent)
        self.hear(speech(1000) + quiet(30_000), until=self.left)

    def of(self, kind: type[LineEvent]) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def silent(self) -> bool:
        """Whether a reply is complete, and all of it played."""
        return bool(self.of(Finished)) and not self.playing.waiting

    def when(self, kind: type[LineEvent]) -> int:
        """When the first of a kind came."""
        return next(now for now, event in self.events if isinstance(event, kind))

    def left(self) -> bool:
        """Whether the agent has left, and all of its last reply is there."""
        return bool(self.of(Left)) and isinstance(self.events[-1][1], Finished)

    def said(self) -> str:
        return "".join(event.text for event in self.of(Words))

    def told(self) -> list[Any]:
        """What came in its order, without what depends on how it was cut into pieces or named."""
        names: dict[str, str] = {}
        plain: list[Any] = []
        for _, event in self.events:
            if isinstance(event, Sound | Words):
                kind = type(event).__name__
                item = names.setdefault(event.item, f"item{len(names) + 1}")
                row = next((one for one in plain if one[:2] == [kind, item]), None)
                if row is None:
                    plain.append(row := [kind, item, b"" if isinstance(event, Sound) else ""])
                row[2] += event.pcm if isinstance(event, Sound) else event.text
            elif isinstance(event, Called):
                plain.append(["Called", event.call.name, event.call.args])
            elif isinstance(event, Finished):
                plain.append(["Finished", dict(event.usage), event.cancelled])
            elif isinstance(event, Heard | Left):
                plain.append([type(event).__name__, vars(event)])
            else:
                plain.append([type(event).__name__])
        return plain


def assert_conversed(call: Driven) -> None:
    """The three replies were heard, and both calls made."""
    assert call.said() == GREETING.text + SEARCHES.text + GOODBYE.text
    assert [(one.call.name, one.call.args) for one in call.of(Called)] == [
        (made.name, made.args) for made in SEARCHES.calls
    ]
    assert call.of(Heard) == [Heard("what the user said")]


def found(called: Called) -> Returned:
    return Returned(called.call.call_id, called.call.name, {"ok": True, "result": {"hits": ["a document"]}})


@contextmanager
def driving(
    agent: VoiceAgent, briefing: Briefing = BRIEFING, *, answer: Callable[[Called], Returned] = found, pace: float = 4.0
) -> Iterator[Driven]:
    """Call an agent, and hang up at the end."""
    line = agent.dial(briefing, real=True)
    try:
        yield Driven(line, answer, pace)
    finally:
        line.close()

"""``spoken:AGENT``: an agent of words put on a line, with a voice of known timing and no recogniser.

It is told what the user says, as controls are told the package, and speaks with the stand-in voice. When it yields it
is silent at the sample: an instrument that measures it shows its own error. It is no measure of a recogniser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.protocol import (
    Agent,
    AgentError,
    Briefing,
    GuardedTalker,
    Overlap,
    Reply,
    Returned,
    Talker,
    View,
)
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_MS,
    SAMPLE_RATE,
    Abilities,
    Called,
    Finished,
    Flushed,
    Left,
    LineEvent,
    Sound,
    VoiceAgent,
    Words,
)
from pytest_talk2agent.workflows.caller.speech import words_heard

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

THINK_MS = 400
"""How long it takes to answer where its agent does not say."""
FIRST_WORD_MS = 500
"""When it greets, where it speaks first."""
MOST_REPLIES = 8
"""Replies to one turn of the user, each after the results of its tools."""
VOICE = "agent"
_MS = SAMPLE_RATE // 1000

Say = Callable[[str], "NDArray[numpy.int16]"]
"""The samples of a text, at `SAMPLE_RATE`."""


class Spoken:
    """An agent of words on a line.

    ``say`` is its voice, the stand-in by default. ``stop_ms`` is how soon it is silent at any sound of the user, where
    that is not left to the agent. ``burst`` gives the sound of a reply at once and not as it is spoken.
    """

    def __init__(
        self, agent: Agent, *, say: Say | None = None, stop_ms: int | None = None, burst: bool = False
    ) -> None:
        if isinstance(agent, VoiceAgent):
            raise AgentError("agent spoken: it takes an agent of words, and this one has a voice of its own")
        self._agent, self._say, self._stop_ms, self._burst = agent, say, stop_ms, burst
        self.control = True
        self.abilities = Abilities(virtual=True, yields="agent", truncates=True, words=True, calls="session", ends=True)

    def identity(self) -> Mapping[str, str]:
        """What the agent of words is, and how it speaks."""
        how = {"voice": "given" if self._say else "stand-in", "stop_ms": str(self._stop_ms), "burst": str(self._burst)}
        return {**self._agent.identity(), "spoken": "1", **how}

    def dial(self, briefing: Briefing, *, real: bool) -> SpokenLine:
        """Begin a call."""
        say = self._say
        if say is None:
            from pytest_talk2agent.workflows.audio.stand_in import StandIn

            say = StandIn(VOICE).clip
        talker = GuardedTalker(self._agent.start(briefing))
        return SpokenLine(talker, briefing, say, stop_ms=self._stop_ms, burst=self._burst, real=real)


@dataclass(eq=False)
class _Speech:
    """Words that are spoken: their samples, how many were given, and from when on."""

    item: str
    text: str
    turn: int
    samples: NDArray[numpy.int16]
    usage: Mapping[str, int | float]
    started_ms: int
    given: int = 0
    stops_ms: int | None = None

    @property
    def duration_ms(self) -> int:
        return len(self.samples) // _MS

    def heard(self, now_ms: int) -> str:
        return words_heard(self.text, now_ms - self.started_ms, self.duration_ms)


class SpokenLine:
    """A call with it."""

    def __init__(
        self, talker: Talker, briefing: Briefing, say: Say, *, stop_ms: int | None, burst: bool, real: bool
    ) -> None:
        self._talker, self._briefing, self._say = talker, briefing, say
        self._stop_ms, self._burst = stop_ms, burst
        self._pool = ThreadPoolExecutor(1, "t2a-spoken") if real else None
        self._turn = self._replies = 0
        self._answer: Future[Reply] | Reply | None = None
        self._due_ms = self._asked_ms = 0
        self._speech: _Speech | None = None
        self._waiting = 0
        self._results: list[Returned] = []
        self._texts: list[str] = []
        self._interrupted: tuple[str, int] | None = None
        self._user = self._murmur = self._stopped = self._cancel = self._leaving = False
        self._greets = briefing.first_speaker == "agent"

    def user_begins(self, text: str, *, backchannel: bool, now_ms: int) -> None:
        """Decide whether to yield."""
        self._user, self._murmur, self._stopped = True, backchannel, False
        speech = self._speech
        if speech is None or speech.stops_ms is not None:
            return
        kind = "backchannel" if backchannel else "barge_in"
        stop = self._talker.overlapped(Overlap(kind, len(text.split()), speech.heard(now_ms)))  # type: ignore[arg-type]
        if stop is not None:
            stop = stop if self._stop_ms is None else self._stop_ms
            self._stopped = True
            speech.stops_ms = now_ms + max(0, stop)
            self._cancel = self._answer is not None
        self._leaving = self._leaving and backchannel

    def user_ends(self, text: str, *, more: bool, now_ms: int) -> None:
        """Take in what the user said; a murmur only where it stopped for it."""
        if not self._murmur or self._stopped:
            self._texts.append(text)
        self._user = more

    def send(self, frame: bytes, now_ms: int) -> None:
        """It has no ears."""

    def returned(self, results: Sequence[Returned]) -> None:
        """Take in results."""
        self._waiting -= len(results)
        self._results += results

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """It knows what it has said."""

    def poll(self, now_ms: int) -> list[LineEvent]:
        """What it says and does in the frame that begins now."""
        events: list[LineEvent] = []
        if self._answer is not None and now_ms >= self._due_ms:
            self._answered(now_ms, events)
        if self._speech is not None:
            self._speak(self._speech, now_ms, events)
        if self._speech is None:
            self._go_on(now_ms, events)
        return events

    def close(self) -> None:
        """End the agent of words."""
        self._talker.close()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _go_on(self, now: int, events: list[LineEvent]) -> None:
        """Ask for a reply to what there was no reaction to yet, or leave."""
        if self._answer is not None or self._user or self._waiting:
            return
        greet = self._greets and now >= FIRST_WORD_MS
        if self._texts or greet or (self._results and self._replies < MOST_REPLIES):
            self._greets = False
            self._ask(now)
        elif self._leaving:
            self._leaving = False
            events.append(Left())

    def _ask(self, now: int) -> None:
        text = " ".join(self._texts) or None
        heard, cut = self._interrupted or (None, None)
        view = View(self._turn, now, text, heard, cut, tuple(self._results), self._briefing.tools)
        self._replies = 1 if text is not None else self._replies + 1
        self._texts, self._results, self._interrupted = [], [], None
        self._asked_ms = self._due_ms = now
        if self._pool is not None:
            self._answer = self._pool.submit(self._talker.reply, view)
        else:
            self._answer = self._talker.reply(view)
            self._due_ms = now + _think(self._answer)

    def _answered(self, now: int, events: list[LineEvent]) -> None:
        answer = self._answer
        if isinstance(answer, Future):
            if not answer.done():
                return
            reply = answer.result()
            self._due_ms = max(now, self._asked_ms + _think(reply))
            self._answer = reply
            if self._due_ms > now:
                return
        else:
            assert answer is not None, "it is due"
            reply = answer
        self._answer = None
        self._turn += 1
        self._leaving = self._leaving or reply.end_call
        self._waiting += len(reply.calls)
        events.extend(Called(call) for call in reply.calls)
        text = reply.text.strip()
        if not text:
            events.append(Finished(reply.usage))
        elif self._cancel or self._user:  # it was about to speak when the user set in
            self._interrupted = self._interrupted or ("", self._turn)
            events.append(Finished(reply.usage, cancelled=True))
        else:
            self._speech = _Speech(f"s{self._turn}", text, self._turn, self._say(text), reply.usage, now)
            events.append(Words(text, self._speech.item))
        self._cancel = False

    def _speak(self, speech: _Speech, now: int, events: list[LineEvent]) -> None:
        """Give the samples of this frame; at the moment at which it stops, not one more."""
        if speech.stops_ms is not None and now >= speech.stops_ms:
            events.append(Flushed())
            if not self._burst:
                events.append(Finished(speech.usage, cancelled=True))
            self._interrupted = (speech.heard(speech.stops_ms), speech.turn)
            self._speech = None
            return
        if speech.given and speech.given >= len(speech.samples):
            if not self._burst:
                events.append(Finished(speech.usage))
            elif now < speech.started_ms + speech.duration_ms:
                return
            self._speech = None
            return
        upto = len(speech.samples)
        if not self._burst:
            upto = min(upto, (now - speech.started_ms + FRAME_MS) * _MS)
            if speech.stops_ms is not None:
                upto = min(upto, (speech.stops_ms - speech.started_ms) * _MS)
        piece = speech.samples[speech.given : upto]
        speech.given = max(upto, speech.given)
        if len(piece):
            events.append(Sound(piece.tobytes(), SAMPLE_RATE, speech.item))
        if self._burst:
            events.append(Finished(speech.usage))


def _think(reply: Reply) -> int:
    return THINK_MS if reply.think_ms is None else max(0, reply.think_ms)

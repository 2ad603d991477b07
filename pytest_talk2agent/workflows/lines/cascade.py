"""``cascade:ASR+MODEL+VOICE``: a recogniser, an agent that talks in writing, and a voice, as one agent on the phone.

ASR is an interface of this plugin, MODEL an agent without sound as ``--t2a-agent`` takes it (``text:...``), VOICE what
`talk2agent speak` takes. Behind them may stand ``+silence=MS``, the silence that ends the user's turn, and
``+interrupt=MS``, the voice that the agent yields to.

The agent takes turns by itself. What it did not get to say before it yielded, its model is told was not heard.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from pytest_talk2agent.recording.voices import Voice, VoiceError, make_voice, parse_voice
from pytest_talk2agent.workflows.agents.protocol import (
    Agent,
    AgentError,
    Briefing,
    GuardedTalker,
    InfrastructureError,
    Reply,
    Returned,
    View,
)
from pytest_talk2agent.workflows.agents.voice import (
    Abilities,
    Called,
    Finished,
    Flushed,
    Heard,
    Left,
    Line,
    LineEvent,
    Sound,
    Words,
)
from pytest_talk2agent.workflows.audio.clip_form import encode
from pytest_talk2agent.workflows.audio.silero import RATE, why_missing
from pytest_talk2agent.workflows.caller.speech import words_heard
from pytest_talk2agent.workflows.lines.ears import Ears
from pytest_talk2agent.workflows.lines.turn_taking import Onset, TurnEnd, TurnRules, TurnTaking

FORM = "cascade:ASR+MODEL+VOICE[+silence=MS][+interrupt=MS]"
THINK_MS = 400
"""How long an answer takes under the virtual clock, where the model does not say."""
MOST_REPLIES = 8
"""Replies to one turn of the user, each after the results of its tools."""
_LEAST_MS, _MOST_MS = 60, 5_000


class Cascade:
    """The agent of a spec.

    Raises:
        AgentError: for a spec of another form, or a part that cannot be had.
    """

    abilities = Abilities(virtual=True, yields="agent", truncates=True, words=True, calls="session", ends=True)

    def __init__(self, text: str) -> None:
        from pytest_talk2agent.workflows.agents.registry import make_text_agent

        who = f"agent cascade:{text}"
        asr, model, voice, *rules = (part.strip() for part in (*text.split("+"), "", ""))
        if not (asr and model and voice):
            raise AgentError(f"{who}: write {FORM}")
        if (missing := why_missing()) is not None:
            raise AgentError(f"{who}: {missing}")
        self.rules = _rules([rule for rule in rules if rule], who)
        self.ears = Ears(asr)
        try:
            self._asr = self.ears.identity()
        except AgentError as error:
            raise AgentError(f"{who}: {error}") from None
        self.talker: Agent = make_text_agent(model)
        self.control = self.talker.control
        try:
            self.voice: Voice = make_voice(parse_voice(voice))
        except VoiceError as error:
            raise AgentError(f"{who}: {error}") from None
        self.speaking = threading.Lock()

    def identity(self) -> Mapping[str, str]:
        """Those of its parts, and its rules of turn taking."""
        parts = {"asr": self._asr, "model": self.talker.identity(), "voice": self.voice.identity()}
        named = {f"{part}.{name}": value for part, found in parts.items() for name, value in found.items()}
        return {"name": "cascade", **named, **self.rules.plain()}

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        """Begin a call; raises as its model does."""
        return CascadeLine(self, briefing, real=real)

    def speak(self, text: str) -> Sound:
        """Say a text; raises InfrastructureError where the voice fails."""
        try:
            if self.voice.at_once:
                samples, rate = self.voice.speak(text)
            else:
                with self.speaking:
                    samples, rate = self.voice.speak(text)
        except VoiceError as error:
            raise InfrastructureError(str(error)) from None
        return Sound(encode(samples).astype("<i2").tobytes(), rate)


def _rules(texts: Sequence[str], who: str) -> TurnRules:
    rules = TurnRules()
    for text in texts:
        name, _, value = text.partition("=")
        if name not in ("silence", "interrupt") or not value.isdecimal() or not _LEAST_MS <= int(value) <= _MOST_MS:
            raise AgentError(
                f"{who}: {text!r} is none of +silence=MS and +interrupt=MS, from {_LEAST_MS} to {_MOST_MS};"
                " the recogniser of a cascade takes no +bias, +repair or +sound"
            )
        rules = replace(rules, **{name: float(value)})
    return rules


@dataclass(frozen=True)
class _Answer:
    """What came of a question: the reply, how it sounds, and what the user was understood to say."""

    reply: Reply
    sound: Sound | None
    heard: str | None


@dataclass(frozen=True)
class _Playing:
    """An utterance that was handed over and not yet played: its reply, its words, its length in milliseconds."""

    turn: int
    text: str
    duration: int


class CascadeLine:
    """One call."""

    def __init__(self, agent: Cascade, briefing: Briefing, *, real: bool) -> None:
        self._agent = agent
        self._real = real
        self._tools = briefing.tools
        self._turns = TurnTaking(agent.rules)
        self._talker = GuardedTalker(agent.talker.start(briefing))
        self._greets = briefing.first_speaker == "agent"
        self._events: list[LineEvent] = []
        self._pending: tuple[int, Future[_Answer]] | None = None
        self._pcm: list[bytes] = []
        self._results: list[Returned] = []
        self._open = self._turn = self._replies = 0
        self._unsaid = self._is_over_agent = self._has_onset = False
        self._playing: dict[str, _Playing] = {}
        self._quiet_since = 0
        self._interrupted: tuple[str, int] | None = None

    def send(self, frame: bytes, now_ms: int) -> None:
        """Hear a frame, and yield or answer where that asks for it."""
        if self._playing:
            self._quiet_since = now_ms
        was_speaking = self._turns.is_speaking
        for event in self._turns.hear(frame):
            if isinstance(event, Onset):
                self._yield()
            else:
                self._end_turn(event, now_ms)
        if self._turns.is_speaking and not was_speaking:
            self._is_over_agent, self._has_onset = bool(self._playing), False
        self._settle(now_ms)

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """What has come up by now."""
        if self._pending is not None:
            due, answer = self._pending
            if due <= now_ms and answer.done():
                self._pending = None
                self._speak(answer.result())
        found, self._events = self._events, []
        return found

    def returned(self, results: Sequence[Returned]) -> None:
        """Keep the results; the next frame goes on with them, once all calls of a reply have theirs."""
        self._results += results
        self._open -= len(results)

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """Note what was heard of an utterance, for the model."""
        playing = self._playing.pop(item, None)
        if playing is not None and not whole:
            heard = words_heard(playing.text, heard_ms, playing.duration)
            self._interrupted = self._interrupted or (heard, playing.turn)

    def close(self) -> None:
        """End the call; what is still asked runs out by itself."""
        self._talker.close()

    def _yield(self) -> None:
        """The user speaks, and means it: stop, and say nothing of what is being thought of."""
        self._has_onset = True
        if self._playing:
            self._events.append(Flushed())
        self._unsaid = self._pending is not None

    def _end_turn(self, turn: TurnEnd, now_ms: int) -> None:
        """Keep the sound of a turn, unless it was a murmur while the agent spoke."""
        voice_ended = now_ms - self._agent.rules.silence
        if self._is_over_agent and not self._has_onset and voice_ended <= self._quiet_since:
            return
        self._pcm.append(turn.pcm)

    def _settle(self, now_ms: int) -> None:
        """Ask for what comes next, once nothing is under way that it has to wait for."""
        if self._pending is not None or self._open > 0 or self._turns.is_speaking:
            return
        if self._greets or self._pcm:
            self._replies = 0
        elif not self._results or self._replies >= MOST_REPLIES:
            return
        self._greets = False
        self._replies += 1
        pcm, self._pcm = b"".join(self._pcm), []
        results, self._results = tuple(self._results), []
        heard, cut = self._interrupted or (None, None)
        self._interrupted, self._unsaid = None, False
        view = View(self._turn, now_ms, None, heard, cut, results, self._tools)
        answer: Future[_Answer] = Future()
        if self._real:
            threading.Thread(target=self._think, args=(answer, view, pcm), name="t2a-cascade", daemon=True).start()
            self._pending = (now_ms, answer)
        else:
            self._think(answer, view, pcm)
            failed = answer.exception() is not None
            think = THINK_MS if failed else answer.result().reply.think_ms
            self._pending = (now_ms + (THINK_MS if think is None else max(0, think)), answer)

    def _think(self, answer: Future[_Answer], view: View, pcm: bytes) -> None:
        """Hear, ask the model, and say what it says."""
        try:
            heard = self._agent.ears.hear(pcm, RATE).strip() if pcm else None
            if heard == "" and not view.results:  # a noise: there is nothing to answer
                return answer.set_result(_Answer(Reply(think_ms=0), None, heard))
            reply = self._talker.reply(replace(view, user_text=heard or None))
            sound = self._agent.speak(reply.text) if reply.text.strip() else None
            answer.set_result(_Answer(reply, sound, heard))
        except BaseException as error:
            answer.set_exception(error)

    def _speak(self, answer: _Answer) -> None:
        """Hand over an answer; its words only where nobody spoke meanwhile. Its calls are made all the same."""
        self._turn += 1
        reply = answer.reply
        if answer.heard is not None:
            self._events.append(Heard(answer.heard))
        self._events += [Called(call) for call in reply.calls]
        self._open = len(reply.calls)
        if answer.sound is not None and self._unsaid:
            self._interrupted = self._interrupted or ("", self._turn)
        elif answer.sound is not None:
            item = f"r{self._turn}"
            duration = len(answer.sound.pcm) // 2 * 1000 // answer.sound.rate
            self._playing[item] = _Playing(self._turn, reply.text, duration)
            self._events += [Words(reply.text, item), replace(answer.sound, item=item)]
        self._unsaid = False
        self._events.append(Finished(reply.usage))
        if reply.end_call:
            self._events.append(Left())

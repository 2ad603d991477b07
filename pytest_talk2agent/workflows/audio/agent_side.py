"""The agent's side of a session on sound: what its line gives becomes replies, tool calls and sound that is played.

An utterance is a stretch of audible sound. It begins and ends where the samples that were played do, whenever they
came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.protocol import Call
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_MS,
    Abilities,
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
from pytest_talk2agent.workflows.audio.level import BLOCK, BLOCK_MS, Level
from pytest_talk2agent.workflows.audio.playout import Frame, Item, Playout
from pytest_talk2agent.workflows.audio.ports import MS, CallerError, Limits
from pytest_talk2agent.workflows.audio.utterance import LONGEST_TEXT, Reply, Utterance
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.tool_runs import ToolRuns
from pytest_talk2agent.workflows.session.user_side import Ending, UserSide
from pytest_talk2agent.workflows.stable import canonical

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Listener, Samples

PAUSE_MS = 600
"""A silence within a reply that is the end of an utterance."""
DEAF_AFTER, LONG_MS = 3, 1_000
"""So many utterances of such a length without a word, one after the other, are the fault of whoever listens."""


class AgentSide:
    """The agent of one call.

    Attributes:
        utterance: the words that are being played.
        turn: the number of the last reply.
        awaited: the user has said something and has no answer yet.
        quiet_since: the moment in ms since which the agent is not heard.
        leaving: it ends the call once all is played.
    """

    def __init__(
        self,
        scene: Scene,
        line: Line,
        abilities: Abilities,
        user: UserSide,
        stop: Callable[[Ending], None],
        *,
        limits: Limits,
        listener: Listener | None,
    ) -> None:
        self.scene, self.line, self.abilities = scene, line, abilities
        self.timeline = scene.timeline
        self.tools = ToolRuns(scene, lambda: user.busy, self._results_are_back)
        self.playout = Playout()
        self.utterance: Utterance | None = None
        self.turn = 0
        self.awaited = self.leaving = False
        self.quiet_since = self.asked_ms = 0
        self._user, self._stop, self._limits, self._listener = user, stop, limits, listener
        self._level = Level()
        self._reply: Reply | None = None
        self._answered: Reply | None = None
        self._owner: dict[Item, Reply] = {}
        self._expected = self._spoken_to = self._alive = False
        self._waits_since: int | None = None
        self._sound: list[Samples] = []
        self._listening = self._unheard = 0

    @property
    def settled(self) -> bool:
        """Whether it has said and done what it had to, as far as anybody can tell."""
        if not self.idle:
            return False
        open_reply = self._reply is not None and self.abilities.finishes
        return not (self.awaited or self._expected or open_reply)

    @property
    def idle(self) -> bool:
        """Whether it is not heard, nothing is to be played and no tool is at work."""
        return self.utterance is None and not self.playout.queued and self.tools.idle and not self._listening

    def ask(self, *, due: bool = True) -> None:
        """It is its turn: the user's words are over, or it is to speak first; not ``due`` is what it may pass over."""
        self.asked_ms = self.timeline.now
        self._spoken_to = True
        if not due:
            return
        self.awaited = True
        if self._reply is not None:
            self._reply.answers = False
        if self._waits_since is None:
            self._waits_since = self.asked_ms

    def poll(self) -> None:
        """Take what the line has come up with.

        Raises:
            LineError: where it fails, or gives nothing for longer than its limit.
            AgentFailedError: where the agent does.
        """
        now = self.timeline.now
        events = self.line.poll(now)
        if events:
            self._alive, self._waits_since = True, now if self.awaited else None
        elif self.awaited and self._waits_since is not None:
            self._check_wait(now - self._waits_since)
        calls: list[Call] = []
        turn = self.turn
        for event in events:
            if isinstance(event, Called):
                turn = self._open().turn
                calls.append(event.call)
            else:
                self._take(event)
            if self._user.ended:
                return
        if self.playout.queued > self._limits.call * MS:
            raise LineError("call", f"more than {self._limits.call // 1000} s of sound wait to be played")
        if calls:
            self.tools.add(calls, turn, [])
            self.tools.start()
        if self.tools.flooded:
            self._stop("flood")

    def observe(self, frame: Frame, at_ms: int) -> None:
        """Hear a frame that was played, from the moment ``at_ms`` on."""
        for index, audible in enumerate(self._level.blocks(frame.samples)):
            if audible:
                self._sounds(at_ms + index * BLOCK_MS, self._reply_at(frame, index * BLOCK))
        if self.utterance is not None:
            if self._listener is not None:
                self._sound.append(frame.samples)
            for act in list(self.utterance.reply.acts(self.scene.observer)):
                if self.utterance is not None:
                    self._user.hear_act(self.utterance, act.key, act.value)
        self._tell_played()
        utterance = self.utterance
        if utterance is None or self._user.ended:
            return
        silence = at_ms + FRAME_MS - utterance.last
        over = utterance.reply.complete and not self.playout.queued
        named = bool(utterance.reply.text) or not self.abilities.finishes
        if over or (silence >= PAUSE_MS and named):
            self._end(utterance)

    def finish(self) -> None:
        """Log what was under way when the call ended."""
        if self.utterance is not None:
            self._end(self.utterance, listen=False)
        if self._reply is not None:
            self._close(self._reply, cancelled=False)
        self.tools.finish()

    # What the line gives

    def _take(self, event: LineEvent) -> None:
        if isinstance(event, Sound):
            item = self.playout.put(bytes(event.pcm), event.rate, event.item)
            if self.abilities.finishes:
                self._bind(item, self._open())
        elif isinstance(event, Words):
            reply = self._open()
            if len(reply.text) + len(event.text) > LONGEST_TEXT:
                what = f"text of more than {LONGEST_TEXT} characters"
                self.scene.note("POLICY_EVENT", "harness", kind="limit", what=what)
            reply.add(event.item, event.text)
        elif isinstance(event, Finished):
            reply = self._open()
            reply.used(event.usage)
            self.playout.complete(cut=event.cancelled)
            self._close(reply, cancelled=event.cancelled)
        elif isinstance(event, Flushed):
            self._flush()
        elif isinstance(event, Executed):
            self._executed(event)
        elif isinstance(event, Heard):
            self.scene.note("POLICY_EVENT", "agent", kind="heard", text=event.text)
        elif isinstance(event, Left):
            self.leaving = True
            if self._reply is not None:
                self._reply.end_call = True
            self.scene.note("POLICY_EVENT", "agent", kind="left", reason=event.reason)

    def _open(self) -> Reply:
        """The reply that is under way, or a new one."""
        if self._reply is None:
            self.turn += 1
            going_on = self.turn > 1 and not self._spoken_to
            self._reply = Reply(self.turn, self.asked_ms, going_on, answers=not self._user.busy)
            self._spoken_to = False
        return self._reply

    def _bind(self, item: Item, reply: Reply) -> None:
        if item not in self._owner:
            self._owner[item] = reply
            reply.script(item.name).item = item

    def _close(self, reply: Reply, *, cancelled: bool) -> None:
        """Nothing is added to a reply any more."""
        reply.complete, reply.cancelled, self._reply = True, cancelled, None
        if not cancelled:
            # Results that came back before its end are still to be answered, by another reply.
            self._expected = self._expected and self._answered is reply
            self.awaited = self.awaited and not reply.answers
            self._waits_since = self._waits_since if self.awaited else None
        more = {"asked_ms": reply.asked_ms, "continuation": reply.continuation, "usage": dict(reply.usage)}
        seq = self.scene.note(
            "AGENT_TEXT",
            "agent",
            turn=reply.turn,
            text=reply.text,
            cancelled=cancelled,
            end_call=reply.end_call,
            **more,
        )
        reply.seq = seq
        if cancelled and self.utterance is not None and self.utterance.reply is reply:
            self.utterance.cut = True

    def _flush(self) -> None:
        """The agent throws away what was not played."""
        for item in self.playout.flush():
            if item.name:
                self.line.played(item.name, item.played // MS, whole=False)
            if self.utterance is not None and self._owner.get(item) is self.utterance.reply:
                self.utterance.cut = True
        self.playout.forget()
        if self.utterance is not None:
            self._end(self.utterance)

    def _executed(self, event: Executed) -> None:
        """A deployed agent used a tool of its own: do the same here, and say where it comes to something else."""
        call = event.call
        outcome, seq = self.scene.call(call, self._open().turn)
        self.scene.result(call, outcome, seq, abandoned=self._user.busy)
        told = outcome.told()
        posted, differs = _plain(event.result)
        differs = differs or canonical(posted) not in (canonical(told), canonical(told.get("result")))
        more = {"call": call.call_id, "tool": call.name, "result": posted, "differs": differs}
        self.scene.note("POLICY_EVENT", "agent", [seq], kind="posted", **more)

    def _results_are_back(self) -> None:
        if self.tools.idle and self.tools.results:
            self._expected, self._answered = True, self._reply
            self.line.returned(self.tools.taken())

    def _check_wait(self, waited: int) -> None:
        if not self._alive and waited >= self._limits.first_audio:
            raise LineError("first audio", f"nothing came from the agent in {waited} ms")
        if self._alive and waited >= self._limits.silence:
            raise LineError("silence", f"nothing came from the agent for {waited} ms")

    # What is played

    def _reply_at(self, frame: Frame, sample: int) -> Reply | None:
        """The reply that a sample of a frame belongs to, or that of the nearest sound before it."""
        found = None
        for part in frame.parts:
            if part.start <= sample + BLOCK - 1:
                found = part.item
        return self._owner.get(found) if found is not None else None

    def _sounds(self, at_ms: int, reply: Reply | None) -> None:
        """The agent is audible at a moment."""
        if self.utterance is not None and reply is not None and self.utterance.reply is not reply:
            self._end(self.utterance)
        if self.utterance is None:
            if self._user.ended:
                return
            reply = reply or self._open()
            name = self._user.named("a")
            payload = {"utterance": name, "turn": reply.turn, "text": reply.text, "duration_ms": None}
            parents = [] if reply.seq is None else [reply.seq]
            seq = self.scene.note("AGENT_AUDIO_START", "agent", parents, start_ms=at_ms, **payload)
            before = len(reply.heard)
            self.utterance = Utterance(name, reply.turn, reply.text, at_ms, 0, seq, reply=reply, before=before)
            self._user.hears()
            self._user.attend(self.utterance)
        self.utterance.last = self.quiet_since = at_ms + BLOCK_MS

    def _tell_played(self) -> None:
        """Tell the line of the utterances that were played to their end."""
        for item in self.playout.items:
            if item.over and item.name:
                self.line.played(item.name, item.played // MS, whole=not item.cut)
        self.playout.forget()

    def _end(self, utterance: Utterance, *, listen: bool = True) -> None:
        """The agent is silent since `Utterance.last`."""
        reply, self.utterance = utterance.reply, None
        if utterance.cut is None and self.abilities.finishes and reply.complete:
            utterance.cut = reply.cancelled
        samples, self._sound = self._sound, []
        if not self.abilities.words and self._listener is not None and listen:
            self._listen(utterance, samples)
        else:
            self._log_end(utterance, utterance.heard)

    def _listen(self, utterance: Utterance, frames: Sequence[Samples]) -> None:
        import numpy as np

        listener = self._listener
        assert listener is not None, "it is asked for"
        self._listening += 1
        samples = np.concatenate(frames)

        def heard(text: str) -> None:
            self._listening -= 1
            self._unheard = 0 if text.strip() or utterance.last - utterance.start < LONG_MS else self._unheard + 1
            if self._unheard >= DEAF_AFTER:
                raise CallerError(f"the listener heard nothing in {DEAF_AFTER} utterances of the agent")
            if not self._user.ended:
                utterance.reply.add("", text)
                for act in self.scene.observer.in_speech(text):
                    self._user.hear_act(utterance, act.key, act.value)
                self._log_end(utterance, text)

        self.timeline.ask(lambda: listener(samples), lambda text: 0, heard)

    def _log_end(self, utterance: Utterance, heard: str) -> None:
        reply = utterance.reply
        for act in reply.acts(self.scene.observer) if self.abilities.words else ():
            self._user.hear_act(utterance, act.key, act.value)
        utterance.over = True
        played = {"utterance": utterance.utterance, "played_ms": utterance.last - utterance.start, "heard": heard}
        told = {"text": reply.text, "cut": bool(utterance.cut), "broken_off": utterance.cut}
        seq = self.scene.note("AGENT_AUDIO_END", "agent", [utterance.seq], **played, **told)
        if not self.abilities.finishes and self._reply is reply:
            self._close(reply, cancelled=False)
        self._user.wait()
        self.scene.caller.satisfaction.hear(heard)
        self.scene.classify(heard, seq)
        self._user.overlaps.over(utterance, seq)


def _plain(value: object) -> tuple[object, bool]:
    """A posted result as a plain value, and whether it is none."""
    try:
        canonical(value)
    except (ValueError, TypeError, RecursionError):
        return str(value)[:200], True
    return value, False

"""One session: an agent and a user take turns, speak over each other and let go, on one media timeline.

The agent decides when it is silent; what it did not play out by then was not said. The user speaks over it where an
event of the package brings that, and else once it has released the floor: its words are over and no tool is at work.
"""

from __future__ import annotations

from pytest_talk2agent.workflows.agents.protocol import Overlap, Reply, Talker, View
from pytest_talk2agent.workflows.caller.speech import Wordings, moment_of, words_heard
from pytest_talk2agent.workflows.session.overlaps import Speech
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.tool_runs import ToolRuns
from pytest_talk2agent.workflows.session.user_side import Ending, Kind, Over, UserSide, Voiced
from pytest_talk2agent.workflows.workbench.offer import offered

START_MS = 500
"""The pause before the first word."""
THINK_MS = 400
"""How long an agent takes to answer under the virtual clock, where it does not say."""
MOST_REPLIES = 8
"""Replies in one turn of the agent, each after the results of its tools."""
LONGEST_TEXT = 20_000
"""Characters of one reply; a longer one is cut, and the log says so."""


class Session:
    """The conversation of one session; `begin` plans its first moment, `finish` closes what is open."""

    def __init__(self, scene: Scene, talker: Talker, wordings: Wordings, *, seed: int, duplex: bool = True) -> None:
        self.scene = scene
        self.timeline = scene.timeline
        self.talker = talker
        self.words = wordings
        self.end: str = "stuck"
        self.turn = 0
        self.user = UserSide(scene, wordings, self, seed=seed, duplex=duplex)
        self.tools = ToolRuns(scene, lambda: self.user.busy, self.settle)
        self._replies = 0
        self._speech: Speech | None = None
        self._asking = self._cancel = self._leaving = False
        self._heard_user: list[str] = []
        self._interrupted: tuple[str, int] | None = None
        self._next_speech: Reply | None = None

    def begin(self) -> None:
        """Plan the beginning: who speaks first, and what happens by the time alone."""
        self.user.begin()
        first = self._ask if self.scene.caller.manner.first_speaker == "agent" else self.user.take_floor
        self.timeline.at(START_MS, first)

    def finish(self) -> None:
        """Log what was under way when the session ended."""
        if self._speech is not None:
            self._silence(self._speech)
        self.tools.finish()
        self.user.finish(self.end)

    # The agent

    def _ask(self) -> None:
        """Ask the agent for a reply to what it has not reacted to yet."""
        text = " ".join(self._heard_user) if self._heard_user else None
        tools = tuple(offered(self.scene.package, tool) for tool in self.scene.workbench.offered())
        heard, cut = self._interrupted or (None, None)
        view = View(self.turn, self.timeline.now, text, heard, cut, self.tools.taken(), tools)
        asked = self.timeline.now
        continuation = text is None and bool(view.results)
        if not continuation:
            self._replies = 0
        self._replies += 1
        self._asking, self._interrupted = True, None
        self._heard_user = []
        self.timeline.ask(
            lambda: self.talker.reply(view),
            lambda reply: THINK_MS if reply.think_ms is None else reply.think_ms,
            lambda reply: self._answered(reply, asked, continuation),
        )

    def _answered(self, reply: Reply, asked: int, continuation: bool) -> None:
        if self.user.ended:
            return
        self._asking, self.turn, text = False, self.turn + 1, reply.text[:LONGEST_TEXT]
        more = {"asked_ms": asked, "continuation": continuation, "usage": dict(reply.usage), "end_call": reply.end_call}
        parent = self.scene.note("AGENT_TEXT", "agent", turn=self.turn, text=text, cancelled=self._cancel, **more)
        if len(text) < len(reply.text):
            self.scene.note(
                "POLICY_EVENT", "harness", [parent], kind="limit", what=f"text of {len(reply.text)} characters"
            )
        self._leaving = self._leaving or reply.end_call
        self.tools.add(reply.calls, self.turn, [parent])
        if self.tools.flooded:
            return self.stop("flood")
        if text.strip() and self._cancel:
            self._interrupted = self._interrupted or ("", self.turn)
        elif text.strip():
            turn = self.turn
            start = max(self.timeline.now, self._speech.end if self._speech is not None else 0)
            self._next_speech = reply
            self.timeline.at(start, lambda: self._speak(text, turn, parent))
        self._cancel = False
        self.tools.start()
        self.settle()

    def _speak(self, text: str, turn: int, parent: int) -> None:
        if self.user.ended:
            return
        self._next_speech = None
        if self.user.busy:  # it was about to speak when the user set in
            self._interrupted = self._interrupted or ("", turn)
            return self.settle()
        if self._speech is not None:
            self._silence(self._speech)
        duration = self.words.spoken(text)
        name = self.user.named("a")
        payload = {"utterance": name, "turn": turn, "text": text, "duration_ms": duration}
        seq = self.scene.note("AGENT_AUDIO_START", "agent", [parent], **payload)
        self._speech = speech = Speech(name, turn, text, self.timeline.now, duration, seq)
        self.user.hears()
        for act in self.scene.observer.in_speech(text):
            moment = speech.start + moment_of(text, act.end, duration)
            self.timeline.at(moment, lambda act=act: self.user.hear_act(speech, act.key, act.value))  # type: ignore[misc]
        self.user.attend(speech)
        self.timeline.at(speech.end, lambda: self._played(speech))

    def _played(self, speech: Speech) -> None:
        if not speech.over and not self.user.ended:
            self._silence(speech)
            self.settle()

    def _silence(self, speech: Speech) -> None:
        """The agent's words end here, played to their end or not."""
        if speech.over:
            return
        speech.over = True
        played = min(self.timeline.now - speech.start, speech.duration)
        heard = words_heard(speech.text, played, speech.duration)
        cut = played < speech.duration
        payload = {"utterance": speech.utterance, "played_ms": played, "heard": heard, "cut": cut}
        seq = self.scene.note("AGENT_AUDIO_END", "agent", [speech.seq], **payload)
        self._speech = None
        self.user.wait()
        self.scene.caller.satisfaction.hear(heard)
        self.scene.classify(heard, seq)
        if cut and self.user.overlaps.met(speech):
            self._interrupted = (heard, speech.turn)
        self.user.overlaps.over(speech, seq)

    # What the user's side asks of the conversation

    @property
    def speech(self) -> Speech | None:
        """The agent's words that are being played."""
        return self._speech

    def voice(self, text: str, variant: str | None, kind: Kind) -> Voiced:
        """Words of the user take as long as their recording, or a rule says."""
        return Voiced(self.words.duration(text))

    def said(self, text: str, kind: Kind, over: Speech | None, *, more: bool) -> None:
        """The agent has heard the user; a murmur only where it stopped for it."""
        if kind != "backchannel" or (over is not None and over.stops is not None):
            self._heard_user.append(text)

    def overlapped(self, kind: Over, text: str, speech: Speech) -> None:
        """The agent decides whether it yields."""
        heard = words_heard(speech.text, self.timeline.now - speech.start, speech.duration)
        stop = self.talker.overlapped(Overlap(kind, len(text.split()), heard))
        self._leaving = self._leaving and kind == "backchannel"
        if stop is not None:
            speech.stops = min(self.timeline.now + max(0, stop), speech.end)
            self.timeline.at(speech.stops, lambda: self._played(speech))
            self._cancel = self._cancel or self._asking

    def settle(self) -> None:
        """Go on with whatever comes next, once nothing is under way that it has to wait for."""
        if self.user.ended or self._asking or self.user.busy or self.user.floor:
            return
        if not self.tools.idle or self._next_speech is not None:
            return
        if self._heard_user:
            if self._speech is None:
                self._ask()
        elif self._leaving:
            if self._speech is None:
                self.stop("agent")
        elif self.tools.results and self._replies < MOST_REPLIES:
            self._ask()
        elif self._speech is None:
            self.user.await_floor()

    def stop(self, end: Ending) -> None:
        """The call is over."""
        self.end = end
        self.user.ended = True
        self.tools.stop()
        self.timeline.stop()

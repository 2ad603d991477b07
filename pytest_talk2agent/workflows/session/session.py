"""One session: an agent and a user take turns, speak over each other and let go, on one media timeline.

The agent decides when it is silent; what it did not play out by then was not said. The user speaks over it where an
event of the package brings that, and else once it has released the floor: its words are over and no tool is at work.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Literal

from pytest_talk2agent.workflows.agents.protocol import Call, Overlap, Reply, Returned, Talker, View
from pytest_talk2agent.workflows.caller.caller import Turn
from pytest_talk2agent.workflows.caller.flow import CLAIMING, Plan
from pytest_talk2agent.workflows.caller.speech import Wordings, moment_of, words_heard
from pytest_talk2agent.workflows.package.user import EventSpec
from pytest_talk2agent.workflows.session.overlaps import Overlaps, Speech
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.stable import stable_int
from pytest_talk2agent.workflows.workbench.offer import offered
from pytest_talk2agent.workflows.workbench.workbench import Outcome

START_MS = 500
"""The pause before the first word."""
THINK_MS = 400
"""How long an agent takes to answer under the virtual clock, where it does not say."""
GAP_MS = (200, 400)
"""How soon the user speaks after the agent, and between two things that it says."""
BARGE_AFTER_MS = 700
"""How long the agent has to be heard before the user speaks over it, where the event has no window."""
MOST_TURNS = 44
MOST_REPLIES = 8
"""Replies in one turn of the agent, each after the results of its tools."""
MOST_CALLS = 64
"""Tool calls of one reply; the others are errors that the agent is told."""
MOST_CALLS_ALL = 2_000
LONGEST_TEXT = 20_000
"""Characters of one reply; a longer one is cut, and the log says so."""

Ending = Literal["user", "agent", "turns", "patience", "flood", "stuck"]


class Session:
    """The conversation of one session; `begin` plans its first moment, `finish` closes what is open."""

    def __init__(self, scene: Scene, talker: Talker, wordings: Wordings, *, seed: int, duplex: bool = True) -> None:
        self.scene = scene
        self.timeline = scene.timeline
        self.talker = talker
        self.words = wordings
        self.end: str = "stuck"
        self.turn = 0
        self._seed, self._duplex = seed, duplex
        self._beats = self._said = self._replies = self._calls = 0
        self._speech: Speech | None = None
        self._queue: deque[tuple[Call, int]] = deque()
        self._running: tuple[Call, Outcome, int] | None = None
        self._results: list[Returned] = []
        self._user_busy = self._asking = self._cancel = self._leaving = self._floor = self._ended = False
        self._heard_user: list[str] = []
        self._interrupted: tuple[str, int] | None = None
        self._silent_since: int | None = None
        self._overlaps = Overlaps(scene)
        self._events = {event.id: event for event in scene.package.events.events}
        self._next_speech: Reply | None = None
        scene.fired = self._on_fired

    def begin(self) -> None:
        """Plan the beginning: who speaks first, and what happens by the time alone."""
        for moment in (event.trigger.media_time_ms_gte for event in self._events.values()):
            if moment is not None:
                self.timeline.at(moment, self._tick)
        first = self._ask if self.scene.caller.manner.first_speaker == "agent" else self._take_floor
        self.timeline.at(START_MS, first)

    def finish(self) -> None:
        """Log what was under way when the session ended."""
        if self._speech is not None:
            self._silence(self._speech)
        if self._running is not None:
            call, outcome, seq = self._running
            self.scene.result(call, outcome, seq, abandoned=True)
            self._running = None
        if self.end == "agent":
            before = self.scene.caller.engine.state
            self.scene.caller.hear_last(self.scene.observe())
            self._moved(before)
        for verdict in self.scene.caller.verdicts():
            request = {"request_id": verdict.request_id, "satisfied": verdict.satisfied, "reason": verdict.reason}
            self.scene.note("POLICY_EVENT", "user", kind="request", **request)

    # The agent

    def _ask(self) -> None:
        """Ask the agent for a reply to what it has not reacted to yet."""
        text = " ".join(self._heard_user) if self._heard_user else None
        tools = tuple(offered(self.scene.package, tool) for tool in self.scene.workbench.offered())
        heard, cut = self._interrupted or (None, None)
        view = View(self.turn, self.timeline.now, text, heard, cut, tuple(self._results), tools)
        asked = self.timeline.now
        continuation = text is None and bool(self._results)
        if not continuation:
            self._replies = 0
        self._replies += 1
        self._asking, self._interrupted = True, None
        self._heard_user, self._results = [], []
        self.timeline.ask(
            lambda: self.talker.reply(view),
            lambda reply: THINK_MS if reply.think_ms is None else reply.think_ms,
            lambda reply: self._answered(reply, asked, continuation),
        )

    def _answered(self, reply: Reply, asked: int, continuation: bool) -> None:
        if self._ended:
            return
        self._asking, self.turn, text = False, self.turn + 1, reply.text[:LONGEST_TEXT]
        more = {"asked_ms": asked, "continuation": continuation, "usage": dict(reply.usage), "end_call": reply.end_call}
        parent = self.scene.note("AGENT_TEXT", "agent", turn=self.turn, text=text, cancelled=self._cancel, **more)
        if len(text) < len(reply.text):
            self.scene.note(
                "POLICY_EVENT", "harness", [parent], kind="limit", what=f"text of {len(reply.text)} characters"
            )
        self._leaving = self._leaving or reply.end_call
        self._queue += [(call, self.turn) for call in reply.calls[:MOST_CALLS]]
        for call in reply.calls[MOST_CALLS:]:
            told = {"ok": False, "error": f"more than {MOST_CALLS} calls at once"}
            self._results.append(Returned(call.call_id, call.name, told))
        if len(reply.calls) > MOST_CALLS:
            self.scene.note("POLICY_EVENT", "harness", [parent], kind="limit", what=f"{len(reply.calls)} calls at once")
        self._calls += len(reply.calls)
        if self._calls > MOST_CALLS_ALL:
            return self._stop("flood")
        if text.strip() and self._cancel:
            self._interrupted = self._interrupted or ("", self.turn)
        elif text.strip():
            turn = self.turn
            start = max(self.timeline.now, self._speech.end if self._speech is not None else 0)
            self._next_speech = reply
            self.timeline.at(start, lambda: self._speak(text, turn, parent))
        self._cancel = False
        self._next_call()
        self._settle()

    def _speak(self, text: str, turn: int, parent: int) -> None:
        if self._ended:
            return
        self._next_speech = None
        if self._user_busy:  # it was about to speak when the user set in
            self._interrupted = self._interrupted or ("", turn)
            return self._settle()
        if self._speech is not None:
            self._silence(self._speech)
        duration = self.words.spoken(text)
        self._said += 1
        name = f"a{self._said}"
        payload = {"utterance": name, "turn": turn, "text": text, "duration_ms": duration}
        seq = self.scene.note("AGENT_AUDIO_START", "agent", [parent], **payload)
        self._speech = speech = Speech(name, turn, text, self.timeline.now, duration, seq)
        self._silent_since = None
        for act in self.scene.observer.in_speech(text):
            moment = speech.start + moment_of(text, act.end, duration)
            self.timeline.at(moment, lambda act=act: self._hear_act(speech, act.key, act.value))  # type: ignore[misc]
        for long in (event.trigger.agent_speech_continuous_ms_gte for event in self._events.values()):
            if long is not None and long <= duration:
                self.timeline.at(speech.start + long, self._tick)
        for event_id in self.scene.waiting():
            self._plan_overlap(self._events[event_id], speech)
        self.timeline.at(speech.end, lambda: self._played(speech))

    def _hear_act(self, speech: Speech, key: str, value: str | None) -> None:
        if not speech.over and not self._ended:
            self.scene.act(key, "pattern", speech.seq, value)
            self._tick()

    def _played(self, speech: Speech) -> None:
        if not speech.over and not self._ended:
            self._silence(speech)
            self._settle()

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
        self._wait()
        self.scene.caller.satisfaction.hear(heard)
        self.scene.classify(heard, seq)
        if cut and self._overlaps.met(speech):
            self._interrupted = (heard, speech.turn)
        self._overlaps.over(speech, seq)

    def _next_call(self) -> None:
        if self._running is not None or not self._queue or self._ended:
            return
        call, turn = self._queue.popleft()
        outcome, seq = self.scene.call(call, turn)
        self._running = (call, outcome, seq)
        self.timeline.at(self.timeline.now + outcome.latency_ms, lambda: self._returned(call, outcome, seq))

    def _returned(self, call: Call, outcome: Outcome, seq: int) -> None:
        if self._ended:
            return
        self._running = None
        self.scene.result(call, outcome, seq, abandoned=self._user_busy)
        self._results.append(Returned(call.call_id, call.name, outcome.told()))
        self._next_call()
        self._settle()

    def _settle(self) -> None:
        """Go on with whatever comes next, once nothing is under way that it has to wait for."""
        if self._ended or self._asking or self._user_busy or self._floor:
            return
        if self._running is not None or self._queue or self._next_speech is not None:
            return
        if self._heard_user:
            if self._speech is None:
                self._ask()
        elif self._leaving:
            if self._speech is None:
                self._stop("agent")
        elif self._results and self._replies < MOST_REPLIES:
            self._ask()
        elif self._speech is None:
            self._floor = True
            self.timeline.at(self.timeline.now + self._gap(), self._take_floor)

    # The user

    def _take_floor(self) -> None:
        """The user has the floor."""
        if self._ended:
            return
        self._floor = False
        self._beats += 1
        if self._beats > MOST_TURNS:
            return self._stop("turns")
        before = self.scene.caller.engine.state
        turn = self.scene.caller.take_floor(self.scene.observe())
        self._moved(before)
        self.scene.forget()
        self._do(turn)

    def _do(self, turn: Turn) -> None:
        for plan in turn.unsaid:
            self.scene.plan(plan, unsaid=True)
        if turn.end is not None:
            if turn.reason:
                self.scene.note("POLICY_EVENT", "user", kind="patience", reason=turn.reason)
            return self._stop("patience" if turn.end == "patience" else "user")
        self._user_busy = True
        if turn.say is not None:
            text = self.words.closing() if turn.say == "closing" else self.words.nudge()
            self._utter(text, turn.say, None, None, self._user_done)
        else:
            self._say(list(turn.plans))

    def _say(self, plans: list[Plan]) -> None:
        plan = plans.pop(0)
        seq = self.scene.plan(plan)
        text, variant = self._wording(plan)
        self._utter(text, "recovered" if plan.recovered else "turn", plan, variant, lambda: self._said_one(plans), seq)

    def _said_one(self, plans: list[Plan]) -> None:
        if plans:
            self.timeline.at(self.timeline.now + self._gap(), lambda: None if self._ended else self._say(plans))
        else:
            self._user_done()

    def _user_done(self) -> None:
        self._user_busy = False
        self._wait()
        self._settle()

    def _wait(self) -> None:
        """Nobody speaks from here on, and the user's patience runs."""
        if self._speech is None:
            self._silent_since = since = self.timeline.now
            patience = self.scene.caller.manner.patience.silence_ms
            self.timeline.at(since + patience, lambda: self._check_silence(since))

    def _check_silence(self, since: int) -> None:
        if not self._ended and self._silent_since == since and not self._user_busy:
            waited = self.timeline.now - since
            self._do(self.scene.caller.give_up(f"heard nothing for {waited} ms"))

    def _wording(self, plan: Plan) -> tuple[str, str | None]:
        variant = self.words.variant(plan.id, plan.dropped)
        if variant is not None:
            return variant.text, variant.variant_id
        self.scene.note("SIMULATOR_FALLBACK", "harness", user_plan_id=plan.id)
        values = {fact.id: fact.value for fact in self.scene.package.user.facts}
        return " ".join(str(values[name]) for name in plan.facts) or "Yes.", None

    def _utter(
        self,
        text: str,
        kind: str,
        plan: Plan | None,
        variant: str | None,
        after: Any,
        parent: int | None = None,
        over: Speech | None = None,
    ) -> int:
        self._said += 1
        name, duration = f"u{self._said}", self.words.duration(text)
        seq = self.scene.note(
            "USER_AUDIO_START",
            "user",
            [] if parent is None else [parent],
            utterance=name,
            text=text,
            duration_ms=duration,
            kind=kind,
            plan_id=plan.id if plan else None,
            variant_id=variant,
            speech_act=plan.speech_act if plan else None,
            facts=list(plan.facts) if plan else [],
            approves=plan.approves if plan else None,
            over=over.utterance if over else None,
        )
        if plan is not None:
            self.scene.onset(plan, seq)

        def ended() -> None:
            if not self._ended:
                self.scene.note("USER_AUDIO_END", "user", [seq], utterance=name)
                if kind != "backchannel" or (over is not None and over.stops is not None):
                    self._heard_user.append(text)
                after()

        self.timeline.at(self.timeline.now + duration, ended)
        return seq

    # Over each other

    def _tick(self) -> None:
        """Something may have come to pass by time or by what was heard."""
        if self._ended:
            return
        speech = self._speech
        self.scene.seen.speech_ms = self.timeline.now - speech.start if speech is not None else 0
        self.scene.fire(self.scene.log.events[-1].seq)

    def _on_fired(self, event: EventSpec) -> None:
        if self._speech is not None and not self._speech.over:
            self._plan_overlap(event, self._speech)

    def _plan_overlap(self, event: EventSpec, speech: Speech) -> None:
        """Plan the moment at which the user speaks over these words about an event."""
        offset = self.scene.perturbation.overlaps.get(event.id)
        if offset is None:
            low, high = event.start_window_ms or (BARGE_AFTER_MS, BARGE_AFTER_MS)
            offset = low + stable_int(self._seed, "window", event.id) % (high - low + 1)
        moment = max(self.timeline.now, speech.start + offset)
        if moment < speech.end and self._duplex:
            self.timeline.at(moment, lambda: self._overlap(event, speech))

    def _overlap(self, event: EventSpec, speech: Speech) -> None:
        if self._ended or speech.over or speech.stops is not None or self._user_busy:
            return
        before = self.scene.caller.engine.state
        plan = self.scene.caller.overlap(self.scene.observe())
        self._moved(before)
        if plan is None:
            return
        claiming = plan.floor_action in CLAIMING
        kind: Literal["barge_in", "backchannel"] = "barge_in" if claiming else "backchannel"
        text, variant = self._wording(plan)
        seq = self.scene.plan(plan)
        self._user_busy = True
        start = self._utter(text, kind, plan, variant, self._user_done, seq, speech)
        heard = words_heard(speech.text, self.timeline.now - speech.start, speech.duration)
        self._overlaps.meet(self._events.get(plan.event_id or event.id, event), speech, start, claiming=claiming)
        stop = self.talker.overlapped(Overlap(kind, len(text.split()), heard))
        self._leaving = self._leaving and not claiming
        if stop is not None:
            speech.stops = min(self.timeline.now + max(0, stop), speech.end)
            self.timeline.at(speech.stops, lambda: self._played(speech))
            self._cancel = self._cancel or self._asking

    def _moved(self, before: str) -> None:
        if self.scene.caller.engine.state != before:
            states = {"from": before, "to": self.scene.caller.engine.state}
            self.scene.note("USER_STATE_TRANSITION", "user", **states)

    def _gap(self) -> int:
        low, high = GAP_MS
        return low + stable_int(self._seed, "gap", self._beats, self._said) % (high - low + 1)

    def _stop(self, end: Ending) -> None:
        self.end = end
        self._ended = True
        self.timeline.stop()

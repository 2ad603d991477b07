"""The user's side of a conversation: it takes the floor, says what the flow plans, speaks over the agent, and gives up.

Both kinds of session have it, that without sound and that on sound; what they differ in is a `Conversation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

from pytest_talk2agent.workflows.caller.caller import Turn
from pytest_talk2agent.workflows.caller.flow import CLAIMING, Plan
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.package.user import EventSpec
from pytest_talk2agent.workflows.session.overlaps import Overlaps, Speech
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.stable import stable_int

GAP_MS = (200, 400)
"""How soon the user speaks after the agent, and between two things that it says."""
BARGE_AFTER_MS = 700
"""How long the agent has to be heard before the user speaks over it, where the event has no window."""
MOST_TURNS = 44

Ending = Literal["user", "agent", "turns", "patience", "flood", "stuck", "time"]
Kind = Literal["turn", "recovered", "closing", "nudge", "barge_in", "backchannel"]
Over = Literal["barge_in", "backchannel"]


class Voiced(NamedTuple):
    """How long the user's words take, and how long it is until they can be heard."""

    duration_ms: int
    lead_ms: int = 0


class Conversation(Protocol):
    """What the user's side asks of the session that it is a part of."""

    @property
    def speech(self) -> Speech | None:
        """The agent's words that are being played."""
        ...

    def voice(self, text: str, variant: str | None, kind: Kind) -> Voiced:
        """The user's words begin now; ``variant`` is their id in the bank."""
        ...

    def said(self, text: str, kind: Kind, over: Speech | None, *, more: bool) -> None:
        """The user's words are over; ``more`` says that the user goes on after a short pause."""
        ...

    def overlapped(self, kind: Over, text: str, speech: Speech) -> None:
        """The user's voice has set in over the agent's words."""
        ...

    def settle(self) -> None:
        """The user has said what it had to say."""
        ...

    def stop(self, end: Ending) -> None:
        """The call is over."""
        ...


class UserSide:
    """The user of one session.

    Attributes:
        busy: the user speaks, or is about to say the next of several things.
        floor: it is planned that the user takes the floor.
        names: how many utterances of both sides were named.
        ended: the call is over.
    """

    def __init__(self, scene: Scene, wordings: Wordings, talk: Conversation, *, seed: int, duplex: bool) -> None:
        self.scene = scene
        self.timeline = scene.timeline
        self.overlaps = Overlaps(scene)
        self.events = {event.id: event for event in scene.package.events.events}
        self.busy = self.floor = self.ended = False
        self.names = 0
        self._words, self._talk = wordings, talk
        self._seed, self._duplex = seed, duplex
        self._beats = self._lead = 0
        self._silent_since: int | None = None
        scene.fired = self._on_fired

    def begin(self) -> None:
        """Plan what happens by the time alone."""
        for moment in (event.trigger.media_time_ms_gte for event in self.events.values()):
            if moment is not None:
                self.timeline.at(moment, self.tick)

    def finish(self, end: str) -> None:
        """Log what the user takes from the call, now that it is over."""
        if end == "agent":
            before = self.scene.caller.engine.state
            self.scene.caller.hear_last(self.scene.observe())
            self._moved(before)
        for verdict in self.scene.caller.verdicts():
            request = {"request_id": verdict.request_id, "satisfied": verdict.satisfied, "reason": verdict.reason}
            self.scene.note("POLICY_EVENT", "user", kind="request", **request)

    def named(self, side: str) -> str:
        """A name for the next utterance of a side."""
        self.names += 1
        return f"{side}{self.names}"

    # Taking turns

    def await_floor(self) -> None:
        """Plan that the user speaks after a short while."""
        self.floor = True
        self.timeline.at(self.timeline.now + self.gap(), self.take_floor)

    def take_floor(self) -> None:
        """The user has the floor."""
        if self.ended:
            return
        self.floor = False
        self._beats += 1
        if self._beats > MOST_TURNS:
            return self._talk.stop("turns")
        before = self.scene.caller.engine.state
        turn = self.scene.caller.take_floor(self.scene.observe())
        self._moved(before)
        self.scene.forget()
        self._do(turn)

    def wait(self) -> None:
        """Nobody speaks from here on, and the user's patience runs."""
        if self._talk.speech is None:
            self._silent_since = since = self.timeline.now
            patience = self.scene.caller.manner.patience.silence_ms
            self.timeline.at(since + patience, lambda: self._check_silence(since))

    def hears(self) -> None:
        """The agent's words have begun: its silence is over."""
        self._silent_since = None

    def gap(self) -> int:
        """How many milliseconds the user waits before it speaks."""
        low, high = GAP_MS
        return low + stable_int(self._seed, "gap", self._beats, self.names) % (high - low + 1)

    def _check_silence(self, since: int) -> None:
        if not self.ended and self._silent_since == since and not self.busy:
            waited = self.timeline.now - since
            self._do(self.scene.caller.give_up(f"heard nothing for {waited} ms"))

    def _do(self, turn: Turn) -> None:
        for plan in turn.unsaid:
            self.scene.plan(plan, unsaid=True)
        if turn.end is not None:
            if turn.reason:
                self.scene.note("POLICY_EVENT", "user", kind="patience", reason=turn.reason)
            return self._talk.stop("patience" if turn.end == "patience" else "user")
        self.busy = True
        if turn.say is not None:
            text = self._words.closing() if turn.say == "closing" else self._words.nudge()
            self._utter(text, turn.say, None, None, self._done)
        else:
            self._say(list(turn.plans))

    def _say(self, plans: list[Plan]) -> None:
        plan = plans.pop(0)
        seq = self.scene.plan(plan)
        text, variant = self._wording(plan)
        kind: Kind = "recovered" if plan.recovered else "turn"
        self._utter(text, kind, plan, variant, lambda: self._said_one(plans), seq, more=bool(plans))

    def _said_one(self, plans: list[Plan]) -> None:
        if plans:
            self.timeline.at(self.timeline.now + self.gap(), lambda: None if self.ended else self._say(plans))
        else:
            self._done()

    def _done(self) -> None:
        self.busy = False
        self.wait()
        self._talk.settle()

    def _wording(self, plan: Plan) -> tuple[str, str | None]:
        variant = self._words.variant(plan.id, plan.dropped)
        if variant is not None:
            return variant.text, variant.variant_id
        self.scene.note("SIMULATOR_FALLBACK", "harness", user_plan_id=plan.id)
        values = {fact.id: fact.value for fact in self.scene.package.user.facts}
        return " ".join(str(values[name]) for name in plan.facts) or "Yes.", None

    def _utter(
        self,
        text: str,
        kind: Kind,
        plan: Plan | None,
        variant: str | None,
        after: Callable[[], None],
        parent: int | None = None,
        over: Speech | None = None,
        *,
        more: bool = False,
    ) -> int:
        name, voiced = self.named("u"), self._talk.voice(text, variant, kind)
        self._lead = voiced.lead_ms
        seq = self.scene.note(
            "USER_AUDIO_START",
            "user",
            [] if parent is None else [parent],
            utterance=name,
            text=text,
            duration_ms=voiced.duration_ms,
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
            if not self.ended:
                self.scene.note("USER_AUDIO_END", "user", [seq], utterance=name)
                self._talk.said(text, kind, over, more=more)
                after()

        self.timeline.at(self.timeline.now + voiced.duration_ms, ended)
        return seq

    # Speaking over the agent

    def tick(self) -> None:
        """Something may have come to pass by time or by what was heard."""
        if self.ended:
            return
        speech = self._talk.speech
        self.scene.seen.speech_ms = self.timeline.now - speech.start if speech is not None else 0
        self.scene.fire(self.scene.log.events[-1].seq)

    def hear_act(self, speech: Speech, key: str, value: str | None) -> None:
        """The words that show an act were played."""
        if not speech.over and not self.ended:
            self.scene.act(key, "pattern", speech.seq, value)
            self.tick()

    def attend(self, speech: Speech) -> None:
        """The agent's words have begun: plan what comes of how long they are, and when the user speaks over them."""
        for long in (event.trigger.agent_speech_continuous_ms_gte for event in self.events.values()):
            if long is not None and speech.start + long <= speech.end:
                self.timeline.at(speech.start + long, self.tick)
        for event_id in self.scene.waiting():
            self._plan_overlap(self.events[event_id], speech)

    def _on_fired(self, event: EventSpec) -> None:
        speech = self._talk.speech
        if speech is not None and not speech.over:
            self._plan_overlap(event, speech)

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
        if self.ended or speech.over or speech.stops is not None or self.busy:
            return
        before = self.scene.caller.engine.state
        plan = self.scene.caller.overlap(self.scene.observe())
        self._moved(before)
        if plan is None:
            return
        claiming = plan.floor_action in CLAIMING
        kind: Over = "barge_in" if claiming else "backchannel"
        text, variant = self._wording(plan)
        seq = self.scene.plan(plan)
        self.busy = True
        start = self._utter(text, kind, plan, variant, self._done, seq, speech)
        met = self.events.get(plan.event_id or event.id, event)
        self.overlaps.meet(met, speech, start, claiming=claiming, lead_ms=self._lead)
        self._talk.overlapped(kind, text, speech)

    def _moved(self, before: str) -> None:
        if self.scene.caller.engine.state != before:
            states = {"from": before, "to": self.scene.caller.engine.state}
            self.scene.note("USER_STATE_TRANSITION", "user", **states)

"""A person as the user's side of a session on sound: it says what it likes when it likes, and marks the lines it says.

What the words do follows from their line, not from a recogniser. A line is tapped before it is said and takes effect as
the words begin, as those of the synthetic caller do. Tapped later, it takes effect then; where the agent has acted on
an approval in between, nobody can say whether it was allowed to, and the session is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pytest_talk2agent.workflows.agents.protocol import InfrastructureError
from pytest_talk2agent.workflows.audio.ports import MS, CallerError
from pytest_talk2agent.workflows.audio.utterance import Utterance
from pytest_talk2agent.workflows.caller.flow import CLAIMING, OVERLAPPING, Plan, Taken
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.human.card import card_of, is_lit
from pytest_talk2agent.workflows.human.desk import Desk, HungUp, Lost, Marked, Unmarked
from pytest_talk2agent.workflows.human.words import Begun
from pytest_talk2agent.workflows.package.user import EventSpec
from pytest_talk2agent.workflows.session.overlaps import Speech
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.user_side import Conversation, Kind, UserSide

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

SILENT_MS = 2_000
"""So long without any sound from the page, and it is lost: a quiet room sends sound, too."""
LATE_MS = 6_000
"""How long words without a line may still be given one."""
SHOW_FRAMES = 5
"""Every so many frames the page is told what has changed."""
BEFORE_MS, AFTER_MS = 300, 200
"""Sound around words that they are written down from."""

How = Literal["before", "during", "after"]
"""When a line was tapped: before its words began, while they were spoken, or after them."""
EFFECTS = ("APPROVE", "REVOKE", "DENY")


class LiveConversation(Conversation, Protocol):
    """What a person's side asks of its session besides."""

    def spoke(self, begin_ms: int, end_ms: int, *, backchannel: bool) -> None:
        """Words were spoken, from and to in ms."""
        ...

    def answer(self, *, due: bool) -> None:
        """The words are over; ``due`` says that the agent has to answer them."""
        ...

    def tell_begin(self, text: str, *, backchannel: bool) -> None:
        """Tell the line of a control that these words begin."""
        ...

    def tell_end(self, text: str) -> None:
        """Tell it that they are over."""
        ...


@dataclass(eq=False)
class Spoken:
    """Words of the person. ``over`` is what the agent said as they began; ``seq`` that of their event, once logged."""

    begin_ms: int
    over: Utterance | None
    end_ms: int | None = None
    plan: Plan | None = None
    kind: Kind = "turn"
    name: str = ""
    seq: int | None = None
    texts: list[str] = field(default_factory=list)


class PersonSide(UserSide):
    """The person's side of one session."""

    def __init__(self, scene: Scene, wordings: Wordings, talk: LiveConversation, desk: Desk, *, seed: int) -> None:
        super().__init__(scene, wordings, talk, seed=seed, duplex=True)
        self.desk, self.live = desk, talk
        self.card = card_of(scene.package, wordings)
        self.marks: dict[str, int] = dict.fromkeys(("before", "during", "after", "unmarked", "out_of_turn"), 0)
        self._finder = desk.words
        self._taken = Taken()
        self._fired: list[str] = []
        self._said: list[str] = []
        self._armed: str | None = None
        self._spoken: list[Spoken] = []
        self._heard: Utterance | None = None
        self._track: list[Samples] = []
        self._shown: dict[str, Any] = {}

    def plain(self) -> dict[str, Any]:
        """How the person did it, for the end of the log."""
        return {"microphone": self.desk.microphone.plain(), "marks": dict(self.marks), "page": dict(self.desk.page)}

    def begin(self) -> None:
        """Plan what happens by the time alone, and let the page know that the line is open."""
        super().begin()
        self.desk.microphone.forget()
        self.desk.send({"type": "calling"})

    def finish(self, end: str) -> None:
        """Log what was under way, write down what was said, and what the person takes from the call."""
        for over in self._finder.close():
            self._words_over(over.at_ms)
        for words in self._spoken:
            self._settle(words)
        self._write_down()
        if end == "agent":
            self._follow()
        super().finish("")

    # What the session does every 20 ms

    def speak(self) -> Samples:
        """The next frame of the microphone.

        Raises:
            CallerError: where the person cannot go on.
        """
        self._take_doings()
        frame = self.desk.microphone.pull()
        if self.ended:
            return frame
        self._track.append(frame)
        for edge in self._finder.hear(frame):
            if isinstance(edge, Begun):
                self._words_begin(edge.at_ms)
            else:
                self._words_over(edge.at_ms)
        if self.desk.microphone.silent_ms >= SILENT_MS:
            raise CallerError(f"no sound came from the page for {SILENT_MS // 1000} s; its connection is lost")
        last = self._spoken[-1] if self._spoken else None
        if last is not None and last.end_ms is not None and self.timeline.now - last.end_ms > LATE_MS:
            self._settle(last)
        if len(self._track) % SHOW_FRAMES == 0:
            self._show()
        return frame

    def hear(self, samples: Samples) -> None:
        """Give the page what is played of the agent."""
        self.desk.send(samples.astype("<i2").tobytes())

    # What a synthetic caller does by itself, and a person does

    def take_floor(self) -> None:
        """A person speaks when it likes."""

    def wait(self) -> None:
        """The agent's words are over: the flow goes on where nothing has to be said for it."""
        if not self.ended:
            self._follow()

    def attend(self, speech: Speech) -> None:
        """The agent's words have begun."""
        self._heard = speech if isinstance(speech, Utterance) else None
        super().attend(speech)

    def _plan_overlap(self, event: EventSpec, speech: Speech) -> None:
        """Whether and when a person speaks over the agent is its own affair."""

    def _on_fired(self, event: EventSpec) -> None:
        self._fired.append(event.id)

    def _follow(self) -> None:
        before = self.scene.caller.engine.state
        self.scene.caller.follows(self.scene.observe(), self._taken)
        self._moved(before)

    # Words and lines

    def _take_doings(self) -> None:
        while not self.desk.doings.empty() and not self.ended:
            doing = self.desk.doings.get()
            if isinstance(doing, Lost):
                raise CallerError(doing.text)
            if isinstance(doing, HungUp):
                self._hang_up(doing)
            elif isinstance(doing, Unmarked):
                self._armed = None
            else:
                self._mark(doing)

    def _hang_up(self, doing: HungUp) -> None:
        if doing.why == "gave-up":
            self._do(self.scene.caller.give_up("the person gave up"))
        else:
            self._talk.stop("user")

    def _mark(self, doing: Marked) -> None:
        if doing.line not in {line.id for line in self.card.known(self._fired)}:
            return
        last = self._spoken[-1] if self._spoken else None
        if last is None or last.seq is not None:
            self._armed = doing.line
        elif last.end_ms is None:
            self._give(last, doing.line, "during")
        elif doing.last:
            self._give(last, doing.line, "after")
            self._end(last)
        else:
            self._armed = doing.line

    def _words_begin(self, at_ms: int) -> None:
        if self._spoken:
            self._settle(self._spoken[-1])
        heard = self._heard
        over = heard if heard is not None and heard.start <= at_ms < max(heard.last, heard.start + 1) else None
        words = Spoken(at_ms, over)
        self._spoken.append(words)
        self.busy = True
        if self._armed is not None:
            line, self._armed = self._armed, None
            self._give(words, line, "before")

    def _words_over(self, at_ms: int) -> None:
        self.busy = False
        words = self._spoken[-1]
        words.end_ms = at_ms
        if words.plan is not None:
            self._end(words)

    def _give(self, words: Spoken, line: str, how: How) -> None:
        """The words are this line of the card.

        Raises:
            CallerError: where the agent acted between the words and the mark, on what the words were about.
        """
        caller = self.scene.caller
        before = caller.engine.state
        plan, due = caller.says(line, self.scene.observe())
        self._moved(before)
        if how != "before" and plan.speech_act in EFFECTS:
            self._refuse_late(words.begin_ms, line)
        self.marks[how] += 1
        self._said.append(line)
        parent = self.scene.plan(plan)
        for fact in plan.facts:
            if not caller.engine.eligible(fact):
                leak = {"kind": "leak", "fact_id": fact, "plan_id": plan.id, "spoken": True}
                self.scene.note("POLICY_EVENT", "user", [parent], **leak)
        if not due:
            self.marks["out_of_turn"] += 1
            self.scene.note("POLICY_EVENT", "user", [parent], kind="out_of_turn", plan_id=plan.id)
        claiming = plan.floor_action in CLAIMING
        over = words.over if plan.floor_action in OVERLAPPING else None
        if over is not None:
            words.kind = "barge_in" if claiming else "backchannel"
        else:
            self.scene.forget()
            self._taken = Taken()
        words.plan = plan
        seq = self._log(words, how, parent)
        self.scene.onset(plan, seq)
        event = self.events.get(plan.event_id or "")
        if over is not None and event is not None:
            lead = words.begin_ms - self.timeline.now
            self.overlaps.meet(event, over, seq, claiming=claiming, lead_ms=lead)
            if over.over:
                self.overlaps.over(over, seq)
        self.live.tell_begin(self._example(plan), backchannel=words.kind == "backchannel")

    def _refuse_late(self, since_ms: int, line: str) -> None:
        for event in reversed(self.scene.log.events):
            if event.media_time_ms < since_ms:
                return
            if event.type == "TOOL_RESULT" and event.payload["auth_decision"] is not None:
                raise CallerError(
                    f"the line {line} was tapped after the agent had acted on an approval; tap a line before you say it"
                )

    def _log(self, words: Spoken, how: How | Literal["unmarked"], parent: int | None = None) -> int:
        plan = words.plan
        words.name = self.named("u")
        words.seq = self.scene.note(
            "USER_AUDIO_START",
            "user",
            [] if parent is None else [parent],
            utterance=words.name,
            text="",
            start_ms=words.begin_ms,
            duration_ms=None,
            kind=words.kind,
            plan_id=plan.id if plan else None,
            variant_id=None,
            speech_act=plan.speech_act if plan else None,
            facts=list(plan.facts) if plan else [],
            approves=plan.approves if plan else None,
            over=words.over.utterance if words.over else None,
            marked=how,
        )
        return words.seq

    def _end(self, words: Spoken) -> None:
        """Words that have a line are over, and the agent has to answer; a murmur wants no answer."""
        self._log_end(words)
        murmur = words.kind == "backchannel"
        assert words.plan is not None, "they have a line"
        self.live.tell_end(self._example(words.plan))
        self.live.answer(due=not murmur)

    def _settle(self, words: Spoken) -> None:
        """Words that nobody gave a line are logged without one."""
        if words.seq is None and words.end_ms is not None:
            self.marks["unmarked"] += 1
            self._log(words, "unmarked")
            self._log_end(words)
            self.live.answer(due=False)

    def _log_end(self, words: Spoken) -> None:
        assert words.end_ms is not None, "they are over"
        assert words.seq is not None, "they are logged"
        played = {"played_ms": words.end_ms - words.begin_ms, "heard": "", "text": "", "cut": False}
        self.scene.note("USER_AUDIO_END", "user", [words.seq], utterance=words.name, **played)
        aside = words.kind == "backchannel" or words.plan is None
        self.live.spoke(words.begin_ms, words.end_ms, backchannel=aside)

    def _example(self, plan: Plan) -> str:
        """The words of the bank for a control, which is told what is said."""
        line = next(line for line in self.card.lines if line.id == plan.id)
        return line.words or " ".join(value for _, value in line.facts) or "Yes."

    def _write_down(self) -> None:
        """What a recogniser makes of the words: evidence beside the lines, of which nothing else depends."""
        ear = self.desk.ear
        if ear is None or not self._track:
            return
        import numpy as np

        track = np.concatenate(self._track)
        for words in self._spoken:
            if words.seq is None or words.end_ms is None:
                continue
            sound = track[max(0, words.begin_ms - BEFORE_MS) * MS : (words.end_ms + AFTER_MS) * MS]
            try:
                heard = {"text": ear(sound), "error": ""}
            except InfrastructureError as error:
                heard = {"text": "", "error": str(error)}
            made = {"utterance": words.name, "listener": self.desk.ear_id}
            self.scene.note("USER_TEXT", "harness", [words.seq], **made, **heard)

    def _show(self) -> None:
        """Tell the page what has changed."""
        engine = self.scene.caller.engine
        here = engine.lines_here(self.scene.observe())
        last = self._spoken[-1] if self._spoken else None
        unnamed = last is not None and last.seq is None
        state = {
            "type": "state",
            "here": [line for line, _, _ in here],
            "lit": [line for line, when, due in here if due and is_lit(when)],
            "said": list(dict.fromkeys(self._said)),
            "armed": self._armed,
            "speaking": self.busy,
            "unnamed": unnamed,
            "finished": engine.terminal,
            "lines": [line.plain() for line in self.card.known(self._fired)],
        }
        if state != self._shown:
            self._shown = state
            self.desk.send(state)

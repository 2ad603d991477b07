"""A session on sound: both channels run all the time, in frames of 20 ms, and the agent decides when it speaks.

Every frame the agent is given what the user's channel had, and is asked what it has come up with; what it said goes
through the playout buffer. All that the user reacts to is what was played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.voice import FRAME_MS, Abilities, Line, ToldLine
from pytest_talk2agent.workflows.audio.activity import Detector, Measures, Meeting, measure
from pytest_talk2agent.workflows.audio.agent_side import AgentSide
from pytest_talk2agent.workflows.audio.guarded_line import GuardedLine
from pytest_talk2agent.workflows.audio.level import Level
from pytest_talk2agent.workflows.audio.playout import Frame
from pytest_talk2agent.workflows.audio.ports import MS, CallerError, ClipError, LiveSide
from pytest_talk2agent.workflows.audio.user_channel import UserChannel
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.scoring.floor import Span
from pytest_talk2agent.workflows.session.overlaps import Speech
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.user_side import Ending, Kind, Over, UserSide, Voiced

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Channel, Clips, Limits, Listener, LiveCaller, Samples
    from pytest_talk2agent.workflows.audio.recorder import Recorder

START_MS = 500
"""The pause before the user's first word."""
SILENT_TURN_MS = 1_500
"""The silence that is the end of a turn where the agent does not say that its reply is complete (vamos.md 4)."""
NUDGE_MS = 10_000
"""The silence after which the user prompts an agent that still has to answer."""

ARRIVED = Level(-75.0)
"""What of the user's words has reached the line: also a faint sine below the band of a telephone."""


class DuplexSession:
    """The conversation of one call; `begin` plans its first frame, `finish` closes what is open."""

    def __init__(
        self,
        scene: Scene,
        line: Line,
        abilities: Abilities,
        wordings: Wordings,
        clips: Clips,
        *,
        seed: int,
        duplex: bool,
        limits: Limits,
        channel: Channel | None = None,
        listener: Listener | None = None,
        recorder: Recorder | None = None,
        person: LiveCaller | None = None,
    ) -> None:
        self.scene = scene
        self.timeline = scene.timeline
        self.end: str = "stuck"
        self.line = GuardedLine(line)
        self.user = (
            UserSide(scene, wordings, self, seed=seed, duplex=duplex)
            if person is None
            else person.side(scene, wordings, self, seed=seed)
        )
        self.live = self.user if isinstance(self.user, LiveSide) else None
        self.agent = AgentSide(scene, self.line, abilities, self.user, self.stop, limits=limits, listener=listener)
        self.lags_ns: list[int] = []
        self._played: list[Samples] = []
        self._words: list[Span] = []
        self._arrives = False
        self._murmurs: list[Span] = []
        self._told = line if isinstance(line, ToldLine) else None
        self._clips, self._limits, self._recorder = clips, limits, recorder
        self._channel = UserChannel(channel)
        self._level = Level()
        self._playing = Frame(self._channel.silence)
        self._greets = abilities.greets or scene.caller.manner.first_speaker == "agent"
        self._finishes = abilities.finishes

    @property
    def turn(self) -> int:
        """How many replies the agent gave."""
        return self.agent.turn

    @property
    def speech(self) -> Speech | None:
        """The agent's words that are being played."""
        return self.agent.utterance

    def pacing(self) -> dict[str, float | int]:
        """How late the frames went out, in ms: how many, the median, the 99th percentile, the worst and the last."""
        late = sorted(lag / 1e6 for lag in self.lags_ns)
        if not late:
            return {"n": 0}
        at = [late[round(share * (len(late) - 1))] for share in (0.5, 0.99, 1.0)]
        behind = round(self.lags_ns[-1] / 1e6, 3)
        return {
            "n": len(late),
            "behind_ms": behind,
            **dict(zip(("p50_ms", "p99_ms", "max_ms"), (round(one, 3) for one in at), strict=True)),
        }

    def measures(self, detector: Detector) -> Measures:
        """What was measured of the samples that were played."""
        import numpy as np

        events = [event.payload for event in self.scene.log.events if event.type == "DUPLEX_EVENT"]
        stops = {one["event_id"]: one["isl_ms"] for one in events if one["phase"] == "over"}
        meetings = [
            Meeting(one["event_id"], one["expected"], one["onset_ms"], one["onset_ms"] + stop if stop else None)
            for one in events
            if one["phase"] == "met"
            for stop in [stops.get(one["event_id"])]
        ]
        played = np.concatenate([self._channel.silence[:0], *self._played])
        return measure(played, self._words, meetings, detector, murmurs=self._murmurs)

    def begin(self) -> None:
        """Plan the first frame; where the agent speaks first, the user waits for its greeting."""
        self.user.begin()
        if self._greets:
            self.agent.ask()
        self.timeline.at(FRAME_MS, self._frame)

    def finish(self) -> None:
        """Log what was under way when the call ended."""
        self.agent.finish()
        self.user.finish(self.end)

    def _frame(self) -> None:
        """A frame of the user's channel is whole, and the agent's frame of the same time was played."""
        if self.user.ended:
            return
        now = self.timeline.now
        self.lags_ns.append(self.timeline.wall_ns - now * 1_000_000)
        if self.live is not None:
            self._channel.put(self.live.speak(), self._channel.sent // MS)
        arrived = self._channel.frame()
        self._arrives = self._arrives or bool(arrived.any() and ARRIVED.edges(arrived))
        if self._recorder is not None:
            self._recorder.write(arrived, self._playing.samples)
        self._played.append(self._playing.samples)
        self.line.send(arrived.tobytes(), now)
        self.agent.observe(self._playing, now - FRAME_MS)
        if not self.user.ended:
            self.agent.poll()
        if self.user.ended:
            return
        self._playing = self.agent.playout.pull()
        if self.live is not None:
            self.live.hear(self._playing.samples)
        if now >= self._limits.call:
            return self.stop("time")
        self.settle()
        self.timeline.at(now + FRAME_MS, self._frame)

    def settle(self) -> None:
        """Let the user have the floor, once the agent has finished and was silent for long enough."""
        if self.user.ended or self.user.busy or not self.agent.idle:
            return
        if self.agent.leaving:
            return self.stop("agent")
        now = self.timeline.now
        silent = now - self.agent.quiet_since
        if now < START_MS or silent < FRAME_MS:
            return
        enough = self.user.gap() if self._finishes else SILENT_TURN_MS
        if silent >= NUDGE_MS or (self.agent.settled and silent >= enough):
            self.agent.quiet_since = now
            self.user.take_floor()

    # What the user's side asks of the conversation

    def voice(self, text: str, variant: str | None, kind: Kind) -> Voiced:
        """Put the user's words on the channel.

        Raises:
            CallerError: where they cannot be had, or nobody could hear them.
        """
        now = self.timeline.now
        try:
            samples = self._clips.clip(text, variant)
        except ClipError as error:
            raise CallerError(str(error)) from None
        edges = self._level.edges(samples)
        if edges is None:
            raise CallerError(f"the clip of {text!r} is silent")
        self._channel.put(samples, now)
        self._arrives = False
        begins, ends = (edge + self._channel.delay_ms for edge in edges)
        heard = (now + begins, now + ends)
        (self._murmurs if kind == "backchannel" else self._words).append(heard)
        if self._told is not None:
            told = self._told
            self.timeline.at(
                now + begins,
                lambda: told.user_begins(text, backchannel=kind == "backchannel", now_ms=self.timeline.now),
            )
        return Voiced(-(-len(samples) // MS), begins)

    def said(self, text: str, kind: Kind, over: Speech | None, *, more: bool) -> None:
        """The user's words are over, and the agent has to answer; a murmur wants no answer.

        Raises:
            CallerError: where nothing of them reached the line.
        """
        if not self._arrives:
            raise CallerError(f"nothing of {text!r} reached the line")
        self.agent.quiet_since = max(self.agent.quiet_since, self.timeline.now)
        if self._told is not None:
            self._told.user_ends(text, more=more, now_ms=self.timeline.now)
        if kind != "backchannel" and not more:
            self.agent.ask()

    def spoke(self, begin_ms: int, end_ms: int, *, backchannel: bool) -> None:
        """Somebody spoke for itself."""
        (self._murmurs if backchannel else self._words).append((begin_ms, end_ms))

    def answer(self, *, due: bool) -> None:
        """Words of somebody who speaks for itself are over; ``due`` says that the agent has to answer them."""
        self.agent.quiet_since = max(self.agent.quiet_since, self.timeline.now)
        self.agent.ask(due=due)

    def tell_begin(self, text: str, *, backchannel: bool) -> None:
        """Tell the line of a control what somebody begins to say."""
        if self._told is not None:
            self._told.user_begins(text, backchannel=backchannel, now_ms=self.timeline.now)

    def tell_end(self, text: str) -> None:
        """Tell it that this is said."""
        if self._told is not None:
            self._told.user_ends(text, more=False, now_ms=self.timeline.now)

    def overlapped(self, kind: Over, text: str, speech: Speech) -> None:
        """The agent hears it, and decides by itself."""

    def stop(self, end: Ending) -> None:
        """The call is over."""
        self.end = end
        self.user.ended = True
        self.agent.tools.stop()
        self.timeline.stop()

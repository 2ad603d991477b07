"""People of the tests: they hear the agent's channel, tap lines and make tones, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, VoiceAgent
from pytest_talk2agent.workflows.human.desk import Desk, HungUp, Marked
from pytest_talk2agent.workflows.human.microphone import HELD_MS, Microphone
from pytest_talk2agent.workflows.human.person import Consent, Person, sound_with
from pytest_talk2agent.workflows.human.words import LoudVoice, Words
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.run import RunOptions, run_session

TONE = (0.1 * 32_767 * np.sin(np.arange(FRAME_SAMPLES) * 2 * np.pi * 200 / SAMPLE_RATE)).astype("<i2").tobytes()
SILENCE = b"\0\0" * FRAME_SAMPLES
CONSENT = Consent("0" * 64, "2026-01-02T03:04:05+00:00")
Script = Callable[["Actor"], None]


@dataclass
class Actor:
    """Acts once a frame by a script, which sets `tone_ms` to be heard for so long.

    ``quiet_ms`` is how long the agent has not been heard, ``spoke_ms`` how long it has been.
    """

    script: Script
    state: dict[str, Any] = field(default_factory=dict)
    told: list[Mapping[str, Any]] = field(default_factory=list)
    now: int = 0
    tone_ms: int = 0
    quiet_ms: int = 0
    spoke_ms: int = 0
    heard: bool = False
    mute: bool = False

    def __post_init__(self) -> None:
        self.desk = Desk(Microphone(SAMPLE_RATE), self._take, Words(LoudVoice()))
        self.person = Person("amy", CONSENT, self.desk, real=False)

    def tap(self, line: str, *, last: bool = False) -> None:
        self.desk.doings.put(Marked(line, last))

    def say(self, line: str, ms: int = 400) -> None:
        self.tap(line)
        self.tone_ms = ms

    def hang_up(self) -> None:
        self.desk.doings.put(HungUp("done"))

    def _take(self, what: bytes | Mapping[str, Any]) -> None:
        if not isinstance(what, bytes):
            self.told.append(what)
            if what["type"] == "state":
                self.state = dict(what)
            elif what["type"] == "calling":
                for _ in range(HELD_MS // FRAME_MS):
                    self.desk.microphone.put(SILENCE)
            return
        self.now += FRAME_MS
        loud = np.abs(np.frombuffer(what, "<i2")).max() > 50
        self.heard = self.heard or bool(loud and self.tone_ms < -500)
        self.quiet_ms, self.spoke_ms = (0, self.spoke_ms + FRAME_MS) if loud else (self.quiet_ms + FRAME_MS, 0)
        self.script(self)
        if not self.mute:
            self.desk.microphone.put(TONE if self.tone_ms > 0 else SILENCE)
        self.tone_ms -= FRAME_MS


def in_turn(lines: Sequence[str], *, wait_ms: int = 1_500) -> Script:
    """Says one line after the other, each once the agent was heard and is silent; then hangs up."""
    todo = list(lines)

    def act(actor: Actor) -> None:
        if not actor.heard or actor.quiet_ms < wait_ms or actor.tone_ms > 0:
            return
        actor.heard = False
        if todo:
            actor.say(todo.pop(0))
        else:
            actor.hang_up()

    return act


def with_person(package: Package, actor: Actor, agent: str | VoiceAgent = "spoken:oracle", **options: Any) -> EventLog:
    """A call with an actor in virtual time."""
    made = make_agent(agent) if isinstance(agent, str) else agent
    sound = replace(sound_with(actor.person), detector="level")
    return run_session(package, made, agent if isinstance(agent, str) else "test", RunOptions(**options), sound=sound)

"""Sessions on sound for the tests: the stand-in voice on both sides, and lines that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Briefing, Returned
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import Abilities, LineEvent, VoiceAgent
from pytest_talk2agent.workflows.audio.ports import SoundOptions
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of

SUITE = Path(__file__).parents[3] / "suites" / "workflows"
ABILITIES = Abilities(virtual=True, yields="agent", truncates=False, words=True, calls="session", ends=True)
SOUND = SoundOptions(clips=lambda package, condition: StandIn(), detector="level")


def clinic() -> Package:
    return load_package(SUITE / "clinic-supply-reorder")


def called(package: Package, agent: str | VoiceAgent, sound: SoundOptions = SOUND, **options: Any) -> EventLog:
    made = make_agent(agent) if isinstance(agent, str) else agent
    return run_session(package, made, agent if isinstance(agent, str) else "test", RunOptions(**options), sound=sound)


def traced(log: EventLog) -> Trace:
    return trace_of(replay(log.to_bytes()))


def payloads(log: EventLog, kind: str) -> list[dict[str, Any]]:
    return [dict(event.payload) for event in log.events if event.type == kind]


Script = Callable[["ScriptedLine", int], Sequence[LineEvent]]


class ScriptedLine:
    """A line whose events a function of the moment gives; it keeps what it was given."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.frames: list[tuple[int, bytes]] = []
        self.results: list[tuple[Returned, ...]] = []
        self.heard: list[tuple[str, int, bool]] = []
        self.closed = 0

    def send(self, frame: bytes, now_ms: int) -> None:
        self.frames.append((now_ms, frame))

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        return self._script(self, now_ms)

    def returned(self, results: Sequence[Returned]) -> None:
        self.results.append(tuple(results))

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        self.heard.append((item, heard_ms, whole))

    def close(self) -> None:
        self.closed += 1


class ScriptedVoice:
    """A voice agent with one such line."""

    control = False

    def __init__(self, script: Script, **abilities: Any) -> None:
        self.line = ScriptedLine(script)
        self.abilities = replace(ABILITIES, **abilities)

    def identity(self) -> dict[str, str]:
        return {"name": "scripted-voice"}

    def dial(self, briefing: Briefing, *, real: bool) -> ScriptedLine:
        return self.line

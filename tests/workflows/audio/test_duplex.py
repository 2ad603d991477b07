from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pytest_talk2agent.workflows.agents.policy import Oracle
from pytest_talk2agent.workflows.agents.protocol import Briefing, Call
from pytest_talk2agent.workflows.agents.spoken import Spoken
from pytest_talk2agent.workflows.agents.voice import (
    FRAME_BYTES,
    Called,
    Executed,
    Finished,
    Left,
    LineError,
    LineEvent,
    Sound,
    Words,
)
from pytest_talk2agent.workflows.audio.ports import ClipError, Limits
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.scoring.floor import yields_of
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session.log import EventLog
from tests.workflows.audio.calls import (
    SOUND,
    SUITE,
    ScriptedLine,
    ScriptedVoice,
    called,
    clinic,
    payloads,
    traced,
)

Pcm = NDArray[np.int16]
PACKAGES = sorted(path.parent.name for path in SUITE.glob("*/task.yaml"))
SHORT = replace(SOUND, limits=Limits(first_audio=3_000, silence=3_000, call=60_000))


def tone(words: int) -> bytes:
    return StandIn("agent").clip("word " * words).tobytes()


def ending(log: EventLog) -> tuple[str, str, str]:
    end = log.events[-1].payload
    return end["state"], end["end"], end["failure"]


# Controls of known timing


@pytest.mark.parametrize("name", PACKAGES)
def test_the_oracle_passes_every_shipped_workflow_on_sound(name: str) -> None:
    package = load_package(SUITE / name)
    trace = traced(called(package, "spoken:oracle"))
    assert set(score_session(package, trace).mended.gates.values()) == {True}
    assert (trace.end, trace.fallbacks, trace.leaks) == ("agent", (), ())


def test_the_same_seed_is_the_same_log() -> None:
    assert called(clinic(), "spoken:oracle").to_bytes() == called(clinic(), "spoken:oracle").to_bytes()


def test_an_over_yielder_stops_at_the_murmur() -> None:
    found = yields_of(traced(called(clinic(), "spoken:adversary:over-yielder")))
    assert (found.false, found.kept_on) == (1, 1)


def test_a_non_yielder_never_stops_and_its_latency_is_censored() -> None:
    found = yields_of(traced(called(clinic(), "spoken:adversary:non-yielder")))
    assert (found.given, found.asked, found.stops, found.censored) == (0, 2, (), 2)
    assert (found.false, found.kept_on) == (0, 1)


@pytest.mark.parametrize("burst", [False, True])
def test_a_stop_is_measured_from_what_was_played(burst: bool) -> None:
    log = called(clinic(), Spoken(Oracle(), stop_ms=300, burst=burst))
    found = yields_of(traced(log))
    assert (found.given, found.asked) == (2, 2)
    assert all(abs(stop - 300) <= 20 for stop in found.stops)


def test_a_silent_agent_is_scored_and_not_missing() -> None:
    trace = traced(called(clinic(), "spoken:silent"))
    assert (trace.state, trace.end) == ("finished", "patience")
    assert score_session(clinic(), trace).mended.gates["TS"] is False


# What the line is given


def test_frames_are_continuous_and_silence_is_sent() -> None:
    agent = ScriptedVoice(lambda line, now: [Finished()] if now == 20 else [])
    called(clinic(), agent, SHORT)
    moments = [now for now, _ in agent.line.frames]
    assert moments == list(range(20, moments[-1] + 1, 20))
    assert {len(frame) for _, frame in agent.line.frames} == {FRAME_BYTES}
    heard = np.frombuffer(b"".join(frame for _, frame in agent.line.frames), "<i2")
    assert not heard[: 24 * 480].any()
    assert heard[24 * 480 :].any()
    assert agent.line.closed == 1


def test_calls_that_came_at_once_are_answered_together() -> None:
    calls = [Called(Call(f"c{number}", "kb_search", {"query": "gloves"})) for number in range(3)]
    agent = ScriptedVoice(lambda line, now: [*calls, Finished()] if now == 40 else [])
    called(clinic(), agent, SHORT)
    assert [[one.call_id for one in results] for results in agent.line.results] == [["c0", "c1", "c2"]]


def test_a_posted_call_is_done_again_and_a_difference_is_told() -> None:
    search = Call("p1", "kb_search", {"query": "gloves"})
    agent = ScriptedVoice(lambda line, now: [Executed(search, {"hits": []}), Finished()] if now == 40 else [])
    log = called(clinic(), agent, SHORT, condition="C2")
    assert [one["tool"] for one in payloads(log, "TOOL_CALL")] == ["kb_search"]
    posted = [one for one in payloads(log, "POLICY_EVENT") if one["kind"] == "posted"]
    assert [(one["call"], one["differs"]) for one in posted] == [("p1", True)]
    assert traced(log).calls[0].ok


# Who speaks when


def says(text: str, at: int, *more: LineEvent) -> list[tuple[int, LineEvent]]:
    """An utterance that comes at once, with its words."""
    sound = Sound(tone(len(text.split())), item=text)
    return [(at, Words(text, text)), (at, sound), (at, Finished()), *((at, event) for event in more)]


def script(*events: tuple[int, LineEvent]) -> ScriptedVoice:
    return ScriptedVoice(lambda line, now: [event for at, event in events if at == now])


def test_the_user_waits_for_a_greeting() -> None:
    agent = script(*says("Good morning this is the clinic line speaking", 1_000))
    agent.abilities = replace(agent.abilities, greets=True)
    log = called(clinic(), agent, SHORT)
    greeting, user = [clip for clip in traced(log).clips if clip.kind != "backchannel"][:2]
    assert (greeting.speaker, greeting.start_ms, greeting.end_ms) == ("agent", 1_000, 1_000 + 8 * 320)
    assert user.speaker == "user"
    assert user.start_ms >= greeting.end_ms + 200


def test_words_are_heard_as_far_as_they_were_played() -> None:
    agent = script(*says("one two three four five six seven eight nine ten eleven twelve", 1_000))
    agent.abilities = replace(agent.abilities, greets=True)
    clips = traced(called(clinic(), agent, replace(SHORT, limits=Limits(call=4_000)))).clips
    spoken = [(clip.heard, clip.end_ms) for clip in clips if clip.speaker == "agent"]
    assert spoken == [("one two three four five six seven eight nine", 4_000)]


def test_a_line_that_gives_nothing_is_no_failure_of_the_agent() -> None:
    state, _, why = ending(called(clinic(), script(), SHORT))
    assert (state, why.partition(":")[0]) == ("infrastructure_failed", "first audio")


def test_a_line_that_falls_silent_is_none_either() -> None:
    agent = script(*says("Hello there", 20))
    state, _, why = ending(called(clinic(), agent, SHORT))
    assert (state, why.partition(":")[0]) == ("infrastructure_failed", "silence")


def test_a_call_without_end_is_ended_and_scored() -> None:
    agent = ScriptedVoice(lambda line, now: [Sound(tone(1), item="endless")] if now % 320 == 20 else [])
    log = called(clinic(), agent, SHORT)
    assert ending(log) == ("finished", "time", "")
    assert log.events[-1].media_time_ms == 60_000


def test_what_a_line_raises_costs_its_session() -> None:
    def fail(line: ScriptedLine, now: int) -> Sequence[LineEvent]:
        raise LineError("call", "closed with 1011") if now > 200 else KeyError("x")

    assert ending(called(clinic(), ScriptedVoice(fail), SHORT))[0] == "infrastructure_failed"


@pytest.mark.parametrize(
    "event",
    [Sound(b"", rate=0), Sound("text"), Words(b"bytes"), "nothing", Called(Call("c", None, {}))],  # type: ignore[arg-type]
)
def test_what_is_no_event_of_a_line_is_a_fault_of_the_line(event: object) -> None:
    agent = ScriptedVoice(lambda line, now: [event])  # type: ignore[list-item]
    state, _, why = ending(called(clinic(), agent, SHORT))
    assert (state, why.partition(":")[0]) == ("infrastructure_failed", "call")


def test_a_user_without_a_voice_is_no_failure_of_the_agent() -> None:
    class Mute:
        def identity(self) -> dict[str, str]:
            return {}

        def clip(self, text: str, variant: str | None) -> np.ndarray:
            raise ClipError(f"no clip of {text!r}")

    log = called(clinic(), "spoken:oracle", replace(SOUND, clips=lambda package, condition: Mute()))
    assert ending(log)[0] == "infrastructure_failed"
    assert ending(log)[2].startswith("caller: ")


def test_results_that_come_before_the_end_of_a_reply_are_still_to_be_answered() -> None:
    search = Called(Call("c1", "kb_search", {"query": "gloves"}))
    agent = script((9_000, search), (9_600, Finished()), *says("We have gloves in two sizes", 12_000))
    log = called(clinic(), agent, replace(SHORT, limits=Limits(call=30_000)))
    (returned,) = [event.media_time_ms for event in log.events if event.type == "TOOL_RESULT"]
    assert 9_000 < returned < 9_600
    spoken = [(clip.speaker, clip.start_ms) for clip in traced(log).clips]
    assert [speaker for speaker, _ in spoken[:3]] == ["user", "agent", "user"]
    assert spoken[1][1] == 12_000


class Late:
    """A line on which everything arrives 120 ms late."""

    delay_ms = 120

    def __init__(self) -> None:
        self._rest = np.zeros(120 * 24, np.int16)

    def identity(self) -> dict[str, str]:
        return {"channel": "late"}

    def frame(self, samples: Pcm, at_ms: int) -> Pcm:
        whole = np.concatenate([self._rest, samples])
        self._rest = whole[len(samples) :]
        return whole[: len(samples)]


def test_the_user_is_heard_when_the_sound_has_come_over_the_line(tmp_path: Path) -> None:
    path = tmp_path / "call.flac"
    sound = replace(SOUND, channel=lambda package, condition, seed: Late(), recording=path)
    log = called(clinic(), "spoken:oracle", sound)
    heard = np.abs(soundfile.read(path, dtype="int16")[0][:, 0].astype(int))
    onsets = [one["onset_ms"] for one in payloads(log, "DUPLEX_EVENT") if one["phase"] == "met"]
    assert len(onsets) == 3
    for onset in onsets:
        assert heard[(onset - 50) * 24 : (onset - 1) * 24].max() < 20
        assert heard[onset * 24 : (onset + 20) * 24].max() > 100
    assert yields_of(traced(log)).false == 0


def test_words_that_never_reach_the_line_are_the_callers_fault() -> None:
    class Dead:
        delay_ms = 0

        def identity(self) -> dict[str, str]:
            return {"channel": "dead"}

        def frame(self, samples: Pcm, at_ms: int) -> Pcm:
            return np.zeros_like(samples)

    log = called(clinic(), "spoken:oracle", replace(SOUND, channel=lambda package, condition, seed: Dead()))
    assert ending(log)[2].startswith("caller: nothing of 'Hi, this is")
    assert log.events[-1].payload["fault"] == "caller"


@pytest.mark.parametrize(("hears", "state"), [("", "infrastructure_failed"), ("Hello?", "finished")])
def test_a_deaf_listener_is_the_callers_fault(hears: str, state: str) -> None:
    agent = ScriptedVoice(lambda line, now: [Sound(tone(5))] if now % 4_000 == 20 else [], words=False, finishes=False)
    log = called(clinic(), agent, replace(SHORT, listener=lambda samples: hears, listener_id="test"))
    assert ending(log)[0] == state
    heard = [one["heard"] for one in payloads(log, "AGENT_AUDIO_END")]
    assert heard[:2] == [hears, hears]


# Dialling and hanging up


class Unreachable(ScriptedVoice):
    """Cannot be dialled, in one way or another."""

    def __init__(self, dial: Callable[[], ScriptedLine]) -> None:
        super().__init__(lambda line, now: [])
        self._dial = dial

    def dial(self, briefing: Briefing, *, real: bool) -> ScriptedLine:
        return self._dial()


@pytest.mark.parametrize("clock", ["virtual", "real"])
def test_what_a_dial_raises_is_a_fault_of_the_line(clock: str) -> None:
    def refuse() -> ScriptedLine:
        raise OSError("no route to\nthe host")

    log = called(clinic(), Unreachable(refuse), SHORT, clock=clock)
    assert ending(log) == ("infrastructure_failed", "infrastructure", "connect: OSError: no route to the host")
    assert log.events[-1].payload["fault"] == "connect"


def test_a_line_that_does_not_open_within_its_limit_is_left_and_closed_when_it_does() -> None:
    gate, line = threading.Event(), ScriptedLine(lambda line, now: [])

    def slow() -> ScriptedLine:
        gate.wait(30)
        return line

    log = called(clinic(), Unreachable(slow), replace(SOUND, limits=Limits(connect=50)), clock="real")
    assert ending(log)[2] == "connect: no answer within 50 ms"
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "t2a-dial":
            thread.join(30)
    assert line.closed == 1


def test_an_error_at_the_end_of_a_line_changes_nothing() -> None:
    class Sore(ScriptedLine):
        def close(self) -> None:
            raise OSError("closed twice")

    log = called(clinic(), Unreachable(lambda: Sore(lambda line, now: [Finished(), Left("done")])), SHORT)
    assert ending(log)[:2] == ("finished", "agent")


# Recordings


def test_a_call_is_recorded_in_stereo(tmp_path: Path) -> None:
    import soundfile

    path = tmp_path / "call.flac"
    log = called(clinic(), "spoken:oracle", replace(SOUND, recording=path))
    recording = log.events[-1].payload["recording"]
    samples, rate = soundfile.read(path, dtype="int16")
    assert (rate, samples.shape) == (24_000, (recording["samples"], 2))
    assert [one.name for one in tmp_path.iterdir()] == ["call.flac"]
    for clip in traced(log).clips:
        channel = samples[:, 0 if clip.speaker == "user" else 1]
        assert channel[clip.start_ms * 24 + 1 : clip.end_ms * 24 - 1].any()
        assert not channel[clip.end_ms * 24 + 1 : clip.end_ms * 24 + 24 * 100].any()

"""Whole sessions with deployed agents over real sockets and sound: the clerk does a workflow and is scored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.audio.ports import Limits, SoundOptions
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.workflows.lines.clerk import Clerk, Fault, Known, SocketClerk, StreamClerk, clerk
from tests.workflows.lines.deployed_faults import closes, mute
from tests.workflows.lines.pitch import LOUD, ear_of, wits_of
from tests.workflows.lines.server import serving
from tests.workflows.toys import interview, load

if TYPE_CHECKING:
    pass


def held(package: Package, kind: type[Clerk], *, fault: Fault | None = None, options: str = "") -> tuple[Trace, Known]:
    known, name = Known(), "voice-ws" if kind is SocketClerk else "media-stream"
    sound = SoundOptions(
        clips=lambda package, condition: StandIn(amplitude=LOUD),
        detector="level",
        listener=ear_of(package),
        listener_id="pitch",
        limits=Limits(first_audio=2_000, silence=2_000, call=60_000),
    )
    with serving(clerk(kind, wits_of(package, fault), known)) as port:
        spec = f"{name}:ws://127.0.0.1:{port}/voice{options}"
        log = run_session(package, make_agent(spec), name, RunOptions(clock="real"), sound=sound)
    return trace_of(replay(log.to_bytes())), known


@pytest.mark.parametrize("kind", [SocketClerk, StreamClerk])
def test_a_workflow_over_real_sound(tmp_path: Path, kind: type[Clerk]) -> None:
    package = load(interview(), tmp_path)
    trace, known = held(package, kind)
    assert (trace.state, trace.failure) == ("finished", "")
    assert [call.tool for call in trace.calls] == ["set_evidence", "set_ready"]
    assert all(result["ok"] for result in known.results)
    assert score_session(package, trace).mended.success is True
    assert len(known.heard_ms) == 2  # the user goes on after a pause that is no end of a turn


@pytest.mark.parametrize("kind", [SocketClerk, StreamClerk])
@pytest.mark.parametrize(
    ("fault", "phase"),
    [
        (Fault("1011", "turn", closes(1011, "the model fell over")), "call"),
        (Fault("mute", "greeting", mute), "first audio"),
        (Fault("mute", "turn", mute), "silence"),
    ],
    ids=["1011", "no-greeting", "no-answer"],
)
def test_a_fault_is_no_score(tmp_path: Path, kind: type[Clerk], fault: Fault, phase: str) -> None:
    trace, _ = held(load(interview(), tmp_path), kind, fault=fault)
    assert trace.state == "infrastructure_failed"
    assert trace.failure.startswith(f"{phase}: ")

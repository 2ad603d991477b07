"""--t2a-agent=voice-ws:URL and media-stream:URL: a deployed agent is called, heard, scored and gated, in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.workflows.package.loader import load_package
from tests.conftest import Run
from tests.workflows.lines.clerk import Clerk, Fault, Known, SocketClerk, StreamClerk, clerk
from tests.workflows.lines.deployed_faults import closes
from tests.workflows.lines.pitch import ear_of, wits_of
from tests.workflows.lines.server import serving
from tests.workflows.toys import interview, write

EARS = """\
import numpy as np

PITCH = {pitch!r}

def hear(utterances):
    found = []
    for utterance in utterances:
        audio = utterance.audio
        padded = np.zeros(8 * audio.rate)
        part = audio.samples[: len(padded)]
        padded[: len(part)] = part * np.hanning(len(part))
        pitch = float(np.argmax(np.abs(np.fft.rfft(padded)))) / 8
        found.append(min(PITCH, key=lambda text: abs(PITCH[text] - pitch)))
    return found
"""
"""A recogniser that knows the pitch of everything that the clerk says."""
CALLED = ("--t2a-caller=stand-in", "--t2a-listener=python:ears:hear")


@pytest.fixture
def flow(pytester: pytest.Pytester) -> Path:
    folder = write(interview(), pytester.path / "flows" / "interview")
    pitches = ear_of(load_package(folder)).pitches
    (pytester.path / "ears.py").write_text(EARS.format(pitch=pitches), encoding="utf-8")
    pytester.makeini("[pytest]\npythonpath = .\n")
    return folder


@pytest.mark.parametrize(("name", "kind"), [("voice-ws", SocketClerk), ("media-stream", StreamClerk)])
def test_a_deployed_agent_is_gated(run: Run, flow: Path, name: str, kind: type[Clerk]) -> None:
    with serving(clerk(kind, wits_of(load_package(flow)), Known())) as port:
        spec = f"--t2a-agent=clerk={name}:ws://127.0.0.1:{port}/voice"
        result = run("flows", spec, *CALLED, "--t2a-report=out")
        result.assert_outcomes(passed=1)
        assert result.ret == 0
        result.stdout.fnmatch_lines(["Pass@1 *100.0 %*(n=1)", "GATE PASSED"])
        assert "Bearer" not in "".join(path.read_text() for path in (flow.parents[1] / "out").glob("*.json*"))


@pytest.mark.parametrize("run", ["alone"], indirect=True)
def test_an_agent_that_fails_is_missing_and_red(run: Run, flow: Path) -> None:
    fault = Fault("1011", "greeting", closes(1011, "no model"))
    with serving(clerk(SocketClerk, wits_of(load_package(flow), fault), Known())) as port:
        result = run("flows", f"--t2a-agent=clerk=voice-ws:ws://127.0.0.1:{port}/voice", *CALLED)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*first audio: the agent closed the connection with 1011: no model*"])


@pytest.mark.parametrize("run", ["alone"], indirect=True)
def test_the_listener_has_to_be_named(run: Run, flow: Path) -> None:
    result = run("flows", "--t2a-agent=voice-ws:ws://127.0.0.1:1/voice", "--t2a-caller=stand-in")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--t2a-listener*"])

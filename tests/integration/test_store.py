from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Run, lines_of

FAKE = "--t2a-interface=python:fake_asr:Recogniser"


def test_the_second_run_transcribes_nothing(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    first = run(heard_tasks, FAKE)
    first.assert_outcomes(passed=2)
    assert sorted(lines_of(pytester.path / "asked.txt")) == ["port.wav", "report.wav"]
    second = run(heard_tasks, FAKE)
    second.assert_outcomes(passed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 2
    assert len(lines_of(pytester.path / "loads.txt")) == 1
    second.stdout.fnmatch_lines(["*2 of 2 transcripts from the store, 0 recordings transcribed*"])


def test_another_recording_or_another_build_is_heard_anew(
    alone: Run, pytester: pytest.Pytester, heard_tasks: Path
) -> None:
    alone(heard_tasks, FAKE)
    module = pytester.path / "fake_asr.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n# another build\n", encoding="utf-8")
    alone(heard_tasks, FAKE)
    assert len(lines_of(pytester.path / "asked.txt")) == 4


def test_the_same_audio_is_heard_once(alone: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    text = heard_tasks.read_text(encoding="utf-8").replace("audio/port.wav", "audio/report.wav")
    heard_tasks.write_text(text, encoding="utf-8")
    alone(heard_tasks, FAKE)
    assert lines_of(pytester.path / "asked.txt") == ["report.wav"]


def test_the_folder_of_an_option(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    run(heard_tasks, FAKE, "--t2a-store=elsewhere").assert_outcomes(passed=2)
    assert len(list((pytester.path / "elsewhere" / "transcripts").rglob("*.json"))) == 2
    assert not (pytester.path / ".t2a").exists()
    assert (pytester.path / "elsewhere" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_damaged_record_is_made_anew(alone: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    alone(heard_tasks, FAKE)
    for record in (pytester.path / ".t2a" / "store").rglob("*.json"):
        record.write_text('{"schema": 1, "data": {"text": "half a rec', encoding="utf-8")
    alone(heard_tasks, FAKE).assert_outcomes(passed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 4


def test_two_runs_at_once_share_one_store(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(heard_tasks), FAKE]
    runs = [subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait(timeout=120) for one in runs] == [0, 0, 0]
    store = pytester.path / ".t2a" / "store"
    assert len(list(store.rglob("*.json"))) == 2
    assert not [path for path in store.rglob(".*") if path.name != ".gitignore"]


def test_what_was_transcribed_before_a_kill_is_kept(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    slow = pytester.path / "fake_asr.py"
    text = slow.read_text(encoding="utf-8")
    slow.write_text(text.replace("        texts =", "        stall(batch)\n        texts =") + STALL, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(heard_tasks), FAKE]
    store = pytester.path / ".t2a" / "store"
    first = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(store.rglob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    assert len(list(store.rglob("*.json"))) == 1
    (pytester.path / "go").touch()
    pytester.runpytest_subprocess(heard_tasks, FAKE).assert_outcomes(passed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 2


STALL = '''

def stall(batch):
    """Let one recording through, then wait to be killed, unless the test says go."""
    import time

    while (HERE / "asked.txt").exists() and not (HERE / "go").exists():
        time.sleep(0.05)
'''

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import PERFECT, PORT, REPORT, Run, lines_of

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


def test_a_file_in_place_of_the_store_ends_the_run_before_anything_is_heard(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path
) -> None:
    result = run(heard_tasks, FAKE, f"--t2a-store={heard_tasks}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: store {heard_tasks}: {heard_tasks} is no folder; *--t2a-store=DIR"])
    assert not (pytester.path / "loads.txt").exists()


def test_where_the_store_has_everything_no_model_server_is_started(
    alone: Run, pytester: pytest.Pytester, heard_tasks: Path
) -> None:
    module = """
        from pathlib import Path
        with Path("loads.txt").open("a") as stream:
            stream.write("loaded")

        def hear(batch):
            return [utterance.instruction for utterance in batch]
        """
    pytester.makepyfile(plain_asr=module)
    pytester.makeconftest("""
        from pytest_talk2agent.adapter.voice_session import voice_of

        def pytest_terminal_summary(terminalreporter, config):
            terminalreporter.write_line(f"owner: {voice_of(config).owner is not None}")
        """)
    spec = "--t2a-interface=python?identity=1:plain_asr:hear"
    baseline = "--t2a-baseline=baseline.json"
    first = alone(heard_tasks, spec, baseline, "--t2a-update-baseline", "--t2a-report=first")
    first.stdout.fnmatch_lines(["heard: 0 of 2 *, 2 recordings transcribed"])
    first.stdout.fnmatch_lines(["owner: True"])
    second = alone(heard_tasks, spec, baseline, "--t2a-report=second")
    second.assert_outcomes(passed=2)
    second.stdout.fnmatch_lines(["heard: 2 of 2 transcripts from the store, 0 recordings transcribed"])
    second.stdout.fnmatch_lines(["owner: False"])
    assert (pytester.path / "loads.txt").read_text(encoding="utf-8") == "loaded"
    anew = alone(heard_tasks, spec, "--t2a-refresh")
    anew.stdout.fnmatch_lines(["heard: 0 of 2 *, 2 recordings transcribed"])
    anew.stdout.fnmatch_lines(["owner: True"])


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


WRONG = PERFECT | {PORT: "Set the port to 8081 and restart nginx."}


@pytest.fixture
def wrong(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    """The tasks, with a recogniser that hears 8081 for 8080."""
    texts = {"report": WRONG[REPORT], "port": WRONG[PORT]}
    (pytester.path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    return heard_tasks


def record_with(pytester: pytest.Pytester, text: str) -> Path:
    (found,) = (
        path for path in pytester.path.rglob("store/transcripts/**/*.json") if text in path.read_text(encoding="utf-8")
    )
    return found


def test_a_record_that_an_error_of_the_disk_made_right_is_not_believed(
    run: Run, pytester: pytest.Pytester, wrong: Path
) -> None:
    run(wrong, FAKE).assert_outcomes(passed=1, failed=1)
    record = record_with(pytester, "8081")
    record.write_bytes(record.read_bytes().replace(b"8081", b"8080"))
    result = run(wrong, FAKE)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    assert len(lines_of(pytester.path / "asked.txt")) == 3


def test_a_frozen_run_says_what_became_of_the_record(run: Run, pytester: pytest.Pytester, wrong: Path) -> None:
    run(wrong, FAKE)
    record = record_with(pytester, "8081")
    record.write_bytes(record.read_bytes().replace(b"8081", b"8080"))
    result = run(wrong, FAKE, "--t2a-frozen")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*the stored record *{record.name} does not match its digest; run once without*"])


def test_the_record_of_a_better_interface_is_not_believed(alone: Run, pytester: pytest.Pytester, wrong: Path) -> None:
    better = "\n\nclass Better(Recogniser):\n    def transcribe(self, batch):\n"
    better += f"        return [{PERFECT[PORT]!r} if u.path.stem == 'port' else {PERFECT[REPORT]!r} for u in batch]\n"
    module = pytester.path / "fake_asr.py"
    module.write_text(module.read_text(encoding="utf-8") + better, encoding="utf-8")
    alone(wrong, FAKE).assert_outcomes(passed=1, failed=1)
    bad = record_with(pytester, "8081")
    alone(wrong, "--t2a-interface=python:fake_asr:Better").assert_outcomes(passed=2)
    bad.write_bytes(record_with(pytester, "8080").read_bytes())
    result = alone(wrong, FAKE)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1


@pytest.mark.parametrize("odd", ["a pipe", "a folder", "a device", "deep values"])
def test_one_odd_record_takes_nothing_from_the_others(
    alone: Run, pytester: pytest.Pytester, heard_tasks: Path, odd: str
) -> None:
    alone(heard_tasks, FAKE)
    record = record_with(pytester, "8080")
    record.unlink()
    if odd == "a pipe":
        os.mkfifo(record)
    elif odd == "a folder":
        record.mkdir()
    elif odd == "a device":
        record.symlink_to("/dev/zero")
    else:
        record.write_text("[" * 100_000, encoding="utf-8")
    result = alone(heard_tasks, FAKE, "--t2a-frozen")
    result.assert_outcomes(passed=1, errors=1)
    alone(heard_tasks, FAKE).assert_outcomes(passed=2)
    alone(heard_tasks, FAKE, "--t2a-frozen").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("detail", "why"),
    [
        ("{'cost': 'free'}", "detail['cost'] is 'free', not an amount"),
        ("{'suspect': None}", "detail['suspect'] is None, not a list of texts"),
        ("None", "detail is a NoneType, not a mapping"),
        ("{'p': float('nan')}", "detail['p'] is nan, which is no number"),
    ],
)
def test_one_odd_detail_takes_nothing_from_the_others(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path, detail: str, why: str
) -> None:
    odd = (
        "\n\nclass Odd(Recogniser):\n    def transcribe(self, batch):\n"
        "        from pytest_talk2agent.interfaces.utterance import Hypothesis\n"
        "        texts = super().transcribe(batch)\n"
        f"        return [Hypothesis(text, {detail}) if '8080' in text else text for text in texts]\n"
    )
    module = pytester.path / "fake_asr.py"
    module.write_text(module.read_text(encoding="utf-8") + odd, encoding="utf-8")
    result = run(heard_tasks, "--t2a-interface=python:fake_asr:Odd")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 1
    assert f"returned what no record can hold: {why}" in result.stdout.str()
    result.stdout.fnmatch_lines(["GATE FAILED: 1 item could not be judged: *"])


def test_labels_are_kept_beside_the_transcripts_and_verified(run: Run, pytester: pytest.Pytester, wrong: Path) -> None:
    run(wrong, FAKE).assert_outcomes(passed=1, failed=1)
    kept = list(pytester.path.rglob("store/judgements/**/*.json"))
    assert len(kept) == 2
    for record in kept:
        record.write_bytes(record.read_bytes().replace(b"changed", b"omitted").replace(b"8081", b"8080"))
    result = run(wrong, FAKE, "--t2a-report=rep")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["note: stored record *does not match its digest; made anew"])
    rows = (pytester.path / "rep" / "results.jsonl").read_text(encoding="utf-8")
    assert '"label": "changed"' in rows
    assert '"label": "omitted"' not in rows


def test_two_runs_at_once_share_one_store(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(heard_tasks), FAKE]
    runs = [subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait(timeout=120) for one in runs] == [0, 0, 0]
    store = pytester.path / ".t2a" / "store"
    assert len(list((store / "transcripts").rglob("*.json"))) == 2
    assert not [path for path in store.rglob(".*") if path.name != ".gitignore"]


def test_what_was_transcribed_before_a_kill_is_kept(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    slow = pytester.path / "fake_asr.py"
    text = slow.read_text(encoding="utf-8")
    slow.write_text(text.replace("        texts =", "        stall(batch)\n        texts =") + STALL, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(heard_tasks), FAKE]
    store = pytester.path / ".t2a" / "store"
    first = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list((store / "transcripts").rglob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    assert len(list((store / "transcripts").rglob("*.json"))) == 1
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

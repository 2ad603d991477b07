"""``--t2a-max-suspect`` counts what looks astray, whoever heard it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import PERFECT, PORT, REPORT, Run, Transcripts

ECHO = "import json, pathlib, sys; print(json.load(open('texts.json'))[pathlib.Path(sys.argv[1]).stem])"


@pytest.fixture
def looped(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    """Both tasks, one with a loop behind what was said, in a syllable and in no word."""
    texts = {"report": f"{PERFECT[REPORT]} N-N-N-N-N-N-N-N-N-", "port": PERFECT[PORT]}
    (pytester.path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    (pytester.path / "echo.py").write_text(ECHO, encoding="utf-8")
    return heard_tasks


@pytest.mark.parametrize(
    "spec", ["python:fake_asr:Recogniser", f"command:{sys.executable} echo.py {{audio}}", "hooked"]
)
def test_a_loop_is_suspect_through_every_interface(
    run: Run, pytester: pytest.Pytester, looped: Path, spec: str
) -> None:
    pytester.makepyfile(hooked="import fake_asr\n\n\nclass Hooked(fake_asr.Recogniser):\n"
        "    hears = True\n    capabilities = frozenset()\n\n    def __init__(self, spec): pass\n\n"
        "    def check(self): pass\n\n    def transcribe(self, batch):\n"
        "        from pytest_talk2agent.interfaces.utterance import Hypothesis\n"
        "        return [Hypothesis(text) for text in super().transcribe(batch)]\n")  # fmt: skip
    pytester.makeconftest('def pytest_t2a_interfaces(config):\n    return {"hooked": "hooked:Hooked"}\n')
    result = run(looped, f"--t2a-interface={spec}", "--t2a-max-suspect=0.4", "--t2a-report=out")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: *suspect*"])
    rows = [json.loads(line) for line in (pytester.path / "out" / "results.jsonl").read_text().splitlines()]
    assert sorted(row["transcript"]["detail"]["suspect"] for row in rows) == [[], ["repetition"]]


def test_a_recorded_loop_is_suspect_too(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    transcripts(PERFECT | {PORT: f"{PERFECT[PORT]} " + "thank you " * 9})
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl", "--t2a-max-suspect=0.4")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: *suspect*"])


def test_what_was_stored_is_judged_by_the_rule_of_today(alone: Run, pytester: pytest.Pytester, looped: Path) -> None:
    hears = ("--t2a-interface=python:fake_asr:Recogniser", "--t2a-max-suspect=0.4")
    assert alone(looped, *hears).ret == 1
    second = alone(looped, *hears)
    second.stdout.fnmatch_lines(["*2 of 2 transcripts from the store*", "GATE FAILED: *suspect*"])

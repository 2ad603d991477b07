"""``audio_snr_db``: the same recordings, heard in noise, as a condition of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.integration.listening import HEAR

LISTENER = f"""{HEAR}

def transcribe(batch):
    return [hear(utterance) for utterance in batch]
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    pytester.makepyfile(listener=LISTENER)
    return heard_tasks


def test_clean_and_noisy_in_one_run(suite: Path, run: Run) -> None:
    clean, noisy = "clean=python:listener:transcribe", "noisy=python?audio_snr_db=5:listener:transcribe"
    result = run(suite, f"--t2a-interface={clean}", f"--t2a-interface={noisy}")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "clean      2      2  *",
            "noisy      2      1  *",
            "number    0/1 lost  1/1 lost",
            "noisy      clean          2      0        1     0          -1 number",
        ]
    )


def test_a_control_hears_no_noise(suite: Path, alone: Run) -> None:
    result = alone(suite, "--t2a-interface=text?audio_snr_db=5")
    assert result.ret == 4 or "text hears nothing; leave audio_snr_db out" in result.stdout.str()


def test_a_ratio_that_is_none_is_refused_before_the_run(suite: Path, run: Run) -> None:
    result = run(suite, "--t2a-interface=python?audio_snr_db=loud:listener:transcribe")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*option audio_snr_db must be a number, not 'loud'*"])

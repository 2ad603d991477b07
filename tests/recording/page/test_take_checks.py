"""What is told of a take, on shipped recordings as they are and spoilt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pytest_talk2agent.recording.page.prompts import Prompt, prompts_of
from pytest_talk2agent.recording.page.take_checks import check_take, measure
from pytest_talk2agent.tasks.loader import load_tasks
from tests.recording.page.conftest import FIRST, ROOT, speech

Samples = NDArray[np.float32]
SUITES = ("files", "git", "media", "office")


def spoken() -> tuple[Samples, int]:
    pcm, rate = speech()
    return pcm.astype(np.float32) / np.float32(32768), rate


def faults(samples: Any, rate: int, prompt: Prompt = FIRST) -> dict[str, str]:
    found = check_take(measure(np.asarray(samples, dtype=np.float32), rate), prompt.seconds)
    return {one.code: one.severity for one in found}


def test_shipped_recordings_have_no_fault() -> None:
    paths = [path for suite in SUITES for path in sorted((ROOT / "suites" / suite).rglob("*.yaml"))]
    found = {}
    for prompt in prompts_of(task for path in paths for task in load_tasks(path)):
        for recording in prompt.task.recordings:
            # Those in loud noise were made to be bad.
            if "db." in recording.audio.name:
                continue
            samples, rate = soundfile.read(recording.audio, dtype="float32")
            found[recording.audio.name] = faults(samples, rate, prompt)
    assert len(found) > 25
    assert {name: codes for name, codes in found.items() if "fault" in codes.values()} == {}


def test_a_good_take_has_no_finding() -> None:
    assert faults(*spoken()) == {}


@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000])
def test_nothing_is_silence(rate: int) -> None:
    assert faults(np.zeros(rate), rate) == {"silence": "fault"}
    assert faults(np.zeros(1), rate) == {"silence": "fault"}
    assert faults(np.full(rate, 0.5), rate)["silence"] == "fault"  # an offset is no sound


def test_what_is_overdriven_is_clipped() -> None:
    samples, rate = spoken()
    loud = samples / np.abs(samples).max()
    assert faults(np.clip(loud * 4, -1, 1), rate)["clipping"] == "fault"
    assert faults(np.clip(loud * 1.2, -1, 1), rate)["clipping"] == "warning"


def test_what_is_far_away_is_quiet() -> None:
    samples, rate = spoken()
    assert faults(samples * 0.01, rate)["quiet"] == "warning"


@pytest.mark.parametrize(("snr", "severity"), [(3, "fault"), (12, "warning")])
def test_a_loud_room_is_noise(snr: float, severity: str) -> None:
    samples, rate = spoken()
    power = float(np.square(samples).mean()) / 10 ** (snr / 10)
    noise = np.random.default_rng(0).standard_normal(len(samples)) * np.sqrt(power)
    assert faults(samples + noise, rate)["noise"] == severity


def test_cut_ends_are_told_apart() -> None:
    samples, rate = spoken()
    levels = measure(samples, rate)
    begin, end = round((levels.begin + 0.3) * rate), round((levels.end - 0.3) * rate)
    # Cut where it is loud, not in a pause between words.
    begin += int(np.abs(samples[begin : begin + rate]).argmax())
    end -= rate - int(np.abs(samples[end - rate : end]).argmax())
    assert faults(samples[begin:], rate) == {"cut-start": "fault"}
    assert faults(samples[:end], rate) == {"cut-end": "fault"}


def test_length_is_held_against_the_script() -> None:
    samples, rate = spoken()
    levels = measure(samples, rate)
    middle = round((levels.begin + levels.spoken / 4) * rate)
    part = np.concatenate([samples[:middle], np.zeros(rate)])
    assert faults(part, rate)["short"] == "fault"
    assert faults(np.concatenate([samples] * 5), rate) == {"long": "fault"}


def test_scripts_of_any_writing_take_time() -> None:
    def seconds(script: str) -> float:
        return Prompt(FIRST.task, script).seconds

    assert seconds("把端口设置为八千零八十") == pytest.approx(2.75)
    assert 1.5 < seconds("set the port to eighty eighty") < 2.5
    assert seconds("set the port to 8080") > seconds("set the port to two")
    assert seconds("") == 0

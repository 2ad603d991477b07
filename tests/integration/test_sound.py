"""``--t2a-sound`` and ``+sound``: the same recordings in conditions of sound, each a condition of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run, lines_of, write_tone
from tests.integration.listening import HEAR

LISTENER = f"""{HEAR}

class Recogniser:
    def identity(self):
        return {{"weights": "none"}}

    def transcribe(self, batch):
        with open("asked.txt", "a") as stream:
            stream.writelines(f"{{utterance.task}}\\n" for utterance in batch)
        return [hear(utterance) for utterance in batch]
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    pytester.makepyfile(listener=LISTENER)
    return heard_tasks


SPEC = "asr=python?identity=listener:listener:Recogniser"


def test_an_option_puts_every_interface_into_every_condition(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    report = pytester.path / "report"
    result = run(suite, f"--t2a-interface={SPEC}", "--t2a-interface=text", "--t2a-sound=clean",
                 "--t2a-sound=white@5dB,gap@0.5s", f"--t2a-report={report}")  # fmt: skip
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "asr                     2      2  *",
            "asr+white-5dB+gap-0.5s  2      1  *",
            "text                    2      2  *",
        ]
    )
    rows = [json.loads(line) for line in lines_of(report / "results.jsonl")]
    heard = {row["condition"]: row["transcript"] for row in rows}
    assert heard["asr+white-5dB+gap-0.5s"]["identity"]["sound"] == "white@5dB,gap@0.5s"
    assert heard["asr+white-5dB+gap-0.5s"]["detail"]["sound"] == {"condition": "white@5dB,gap@0.5s"}
    assert "sound" not in heard["asr"]["identity"]


def test_a_spec_names_its_own_condition(suite: Path, alone: Run) -> None:
    result = alone(suite, "--t2a-interface=python+sound=white@5dB:listener:Recogniser")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["python-Recogniser+white-5dB  2      1  *"])


def test_an_ini_key_is_the_default(suite: Path, alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npythonpath = .\nt2a_sound =\n  white@5dB\n")
    result = alone(suite, f"--t2a-interface={SPEC}")
    result.stdout.fnmatch_lines(["*sound white@5dB (ini)*", "asr+white-5dB  2      1  *"])


def test_babble_is_heard_anew_when_what_it_is_made_of_changes(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    arguments = (suite, f"--t2a-interface={SPEC}", "--t2a-sound=babble@30dB")
    assert run(*arguments).ret == 0
    assert len(lines_of(pytester.path / "asked.txt")) == 2
    assert run(*arguments).ret == 0
    assert len(lines_of(pytester.path / "asked.txt")) == 2, "the store has both"
    write_tone(pytester.path / "audio" / "third.wav", 700.0)
    assert run(*arguments).ret == 0
    assert len(lines_of(pytester.path / "asked.txt")) == 4


def test_a_recording_without_others_is_an_error_of_its_item(suite: Path, alone: Run, pytester: pytest.Pytester) -> None:
    text = suite.read_text(encoding="utf-8")
    (pytester.path / "apart").mkdir()
    (pytester.path / "audio" / "port.wav").rename(pytester.path / "apart" / "port.wav")
    write_tone(pytester.path / "audio" / "other.wav", 700.0)
    suite.write_text(text.replace("audio/port.wav", "apart/port.wav"), encoding="utf-8")
    result = alone(suite, f"--t2a-interface={SPEC}", "--t2a-sound=babble@30dB")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*port.wav: sound condition babble is made of other recordings and there are none*"])
    result.assert_outcomes(passed=1, errors=1)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (
            ["--t2a-sound=babel@5dB"],
            "*--t2a-sound: sound condition 'babel@5dB' is not understood (did*",
        ),
        (["--t2a-interface=sphinx+sound=phone+sound=gsm"], "*+sound is given twice*"),
        (["--t2a-interface=sphinx+sound=phone?audio_snr_db=5"], "*+sound and audio_snr_db are given*"),
        (["--t2a-sound="], "*--t2a-sound*"),
    ],
)
def test_a_wrong_condition_ends_the_run_before_any_test(
    suite: Path, run: Run, arguments: list[str], fault: str
) -> None:
    result = run(suite, *arguments)
    assert result.ret == 4
    result.stderr.fnmatch_lines([fault])


def test_what_hears_nothing_takes_no_condition(suite: Path, alone: Run) -> None:
    result = alone(suite, "--t2a-interface=text+sound=phone")
    assert result.ret == 4 or "text hears nothing; leave +sound out" in result.stdout.str()


def test_a_folder_that_is_not_there_is_an_error_of_the_items(suite: Path, alone: Run) -> None:
    result = alone(suite, f"--t2a-interface={SPEC}", "--t2a-sound=noise=nowhere@5dB")
    assert result.ret != 0
    assert "nowhere: no folder of recordings for a sound condition" in result.stdout.str() + result.stderr.str()

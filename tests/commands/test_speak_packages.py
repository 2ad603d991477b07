"""``talk2agent speak`` on packages of workflows: clips, checks and what is refused."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.workflows.audio.bank import SpeechBank
from pytest_talk2agent.workflows.package.loader import load_package
from tests.recording.test_voices import BEEP
from tests.workflows.toys import expense, interview, line, write


@pytest.fixture
def flows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(expense(), tmp_path / "flows/expense")
    write(interview(), tmp_path / "flows/interview")
    return tmp_path / "flows"


@pytest.fixture
def voice(tmp_path: Path) -> str:
    program = tmp_path / "beep.py"
    program.write_text(BEEP, encoding="utf-8")
    return f"beep=command:{shlex.join([sys.executable, str(program)])} {{out}}"


def test_every_package_of_a_folder_gets_its_voice(flows: Path, voice: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speak", str(flows), "--voice", voice, "--check", "none"]) == 0
    out = capsys.readouterr().out
    assert "toy_form_001: " in out
    assert "by beep" in out
    assert out.splitlines()[-1] == "2 packages: not checked"
    for name in ("expense", "interview"):
        SpeechBank(load_package(flows / name)).check()


def test_one_package_of_several(flows: Path, voice: str) -> None:
    assert main(["speak", str(flows), "--voice", voice, "--check", "none", "--task", "toy_form*"]) == 0
    assert (flows / "expense/user/audio").is_dir()
    assert not (flows / "interview/user/audio").exists()


def test_a_wording_that_tells_too_much_makes_the_command_fail(
    flows: Path, voice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = expense()
    toy["user/realization_bank.jsonl"].append(line("blurt", "ANSWER", "It is cost center CC-330."))
    write(toy, flows / "expense")
    arguments = ["speak", str(flows / "expense"), "--voice", voice, "--check", "none"]
    assert main(arguments) == 1
    assert "blurt#v1 tells cost_center (CC-330), undeclared: `It is cost center CC-330.`" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 1
    [row] = json.loads(capsys.readouterr().out)
    assert [leak["fact"] for leak in row["leaks"]] == ["cost_center"]


def test_tones_in_place_of_speech_are_not_heard_back(
    flows: Path, voice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("faster_whisper")
    arguments = ["speak", str(flows / "expense"), "--voice", voice]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "1 package: heard back by whisper:tiny.en: 0 of " in out
    assert out.splitlines()[-1] == "FAILED: fewer than 60% of the literals with a digit were heard back"
    assert main([*arguments, "--least", "0"]) == 0
    checked = json.loads((flows / "expense/user/audio/meta.json").read_text())["checked"]["beep"]
    assert checked["interface"] == "whisper:tiny.en"
    assert len(checked["not_heard"]) == checked["literals"] - checked["heard"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--script"], "stands in its bank; --voice SPEC records it"),
        (["--voice", "beep", "--script"], "--script is for tasks"),
        (["--voice", "beep", "--out", "x"], "--out is for tasks"),
        (["--voice", "nothing"], "unknown engine"),
        (["--voice", "VOICE", "--task", "other"], "no package matches 'other'"),
        (["--voice", "VOICE", "--least", "2"], "--least must be a share from 0 to 1"),
        (["--voice", "VOICE", "--check", "text"], "hears nothing"),
    ],
)
def test_what_makes_no_sense_is_refused(
    flows: Path, voice: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [voice if word == "VOICE" else word for word in arguments]
    assert main(["speak", str(flows), *given]) == 2
    assert said in capsys.readouterr().err


def test_tasks_and_packages_are_spoken_apart(
    flows: Path, voice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text("tasks: []\n", encoding="utf-8")
    assert main(["speak", str(flows), str(tasks), "--voice", voice]) == 2
    assert "no package of a workflow, as the others are" in capsys.readouterr().err

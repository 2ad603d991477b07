"""What task files list, made again: the same bytes, or what differs and why."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.recording.again import Again, make_again
from pytest_talk2agent.recording.voice_table import TableVoice, VoiceTable, differences, read_table
from pytest_talk2agent.recording.voices import VoiceError
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task
from tests.conftest import TASKS
from tests.recording.test_voices import BEEP

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "fixtures_audio" / "voices.json"


@pytest.fixture
def beep(tmp_path: Path) -> str:
    program = tmp_path / "beep.py"
    program.write_text(BEEP, encoding="utf-8")
    return f"command:{shlex.join([sys.executable, str(program)])} {{out}}"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Two tasks that list recordings which are not there yet."""
    path = tmp_path / "tasks.yaml"
    (tmp_path / "pytest.ini").touch()
    documents = [
        f"{text}recordings: [{{audio: {n}.flac, speaker: beep}}]\n" for n, text in enumerate(TASKS.split("---\n"))
    ]
    path.write_text("---\n".join(documents), encoding="utf-8")
    return path


def again(suite: Path, table: VoiceTable) -> list[Again]:
    def words(task: Task) -> str:
        return task.spoken

    return make_again(load_tasks(suite), words, table, suite.parent / "store", 2)


def test_what_is_not_there_is_written_and_then_the_same(suite: Path, beep: str) -> None:
    table = {"beep": TableVoice(spec=beep)}
    first = again(suite, table)
    assert [one.state for one in first] == ["written", "written"]
    assert [one.sha256 for one in first] == [file_sha256(one.audio) for one in first]
    assert [one.state for one in again(suite, table)] == ["same", "same"]


def test_what_differs_is_named_and_stays(suite: Path, beep: str) -> None:
    table = {"beep": TableVoice(spec=beep)}
    first, _ = again(suite, table)
    first.audio.write_bytes(b"another")
    found = again(suite, table)
    assert [one.state for one in found] == ["differs", "same"]
    assert found[0].reason == f"its SHA-256 is {file_sha256(first.audio)}, made now is {first.sha256}"
    assert first.audio.read_bytes() == b"another"


def test_what_is_not_the_declared_one_is_not_written(suite: Path, beep: str) -> None:
    digest = "ab" * 32
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("0.flac,", f"0.flac, sha256: {digest},"), encoding="utf-8"
    )
    found = again(suite, {"beep": TableVoice(spec=beep)})
    assert [one.state for one in found] == ["differs", "written"]
    assert "nothing was written" in found[0].reason
    assert not found[0].audio.exists()


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("", "nobody says which voice beep is"),
        ("flyte", "unknown engine"),
        ("command:./nowhere {out}", "is not there"),
        (f"command:{sys.executable} -c pass {{out}}", "it wrote no sound"),
    ],
)
def test_a_voice_that_cannot_speak_is_a_reason(suite: Path, spec: str, reason: str) -> None:
    table = {"beep": TableVoice(spec=spec)} if spec else {}
    found = again(suite, table)
    assert [one.state for one in found] == ["not made", "not made"]
    assert all(reason in one.reason for one in found)


def test_a_recording_can_name_its_own_voice(suite: Path, beep: str) -> None:
    text = suite.read_text(encoding="utf-8").replace("speaker: beep", f"speaker: amy, voice: {json.dumps(beep)}")
    suite.write_text(text, encoding="utf-8")
    assert [one.state for one in again(suite, {})] == ["written", "written"]


def test_a_take_that_is_more_than_its_voice_is_not_taken_for_it(suite: Path, beep: str) -> None:
    text = suite.read_text(encoding="utf-8").replace("speaker: beep", "speaker: beep, take: beep-noisy")
    suite.write_text(text, encoding="utf-8")
    [reason] = {one.reason for one in again(suite, {"beep": TableVoice(spec=beep)})}
    assert reason == "take beep-noisy is not what the voice beep alone says"


def test_the_command_says_what_became_of_each(
    suite: Path, beep: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(suite.parent)
    Path("voices.json").write_text(json.dumps({"beep": {"spec": beep, "packages": {"numpy": "0.1"}}}), encoding="utf-8")
    arguments = ["speak", "tasks.yaml", "--again", "--voices", "voices.json"]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert "written: files/set-port[beep]: sha256: " in captured.out
    assert captured.out.endswith("2 recordings: 2 written\n")
    assert "the recordings were made with 0.1" in captured.err
    Path("0.flac").write_bytes(b"another")
    assert main(arguments) == 1
    assert capsys.readouterr().out.endswith("2 recordings: 1 same, 1 differs\n")
    assert main([*arguments, "--json"]) == 1
    assert [row["state"] for row in json.loads(capsys.readouterr().out)] == ["differs", "same"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--again", "--voice", "flite"], "leave out the other options"),
        (["--again", "--task", "nothing"], "no task matches 'nothing' and lists a recording"),
        (["--again", "--voices", "nowhere.json"], "nowhere.json: cannot be read"),
        (["--again", "--workers", "0"], "--workers must be 1 or more"),
    ],
)
def test_what_is_refused(suite: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str) -> None:
    assert main(["speak", str(suite), *arguments]) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"spec": 1}}', '{"a": {}, "a": {}}'])
def test_a_table_that_is_none_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "voices.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VoiceError, match=r"voices\.json: ") as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_versions_that_differ_are_said_once(tmp_path: Path) -> None:
    entry = TableVoice(spec="x", packages={"numpy": "0.1", "no-such-package": "1"})
    table = {"a": entry, "b": entry, "c": TableVoice(spec="x", packages={"pytest": "0.1"}), "audio": TableVoice()}
    [line] = differences(table, ["a", "b"])
    assert line.startswith("numpy is ")


def shipped() -> Iterator[tuple[str, Task]]:
    """One task for each voice of the table, by the speaker of its recording."""
    table, seen = read_table(TABLE), set[str]()
    for path in sorted((ROOT / "suites").glob("*/tasks.yaml")):
        for task in load_tasks(path):
            for one in task.recordings:
                speaker = str(one.speaker)
                if one.take is None and speaker in table and speaker not in seen:
                    seen.add(speaker)
                    yield speaker, task.replaced(recordings=(one,))


@pytest.mark.parametrize(("speaker", "task"), [*shipped()], ids=lambda value: value if isinstance(value, str) else "")
def test_a_shipped_recording_comes_out_of_its_task_file_byte_for_byte(tmp_path: Path, speaker: str, task: Task) -> None:
    table = read_table(TABLE)
    if changed := differences(table, [speaker]):
        pytest.skip("; ".join(changed))
    [found] = make_again([task], lambda one: " ".join(one.spoken.split()), table, tmp_path, 1)
    if found.state == "not made" and "install" in found.reason:
        pytest.skip(found.reason)
    assert (found.state, found.reason) == ("same", "")
    assert hashlib.sha256(found.audio.read_bytes()).hexdigest() == task.recordings[0].sha256

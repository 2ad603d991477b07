from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.replay.transcripts import TranscriptsInterface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from tests.interfaces.recordings import fingerprint


def recorded(tmp_path: Path, *records: object, name: str = "asr.jsonl") -> TranscriptsInterface:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records), encoding="utf-8")
    return TranscriptsInterface(parse_spec(f"transcripts:{path}"))


def heard(interface: TranscriptsInterface, task: str, take: str = "1", path: str | None = None) -> str:
    utterance = Utterance(task, take, "", "", Path(path) if path else None)
    [result] = interface.transcribe([utterance])
    if isinstance(result, TranscriptionError):
        return f"error: {result}"
    assert isinstance(result, Hypothesis)
    return result.text


def test_our_form(tmp_path: Path) -> None:
    interface = recorded(
        tmp_path,
        {"task": "files/copy", "take": "amy", "transcript": "by amy"},
        {"task": "files/copy", "speaker": "joe", "transcript": "by joe"},
        {"task": "files/move", "transcript": "alone"},
        {"task": "files/empty", "transcript": ""},
    )
    assert heard(interface, "files/copy", "amy") == "by amy"
    assert heard(interface, "files/copy", "joe", "/x/joe.wav") == "by joe"
    assert heard(interface, "files/move", "whoever", "/x/whoever.wav") == "alone"
    assert heard(interface, "files/empty") == ""
    assert interface.records_of("files/copy") == ["amy", "joe"]
    assert interface.records_of("files/move") == ["1"]
    assert interface.records_of("files/none") == []


def test_the_five_fields(tmp_path: Path) -> None:
    interface = recorded(
        tmp_path,
        *(
            {
                "task_id": f"rec-{take}",
                "source_task_id": "bb5e4c0d",
                "take": take,
                "audio": f"audio/take{take}/bb5e4c0d.mp3",
                "transcript": f"heard {take}",
            }
            for take in (1, 2, 3)
        ),
    )
    assert interface.records_of("bb5e4c0d") == ["1", "2", "3"]
    assert interface.records_of("osworld/chrome/bb5e4c0d") == ["1", "2", "3"]
    assert heard(interface, "osworld/chrome/bb5e4c0d", "2") == "heard 2"
    # The file decides before the take does.
    assert heard(interface, "bb5e4c0d", "1", "/data/audio/take3/bb5e4c0d.mp3") == "heard 3"
    assert heard(interface, "rec-1").startswith("error: ")


def test_the_three_fields_in_an_array(tmp_path: Path) -> None:
    path = tmp_path / "all-asr-data.json"
    records = [
        {"audio": "01_Flow/01_Flow_task_1.wav", "category": "01_Flow", "transcription": "one"},
        {"audio": "01_Flow/01_Flow_task_2.wav", "category": "01_Flow", "transcription": "two"},
    ]
    path.write_text(json.dumps(records, indent=1))
    interface = TranscriptsInterface(parse_spec(f"transcripts:{path}"))
    assert heard(interface, "wcb/01_Flow_task_2") == "two"
    assert heard(interface, "01_Flow_task_1", "tts", "/any/01_Flow_task_1.wav") == "one"
    # A person's recording is not the synthetic one that was transcribed.
    assert "no transcript of task '01_Flow_task_1', take 'amy'" in heard(interface, "01_Flow_task_1", "amy", "/amy.wav")


def test_the_file_name_decides_where_the_path_differs(tmp_path: Path) -> None:
    interface = recorded(
        tmp_path,
        {"task": "t", "audio": "old/amy.wav", "take": "x", "transcript": "amy"},
        {"task": "t", "audio": "old/joe.wav", "take": "amy", "transcript": "joe"},
    )
    assert heard(interface, "t", "amy", "/new/amy.wav") == "amy"


def test_the_whole_id_comes_before_its_last_part(tmp_path: Path) -> None:
    interface = recorded(tmp_path, {"task": "copy", "transcript": "b"}, {"task": "files/copy", "transcript": "a"})
    assert heard(interface, "files/copy") == "a"
    assert heard(interface, "other/copy") == "b"


def test_several_equally_good_records_name_their_lines(tmp_path: Path) -> None:
    interface = recorded(
        tmp_path,
        {"task": "t", "take": "amy", "transcript": "a"},
        {"task": "u", "transcript": "x"},
        {"task": "t", "take": "amy", "transcript": "b"},
    )
    assert f"{tmp_path}/asr.jsonl: lines 1 and 3 are equally good" in heard(interface, "t", "amy")
    assert heard(interface, "u") == "x"


def test_missing_records_are_errors_of_their_utterance_alone(tmp_path: Path) -> None:
    interface = recorded(tmp_path, {"task": "t", "take": "amy", "transcript": "a"})
    results = interface.transcribe([Utterance("none", "1", "", ""), Utterance("t", "amy", "", "")])
    assert isinstance(results[0], TranscriptionError)
    assert "no transcript of task 'none'" in str(results[0])
    assert results[1] == Hypothesis("a", {"line": 1, "suspect": []})
    assert "recorded takes: amy" in heard(interface, "t", "joe")


def test_a_record_is_there_also_where_it_is_one_of_several(tmp_path: Path) -> None:
    interface = recorded(
        tmp_path,
        {"task": "files/copy", "take": "amy", "transcript": "by amy"},
        *({"task": "files/move", "transcript": text} for text in ("one", "two")),
    )
    for task, take, there in (("files/copy", "amy", True), ("files/copy", "joe", False), ("files/move", "1", True)):
        utterance = Utterance(task=task, take=take, instruction="", script="")
        assert interface.has_record(utterance) is there
    assert not interface.has_record(Utterance(task="files/none", take="amy", instruction="", script=""))


@pytest.mark.parametrize(
    ("content", "where", "fault"),
    [
        ('{"task": "t", "transcript": "a"}\n\n{"task": "t", ', ":3: ", "not JSON"),
        ('{"task": "t"}', ":1: ", "no 'transcript'"),
        ('{"task": "t", "transcript": null}', ":1: ", "no 'transcript'"),
        ('{"task": "t", "transcript": ["a"]}', ":1: ", "'transcript' must be text, not list"),
        ('{"task": "t", "take": true, "transcript": "a"}', ":1: ", "'take' must be text, not bool"),
        ('\n{"transcript": "a"}', ":2: ", "no task"),
        ('"t"', ":1: ", "a record is an object"),
        ('[\n {"task": "t", "transcript": "a"},\n {"task": "t"}\n]', ":3: ", "no 'transcript'"),
        ('[\n {"task": "t", "transcript": "a"},\n 7]', ":3: ", "a record is an object"),
        ('[{"task": "t", "transcript": "a"}\n', ":2: ", "not JSON"),
        (
            '{"task": "t", "transcript": "a", "transcript": "b"}',
            ":1: ",
            "not JSON: the key 'transcript' is there twice",
        ),
        (
            '{"task": "t", "take": "a\\u001b[2J", "transcript": "b"}',
            ":1: ",
            "'take' is 'a\\x1b[2J', which cannot be part of",
        ),
        (
            '{"task": "t", "speaker": "a\\n::error::b", "transcript": "c"}',
            ":1: ",
            "'speaker' is 'a\\n::error::b', which",
        ),
        ('{"task": "t", "take": "a]::b", "transcript": "c"}', ":1: ", "'take' is 'a]::b', which cannot be part"),
        ('{"task": "t", "take": "\\ud800", "transcript": "c"}', ":1: ", "'take' is '\\ud800', which cannot be part"),
        (f'{{"task": "t", "take": "{"a" * 101}", "transcript": "c"}}', ":1: ", "'take' is 'aaa"),
        ('[{"task": "t", "task": "u", "transcript": "a"}]', ": ", "not JSON that can be read: the key 'task' is there"),
        ("", ": ", "no transcript in it"),
        ("[]", ": ", "no transcript in it"),
        ("\xff", ": ", "not UTF-8"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(tmp_path: Path, content: str, where: str, fault: str) -> None:
    path = tmp_path / "asr.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InterfaceError) as caught:
        TranscriptsInterface(parse_spec(f"transcripts:{path}")).check()
    assert str(caught.value).startswith(f"{path}{where}{fault}")


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, fault in ((tmp_path / "none.jsonl", "no such transcripts file"), (tmp_path, "cannot read")):
        with pytest.raises(InterfaceError, match=fault):
            TranscriptsInterface(parse_spec(f"transcripts:{path}")).check()


def test_odd_but_legal_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "asr.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"task": "t", "transcript": "a\xe2\x80\xa8b"}\r\n\r\n{"task": 7, "transcript": "c"}')
    interface = TranscriptsInterface(parse_spec(f"transcripts:{path}"))
    assert heard(interface, "t") == "a\u2028b"
    assert heard(interface, "7") == "c"


def test_the_file_is_no_part_of_the_identity(tmp_path: Path) -> None:
    first = recorded(tmp_path, {"task": "t", "transcript": "a"})
    second = recorded(tmp_path, {"task": "t", "transcript": "b"}, name="other.jsonl")
    assert fingerprint(first) == fingerprint(second)

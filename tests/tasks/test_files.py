"""What is named as a file of tasks, recordings, labels, cases, transcripts or terms and is none: a line, no waiting."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.context.terms import read_list
from pytest_talk2agent.context.vocabulary import ContextError
from pytest_talk2agent.interfaces.replay.transcripts import read_records
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.judging.judge import JudgeError
from pytest_talk2agent.judging.labelled_cases import CaseFileError, read_cases
from pytest_talk2agent.judging.labels import read_labels
from pytest_talk2agent.tasks import files
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.files import parse_json
from pytest_talk2agent.tasks.importers import registry
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest
from pytest_talk2agent.tasks.task import Task

TASK = Task(id="a", instruction="x", intentions={"it": Intention(say=("it",))}, value="it", suite="s", path=Path("x"))
READERS: dict[str, tuple[Callable[[Path], object], type[Exception], str]] = {
    "tasks": (load_tasks, TaskFileError, "tasks.yaml"),
    "manifest": (read_manifest, TaskFileError, "manifest.jsonl"),
    "labels": (read_labels, JudgeError, "labels.jsonl"),
    "cases": (read_cases, CaseFileError, "cases.jsonl"),
    "transcripts": (read_records, InterfaceError, "asr.jsonl"),
    "terms": (lambda path: read_list(path, TASK), ContextError, "terms.json"),
}
DEEP = {
    "lists": "[" * 100_000,
    "closed lists": "[" * 100_000 + "]" * 100_000,
    "objects": '{"a":' * 100_000,
    "a list in a record": '{"task": "a", "transcript": ' + "[" * 100_000,
    "a number of many digits": '{"task": ' + "9" * 5000 + "}",
}


@pytest.fixture(params=READERS)
def refusal(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Path | str], str]:
    """Read a file, or a text as one, and say how it was refused."""
    read, error, name = READERS[request.param]

    def refused(source: Path | str) -> str:
        path = source if isinstance(source, Path) else tmp_path / name
        if isinstance(source, str):
            path.write_text(source, encoding="utf-8")
        with pytest.raises(error) as caught:
            read(path)
        text = str(caught.value)
        assert all(line.startswith(str(path)) and len(line) < 400 for line in text.split("\n"))
        return text

    return refused


Refusal = Callable[[Path | str], str]


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_nested_without_end_is_a_line(refusal: Refusal, text: str) -> None:
    assert refusal(text).count("\n") < 5


def test_a_pipe_is_not_waited_for(refusal: Refusal, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "regular file" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty0", "/dev/ptmx", "/dev/null"])
def test_a_device_is_not_read(refusal: Refusal, device: str) -> None:
    if not Path(device).exists():
        pytest.skip("not on this machine")
    assert "regular file" in refusal(Path(device))


def test_a_folder(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert "\n" not in refusal(tmp_path / "folder")


def test_nothing(refusal: Refusal, tmp_path: Path) -> None:
    assert "\n" not in refusal(tmp_path / "nowhere")


def test_a_circle_of_links(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "ring").symlink_to("ring")
    assert "Too many levels" in refusal(tmp_path / "ring")


def test_one_that_is_too_large(refusal: Refusal, tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(2 << 30)  # a hole: nothing is written
    assert "2147483648 bytes, more than" in refusal(path)


def test_one_that_says_it_is_empty_and_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fstat

    def empty(descriptor: int) -> os.stat_result:
        found = list(real(descriptor))
        found[6] = 0
        return os.stat_result(found)

    path = tmp_path / "large"
    path.write_bytes(b"#" * 2000)
    monkeypatch.setattr(os, "fstat", empty)
    with pytest.raises(ValueError, match="has 1001 bytes, more than 1000"):
        files.read_bounded(path, 1000)


def test_a_look_for_foreign_tasks_reads_no_more_than_a_task_can_have(tmp_path: Path) -> None:
    path = tmp_path / "examples" / "os" / "a.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"instruction": "x", "evaluator": {}}' + " " * files.LARGEST)
    assert registry.format_of(path) is None


def test_what_is_json_is_read() -> None:
    assert parse_json('{"a": [1, {"b": null}], "c": {"a": 2}}') == {"a": [1, {"b": None}], "c": {"a": 2}}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "c": 2, "a": 3}}]', '{"a": 1, "\\u0061": 2}'])
def test_a_key_stands_once_in_an_object(text: str) -> None:
    with pytest.raises(ValueError, match="the key 'a' is there twice"):
        parse_json(text)

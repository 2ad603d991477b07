from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.labelled_cases import CaseFileError, read_cases

CASE: dict[str, Any] = {
    "id": "one",
    "instruction": "Print a.txt.",
    "script": "print a dot t x t",
    "context": {"files": ["a.txt"]},
    "intentions": {"file": {"say": "a.txt", "kind": "filename"}},
    "transcript": "print a.txt",
    "labels": {"file": "retained"},
    "why": "perfect",
}


def _file(folder: Path, *cases: object) -> Path:
    path = folder / "cases.jsonl"
    lines = [case if isinstance(case, str) else json.dumps(case) for case in cases]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_case_is_read(tmp_path: Path) -> None:
    (read,) = read_cases(_file(tmp_path, "", CASE, ""))
    assert (read.id, read.why, read.labels) == ("one", "perfect", {"file": Label.RETAINED})
    assert read.case.files == ("a.txt",)
    assert read.case.script == "print a dot t x t"


def test_a_case_without_a_script_is_spoken_as_written(tmp_path: Path) -> None:
    (read,) = read_cases(_file(tmp_path, {key: value for key, value in CASE.items() if key != "script"}))
    assert read.case.script == read.case.instruction


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        (("{",), r":1: no JSON"),
        ((CASE, "[1, 2]"), r":2: the line: "),
        (({**{key: value for key, value in CASE.items() if key != "labels"}, "lables": {}},), r":1: labels: Field"),
        (({key: value for key, value in CASE.items() if key != "transcript"},), r":1: transcript: Field required"),
        (({**CASE, "labels": {"file": "kept"}},), r":1: labels\.file: "),
        (({**CASE, "labels": {"fil": "retained"}},), r":1: labels and intentions differ in fil, file"),
        (({**CASE, "intentions": {"file": {"say": "a", "kind": "fil"}}},), r":1: intentions\.file\.kind: "),
        ((CASE, "", CASE), r":3: id 'one' stands in line 1 already"),
        (("",), r"no case in this file"),
    ],
)
def test_a_bad_case_is_named_by_file_and_line(tmp_path: Path, cases: tuple[object, ...], message: str) -> None:
    path = _file(tmp_path, *cases)
    with pytest.raises(CaseFileError, match=message) as caught:
        read_cases(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="cannot read the case file"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseFileError, match="cannot read the case file"):
        read_cases(tmp_path / "binary.jsonl")

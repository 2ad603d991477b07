from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.original import Original, line_feeds, read_all, refused, text_of
from tests.tasks.importers.foreign import sha256


def read(path: Path) -> Iterator[Original]:
    text = text_of(path)
    if text == "faulty":
        raise refused(path, "it is faulty; mend it", line=3)
    yield Original("own", text, "Say hello.", "", path)


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def test_a_faulty_file_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    checkout = read_all(tmp_path, write(tmp_path, a="one", b="faulty", c="two"), read)
    assert list(checkout.originals) == ["one", "two"]
    assert [str(problem) for problem in checkout.rejected] == [f"{tmp_path}/b:3:1: it is faulty; mend it"]


def test_the_second_file_of_one_task_is_named_with_the_first(tmp_path: Path) -> None:
    checkout = read_all(tmp_path, write(tmp_path, a="one", b="one"), read)
    assert checkout.originals["one"].path == tmp_path / "a"
    assert [str(problem) for problem in checkout.rejected] == [
        f"{tmp_path}/b:1:1: the task `one` is in {tmp_path}/a too; keep one of them"
    ]


def test_a_task_without_a_grader_has_no_fingerprint_of_one() -> None:
    original = Original("own", "one", "Say hello.", "", Path("a"))
    assert original.grader_sha256 is None
    assert original.prompt_sha256 == sha256("Say hello.")


@pytest.mark.parametrize(("text", "expected"), [("a\r\nb\rc\n", "a\nb\nc\n"), ("a\u2028b\x0bc", "a\u2028b\x0bc")])
def test_line_ends_become_line_feeds_and_nothing_else_does(text: str, expected: str) -> None:
    assert line_feeds(text) == expected


def test_a_file_in_another_encoding_is_refused_at_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ab\n\xe4\n")
    with pytest.raises(TaskFileError) as caught:
        text_of(path)
    assert str(caught.value) == f"{path}:2:1: byte 0xe4 is not UTF-8; save the file as UTF-8"

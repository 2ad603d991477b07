"""``talk2agent accept``: a baseline as it is, edits and all, on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import Baseline, BaselineError
from tests.commands.conftest import Say
from tests.results.builders import baseline, interval, lossy, result

WHISPER = "whisper-tiny.en"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "my base.json"
    baseline(path, lossy("a"), result("b"), lossy("c")).save()
    return path


def edit(path: Path, change: Callable[[Any], object]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def test_an_edit_is_named_and_accepted(say: Say, base: Path) -> None:
    edit(base, lambda document: document["items"][WHISPER]["a[amy]"].update(native=["1/4", "1/4"]))
    with pytest.raises(BaselineError, match=rf"`talk2agent accept '{base}'`"):
        Baseline.load(base)
    assert say("accept", base) == (
        f"accepted: 1 of its 3 items changed since they were written: a[amy]\n{base}: 3 items of 1 condition\n"
    )
    read = Baseline.load(base)
    assert read.items[WHISPER]["a[amy]"].native == interval("1/4")
    assert read.items[WHISPER]["b[amy]"].file == "suites/tasks.yaml"


def test_an_item_that_was_taken_out_is_accepted(say: Say, base: Path) -> None:
    edit(base, lambda document: document["items"][WHISPER].pop("c[amy]"))
    assert say("accept", base).splitlines() == [
        "accepted: changed since it was written, in its head or by items that are gone",
        "accepted: its tasks and recordings are not those of its suite_sha256",
        f"{base}: 2 items of 1 condition",
    ]
    assert list(Baseline.load(base).items[WHISPER]) == ["a[amy]", "b[amy]"]


def test_what_is_as_it_was_written_is_left_alone(say: Say, base: Path) -> None:
    before = base.read_bytes()
    assert say("accept", base) == f"{base}: as it was written, nothing to accept\n"
    assert base.read_bytes() == before


def test_what_cannot_be_is_not_accepted(complain: Say, base: Path) -> None:
    edit(base, lambda document: document["items"][WHISPER]["b[amy]"].update(native=["0", "0"]))
    before = base.read_bytes()
    assert "b[amy]: native is 0 though nothing is lost" in complain("accept", base)
    assert base.read_bytes() == before


def test_a_file_of_the_former_schema_is_taken_over(say: Say, base: Path) -> None:
    def older(document: Any) -> None:
        document["schema"] = 2
        del document["sha256"]
        for entry in document["items"][WHISPER].values():
            del entry["file"], entry["sha256"]

    edit(base, older)
    assert say("accept", base).startswith(
        "accepted: written by an earlier version (schema 2), which kept no checksum\n"
    )
    assert {entry.file for entry in Baseline.load(base).items[WHISPER].values()} == {""}


def test_what_is_no_baseline_is_refused(complain: Say, tmp_path: Path) -> None:
    assert "cannot read the baseline (No such file or directory)" in complain("accept", tmp_path / "none.json")
    assert "cannot read the baseline (Is a directory)" in complain("accept", tmp_path)

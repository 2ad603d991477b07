from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.recording.dataset.collection import Item, collect
from pytest_talk2agent.tasks.manifest import read_manifest
from pytest_talk2agent.tasks.recording import Recording
from tests.conftest import PORT, REPORT
from tests.recording.dataset.conftest import Small, suite


def test_suites_and_a_manifest_make_a_data_set(filled: Small) -> None:
    data = filled.data()
    assert [item.shown for item in data.items] == [f"{REPORT}[1]", f"{REPORT}[tone]", f"{PORT}[1]"]
    assert data.items[0].script.startswith("copy report underscore")
    assert data.items[0].instruction.startswith("Copy report_final.docx")
    assert (data.unrecorded, data.strangers) == ([], ())


def test_a_manifest_can_stand_alone(filled: Small) -> None:
    data = collect([], read_manifest(filled.manifest))
    assert [item.shown for item in data.items] == [f"{REPORT}[1]", f"{REPORT}[tone]", f"{PORT}[1]"]
    assert {item.language for item in data.items} == {""}


def test_what_is_missing_on_either_side_is_known(small: Small) -> None:
    small.add(REPORT, "a.flac")
    small.add("files/elsewhere", "b.flac", 1)
    data = small.data()
    assert (data.unrecorded, data.strangers) == ([PORT], ("files/elsewhere",))


def test_nothing_and_twice_are_refused() -> None:
    with pytest.raises(ValueError, match="name suites, a manifest"):
        collect([], None)
    with pytest.raises(ValueError, match="name one of them"):
        collect(suite("git", "git"), None)
    with pytest.raises(ValueError, match="no task has a recording"):
        collect([task.replaced(recordings=()) for task in suite("git")], None)


NAMES = st.text("aA/-. ü", min_size=1, max_size=5)


@given(st.lists(st.tuples(NAMES, st.sampled_from(["amy-1", "é", "a" * 100])), unique=True, max_size=8))
def test_no_two_recordings_share_a_file_name(names: list[tuple[str, str]]) -> None:
    items = [Item(name, take, Recording(audio=Path("x.FLAC")), "") for name, take in names]
    files = [item.file_name for item in items]
    assert len(set(files)) == len(files)
    assert all("/" not in file and file.endswith(".flac") and file.isascii() for file in files)

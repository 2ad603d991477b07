from __future__ import annotations

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.recording.dataset.checking import Finding, check, mismatches, summary
from pytest_talk2agent.recording.dataset.collection import DataSet
from tests.conftest import PORT, REPORT
from tests.recording.dataset.conftest import Small


def codes(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(one.severity, one.code, one.where) for one in found if one.code != "length"]


def test_the_shipped_recordings_have_no_fault(shipped: DataSet) -> None:
    told: list[str] = []
    assert check(shipped, lambda item: told.append(item.shown)) == []
    assert told == [item.shown for item in shipped.items]


def test_the_recordings_of_a_manifest_are_read(filled: Small) -> None:
    assert codes(check(filled.data())) == []


def test_a_file_that_is_missing_changed_or_damaged_is_a_fault(filled: Small) -> None:
    (filled.folder / "a.flac").unlink()
    path = filled.folder / "b.flac"
    path.write_bytes(path.read_bytes()[:-999])
    del filled.rows[2]["sha256"]
    (filled.folder / "c.flac").write_bytes(b"fLaC and nothing more")
    found = check(filled.data())
    assert codes(found) == [
        ("fault", "unreadable", f"{REPORT}[1]"),
        ("fault", "unreadable", f"{REPORT}[tone]"),
        ("fault", "unreadable", f"{PORT}[1]"),
    ]
    assert ["no such recording" in found[0].text, "declared is" in found[1].text] == [True, True]


def test_a_length_that_is_not_the_declared_one_is_a_fault(filled: Small) -> None:
    filled.rows[0]["seconds"] = 3
    [found] = [one for one in check(filled.data()) if one.code == "seconds"]
    assert (found.severity, "declared are 3 s" in found.text) == ("fault", True)


def test_what_is_not_pinned_is_said_with_its_hash(filled: Small) -> None:
    digest = filled.rows[0].pop("sha256")
    [found] = [one for one in check(filled.data()) if one.code == "unpinned"]
    assert (found.severity, str(digest) in found.text) == ("warning", True)


def test_the_same_sound_twice_is_a_fault_whatever_its_format(filled: Small) -> None:
    filled.add(PORT, "d.flac", 0, speaker="bo")
    samples, rate = soundfile.read(filled.folder / "c.flac", dtype="int16")
    soundfile.write(filled.folder / "e.wav", samples, rate)
    filled.rows.append({"task": PORT, "audio": "e.wav", "speaker": "cy"})
    found = [one for one in check(filled.data()) if one.code == "same-sound"]
    assert [(one.where, one.text.partition(";")[0]) for one in found] == [
        (f"{PORT}[bo]", f"the same sound as {REPORT}[1]"),
        (f"{PORT}[cy]", f"the same sound as {PORT}[1]"),
    ]


def test_a_copy_that_was_worked_on_is_a_warning(filled: Small) -> None:
    samples, rate = soundfile.read(filled.folder / "a.flac", dtype="float32")
    soundfile.write(filled.folder / "d.mp3", np.pad(samples * 0.3, (5000, 0)), rate)
    filled.rows.append({"task": PORT, "audio": "d.mp3", "speaker": "bo"})
    [found] = [one for one in check(filled.data()) if one.code == "near-duplicate"]
    assert (found.severity, found.where) == ("warning", f"{PORT}[bo]")
    assert f"one performance with {REPORT}[1] (likeness 0." in found.text


def test_speech_that_does_not_fit_the_length_of_its_script_is_a_warning(filled: Small) -> None:
    samples, rate = soundfile.read(filled.folder / "a.flac")
    soundfile.write(filled.folder / "d.wav", np.tile(samples, 4), rate)
    filled.rows.append({"task": PORT, "audio": "d.wav", "speaker": "bo"})
    [found] = [one for one in check(filled.data()) if one.where.endswith("[bo]") and one.code == "length"]
    assert found.severity == "warning"


def test_tasks_without_recordings_and_recordings_without_tasks_are_said(small: Small) -> None:
    small.add(REPORT, "a.flac")
    small.add("files/elsewhere", "b.flac", 1)
    assert codes(check(small.data())) == [("fault", "stranger", "files/elsewhere"), ("warning", "unrecorded", PORT)]


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (["copy report final docx to srv archive", "set the port to 8080 and restart engine x"], []),
        (
            ["set the port to eighty eighty and restart nginx", "set the port to eighty eighty and restart nginx"],
            [("fault", f"the script of `{PORT}` fits better")],
        ),
        (
            ["copy report underscore final dot doc x to slash s r v slash archive", "thank you for watching"],
            [("warning", "100% of the words were heard otherwise")],
        ),
        (["", "set the port to eighty eighty and restart nginx"], [("warning", "100% of the words")]),
    ],
)
def test_a_recording_of_another_script_is_known_by_what_is_heard(
    small: Small, heard: list[str], expected: list[tuple[str, str]]
) -> None:
    small.add(REPORT, "a.flac", speaker="amy")
    small.add(PORT, "b.flac", 1, speaker="amy")
    found = mismatches(list(zip(small.data().items, heard, strict=True)))
    assert [one.severity for one in found] == [severity for severity, _ in expected]
    assert all(text in one.text for one, (_, text) in zip(found, expected, strict=True))


def test_findings_are_counted() -> None:
    one = Finding("fault", "x", "a", "b")
    assert summary([one], 1) == "1 recording: 1 fault, 0 warnings"
    assert str(one) == "fault: a: b"

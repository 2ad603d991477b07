"""The consent that speakers gave on the page, as the card of the data set tells it."""

from __future__ import annotations

from pytest_talk2agent.recording.dataset.collection import collect
from pytest_talk2agent.recording.dataset.consent import consent_of
from pytest_talk2agent.recording.page.studio import Rules
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.recording.page.conftest import SECOND, MakeRoom, Room, speech


def told(room: Room) -> str:
    return consent_of(collect([], read_manifest(room.folder / "manifest.jsonl")))


def test_the_texts_that_speakers_agreed_to_are_told(room: Room) -> None:
    room.agree("joe")
    room.record(*speech())
    room.record(*speech(SECOND), SECOND, "joe")
    assert told(room) == "Agreed to before 2 recordings by 2 speakers:\n\n> Do you agree?"


def test_takes_under_another_text_and_without_a_record_are_told_apart(make_room: MakeRoom) -> None:
    room = make_room()
    room.agree()
    room.record(*speech())
    room.studio.close()
    room.rules = Rules("Another text.\nOf two lines.")
    room.open()
    room.agree()
    room.record(*speech(SECOND), SECOND)
    assert told(room) == (
        "Agreed to before 1 recording by 1 speaker:\n\n> Do you agree?\n\n"
        "Agreed to before 1 recording by 1 speaker:\n\n> Another text.\n> Of two lines."
    )
    for record in sorted((room.folder / "takes" / "amy").glob("*.json"))[:1]:
        record.unlink()
    assert told(room).endswith("Without a record of consent: 1 recording.")
    (room.folder / "speakers" / "amy.json").write_text("nonsense", encoding="utf-8")
    assert told(room) == ""

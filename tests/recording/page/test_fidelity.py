"""``--check`` with a real recogniser: what it heard reaches the page, and a take of another text is noticed."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.recording.page.fidelity import InterfaceListener
from tests.recording.page.conftest import FIRST, SECOND, MakeRoom, Room, speech

PATIENCE = 240.0
"""Seconds after which a recogniser that says nothing is a failure."""


def heard(room: Room, key: str) -> dict[str, Any]:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        take: dict[str, Any] = room.ask("GET", f"/api/takes/{key}").json()
        if take["heard"] is not None:
            found: dict[str, Any] = take["heard"]
            return found
        time.sleep(0.1)
    raise AssertionError("nothing was heard")


def test_what_whisper_hears_is_told_and_a_take_of_another_text_is_noticed(make_room: MakeRoom) -> None:
    pytest.importorskip("faster_whisper", reason="hears the takes")
    room = make_room(listener=InterfaceListener("whisper:tiny.en"))
    room.agree()
    own = room.record(*speech(SECOND), SECOND)
    other = room.record(*speech(SECOND), FIRST)
    found, mistaken = heard(room, own["key"]), heard(room, other["key"])
    assert found["interface"] == "whisper:tiny.en"
    assert (found["error"], mistaken["error"]) == ("", "")
    assert found["text"] == mistaken["text"] != ""
    assert len(found["lost"]) < len(SECOND.task.intentions)
    assert len(mistaken["lost"]) == len(FIRST.task.intentions), "none of the values of another text was said"
    room.again()
    assert heard(room, own["key"]) == found, "what was heard once is kept"


@pytest.mark.parametrize("spec", ["whisper:tiny.en+bias", "whisper:tiny.en+sound=phone", "text"])
def test_what_cannot_hear_a_take_as_it_is_is_refused(spec: str) -> None:
    with pytest.raises(InterfaceError, match="--check"):
        InterfaceListener(spec)

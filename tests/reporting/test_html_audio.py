"""Recordings of a page: found, linked so that both can be moved, or carried along."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.html.audio import Recordings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "audio").mkdir()
    for name in ("amy.flac", "odd #1?%20.wav", "javascript:alert(1)"):
        (tmp_path / "audio" / name).write_bytes(name.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_has_one_number_and_a_link_relative_to_the_page(folder: Path) -> None:
    recordings = Recordings("link", folder / "new" / "report")
    assert [recordings.number(name) for name in ("audio/amy.flac", str(folder / "audio/odd #1?%20.wav"))] == [0, 1]
    assert recordings.number("audio/amy.flac") == 0
    assert recordings.sources() == ["../../audio/amy.flac", "../../audio/odd%20%231%3F%2520.wav"]
    assert list(recordings.blocks()) == []


def test_a_name_that_utf_8_cannot_hold_is_linked_by_its_bytes(folder: Path) -> None:
    name = os.fsdecode(b"audio/\xff.wav")
    Path(name).touch()
    recordings = Recordings("link", folder)
    recordings.number(name)
    assert recordings.sources() == ["audio/%FF.wav"]


def test_a_name_is_never_taken_for_an_address(folder: Path) -> None:
    recordings = Recordings("link", folder / "audio")
    recordings.number("audio/javascript:alert(1)")
    assert recordings.sources() == ["javascript%3Aalert%281%29"]


def test_what_is_not_there_is_said_and_has_no_number(folder: Path) -> None:
    recordings = Recordings("link", folder)
    assert [recordings.number(name) for name in ("audio/gone.wav", None, "audio", "audio/gone.wav")] == [None] * 4
    assert recordings.absent == {"audio/gone.wav", "audio"}


def test_embedded_recordings_are_their_bytes(folder: Path) -> None:
    recordings = Recordings("embed", folder)
    recordings.number("audio/amy.flac")
    recordings.number("audio/javascript:alert(1)")
    assert recordings.sources() == ["audio/flac", "application/octet-stream"]
    first, _ = recordings.blocks()
    text = base64.b64encode(b"amy.flac").decode()
    assert first == f'<script type="text/plain" id="audio-0">{text}</script>\n'


def test_without_audio_nothing_is_looked_for(folder: Path) -> None:
    recordings = Recordings("none", folder)
    assert recordings.number("audio/amy.flac") is None
    assert (recordings.sources(), recordings.absent) == ([], set())

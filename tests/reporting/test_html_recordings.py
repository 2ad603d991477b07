"""Recordings of a page: linked or carried, and which a saved run may bring."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.html.recordings import AudioMode, Bounds, Recordings, digests
from tests.conftest import write_tone


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


class TestASavedRun:
    """Its records are input: whatever they name, only what the run heard gets into the page."""

    @pytest.fixture
    def sound(self, tmp_path: Path) -> Path:
        return write_tone(tmp_path / "suite" / "amy.wav")

    def refusal(self, audio: Path | str, *roots: Path, mode: AudioMode = "embed", sha256: str | None = None) -> str:
        recordings = Recordings(mode, Path(), Bounds(roots, digests([(str(audio), sha256)])))
        assert recordings.number(str(audio)) is None
        assert (recordings.sources(), list(recordings.blocks())) == ([], [])
        assert recordings.absent == {str(audio)}
        return recordings.refused[str(audio)]

    @pytest.mark.parametrize("mode", ["link", "embed"])
    def test_what_it_heard_is_there(self, sound: Path, mode: AudioMode) -> None:
        known = digests([(str(sound), "0" * 64), (str(sound), hashlib.sha256(sound.read_bytes()).hexdigest())])
        recordings = Recordings(mode, sound.parent, Bounds((sound.parent,), known))
        assert recordings.number(str(sound)) == 0
        assert recordings.sources() == [{"link": "amy.wav", "embed": "audio/wav"}[mode]]
        assert recordings.refused == {}

    @pytest.mark.parametrize("mode", ["link", "embed"])
    def test_another_folder(self, sound: Path, tmp_path: Path, mode: AudioMode) -> None:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "link.wav").symlink_to(sound)
        for audio in (sound, f"{tmp_path}/other/../suite/amy.wav", tmp_path / "other" / "link.wav"):
            assert "no folder that the run heard" in self.refusal(audio, tmp_path / "other", mode=mode)

    @pytest.mark.parametrize("mode", ["link", "embed"])
    @pytest.mark.parametrize("name", ["id_rsa", "key.wav", "key.vox", "key.mp3"])
    def test_what_is_no_audio(self, tmp_path: Path, mode: AudioMode, name: str) -> None:
        key = tmp_path / name
        key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEA" * 200)
        assert self.refusal(key, tmp_path, mode=mode) == "is no audio"

    @pytest.mark.parametrize("mode", ["link", "embed"])
    def test_what_is_no_file(self, tmp_path: Path, mode: AudioMode) -> None:
        os.mkfifo(tmp_path / "pipe.wav")
        assert self.refusal(tmp_path / "pipe.wav", tmp_path, mode=mode) == "cannot be read: not a regular file"
        assert self.refusal(tmp_path, tmp_path, mode=mode) == "cannot be read: Is a directory"
        assert "cannot be read" in self.refusal("/dev/zero", Path("/dev"), mode=mode)

    def test_another_file_than_was_heard(self, sound: Path) -> None:
        assert "its SHA-256 differs" in self.refusal(sound, sound.parent, sha256="0" * 64)

    def test_one_that_is_too_large(self, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pytest_talk2agent.reporting.html.recordings.LARGEST", 1000)
        assert "is larger than" in self.refusal(sound, sound.parent)

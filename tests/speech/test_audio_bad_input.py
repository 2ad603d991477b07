"""A recording that cannot be used is one line: which, what is wrong, what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.speech.audio import MAX_SECONDS, AudioError, audio_seconds, read_audio
from tests.speech.test_audio import RATE, sweep


def refused(path: Path, sha256: str | None = None) -> str:
    with pytest.raises(AudioError) as caught:
        read_audio(path, sha256=sha256)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert "; " in message
    return message.removeprefix(f"{path}: ")


def test_missing(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.wav").startswith("no such recording; check the path")


def test_folder(tmp_path: Path) -> None:
    assert "a folder" in refused(tmp_path)


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE)

    def denied(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", denied)
    assert "cannot be read (Permission denied)" in refused(tmp_path / "a.wav")


def test_zero_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    assert "empty: 0 bytes" in refused(tmp_path / "a.wav")


def test_no_samples(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(0), RATE)
    assert "empty: no sound" in refused(tmp_path / "a.wav")


@pytest.mark.parametrize("text", ["Turn the light on.\n", "ä" * 700, "<html>\n<body>404</body>"])
def test_text_named_wav(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.wav").write_text(text, encoding="utf-8")
    assert "holds text, not sound" in refused(tmp_path / "a.wav")


def test_lfs_pointer(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    assert "git lfs pull" in refused(tmp_path / "a.wav")


@pytest.mark.parametrize("content", [b"\x1aE\xdf\xa3" + bytes(200), bytes(1000), b"\xff", b"RIFF"])
def test_another_format(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    refused(tmp_path / "a.wav")


def test_all_zeros_and_a_constant(tmp_path: Path) -> None:
    for value in (0.0, 0.3):
        soundfile.write(tmp_path / "a.wav", np.full(RATE, value), RATE, subtype="FLOAT")
        assert "silent (all samples equal)" in refused(tmp_path / "a.wav")


def test_a_noise_floor_is_silence_and_a_whisper_is_not(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).uniform(-1, 1, RATE)
    soundfile.write(tmp_path / "floor.wav", 0.0005 * noise, RATE, subtype="PCM_16")
    assert "silent (peak -66 dBFS)" in refused(tmp_path / "floor.wav")
    soundfile.write(tmp_path / "quiet.wav", 0.005 * noise, RATE, subtype="PCM_16")
    assert read_audio(tmp_path / "quiet.wav").peak_dbfs == pytest.approx(-46, abs=0.2)


def test_channels_that_cancel_out(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.column_stack([sweep(), -sweep()]), RATE, subtype="FLOAT")
    assert "its channels cancel out; keep one" in refused(tmp_path / "a.wav")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(tmp_path: Path, value: float) -> None:
    sound = sweep()
    sound[100] = value
    soundfile.write(tmp_path / "a.wav", sound, RATE, subtype="FLOAT")
    assert "not finite" in refused(tmp_path / "a.wav")


@pytest.mark.parametrize("container", ["WAV", "RF64", "FLAC", "OGG", "MP3"])
@pytest.mark.parametrize("share", [0.6, 0.97])
def test_truncated(tmp_path: Path, container: str, share: float) -> None:
    path = tmp_path / "a.any"
    soundfile.write(path, sweep(seconds=4), RATE, format=container)
    whole = path.read_bytes()
    assert read_audio(path).seconds == pytest.approx(4, abs=0.1)
    path.write_bytes(whole[: int(share * len(whole))])
    assert "truncated" in refused(path)


def test_the_last_byte_of_a_wav_and_the_last_page_of_an_ogg(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE)
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "a.wav").write_bytes(whole[:-1])
    assert "truncated: 31999 of 32000 bytes" in refused(tmp_path / "a.wav")
    soundfile.write(tmp_path / "a.ogg", sweep(seconds=4), RATE)
    whole = (tmp_path / "a.ogg").read_bytes()
    (tmp_path / "a.ogg").write_bytes(whole[: whole.rindex(b"OggS")])
    assert "no end-of-stream page" in refused(tmp_path / "a.ogg")


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF])
def test_a_wav_header_that_was_never_finished(tmp_path: Path, size: int) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE)
    whole = bytearray((tmp_path / "a.wav").read_bytes())
    data = whole.index(b"data") + 4
    for place in (4, data):
        whole[place : place + 4] = size.to_bytes(4, "little")
    (tmp_path / "a.wav").write_bytes(whole)
    assert "never finished" in refused(tmp_path / "a.wav")


def test_damaged_in_the_middle(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.ogg", sweep(seconds=4), RATE)
    whole = bytearray((tmp_path / "a.ogg").read_bytes())
    page = whole.rindex(b"OggS")
    whole[page : page + 4] = b"oops"
    (tmp_path / "a.ogg").write_bytes(whole)
    assert f"no Ogg page at byte {page}" in refused(tmp_path / "a.ogg")


def test_twenty_minutes(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", np.zeros(20 * 60 * 8000, dtype=np.int16), 8000)
    assert f"too long: 1200 s, at most {MAX_SECONDS} s" in refused(tmp_path / "a.flac")


def test_another_hash_than_declared(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE)
    actual = read_audio(tmp_path / "a.wav").sha256
    message = refused(tmp_path / "a.wav", sha256="0" * 64)
    assert actual in message
    assert "0" * 64 in message


def test_no_length_is_promised_for_what_is_no_audio(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("text")
    assert audio_seconds(tmp_path / "a.wav") == 0

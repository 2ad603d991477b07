"""A recording that cannot be used is one line: which, what is wrong, what to do."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("tag", [b"", b"ID3\x04\0\0\0\0\0\x05title"], ids=["plain", "ID3"])
@pytest.mark.parametrize(
    ("container", "subtype"),
    [("WAV", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", "MPEG_LAYER_III")],
)
def test_a_file_that_ends_in_its_headers(tmp_path: Path, container: str, subtype: str, tag: bytes) -> None:
    soundfile.write(tmp_path / "whole", sweep(seconds=0.2), RATE, format=container, subtype=subtype)
    whole = tag + (tmp_path / "whole").read_bytes()
    for length in range(100):
        (tmp_path / "cut").write_bytes(whole[:length])
        refused(tmp_path / "cut")


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


@pytest.mark.parametrize("subtype", ["PCM_16", "FLOAT"])
def test_a_wav_header_that_counts_too_little(tmp_path: Path, subtype: str) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE, subtype=subtype)
    whole = bytearray((tmp_path / "a.wav").read_bytes())
    data = whole.index(b"data") + 4
    whole[data : data + 4] = (12_000).to_bytes(4, "little")
    for riff in (len(whole) - 8, 12_000 + data - 4):
        whole[4:8] = riff.to_bytes(4, "little")
        (tmp_path / "a.wav").write_bytes(whole)
        assert "behind the sound that its header counts are no chunk" in refused(tmp_path / "a.wav")


@pytest.mark.parametrize("behind", [b"LIST\4\0\0\0INFO", bytes(70_001), b"id3 \3\0\0\0abc"])
def test_chunks_and_zeros_behind_the_sound_of_a_wav(tmp_path: Path, behind: bytes) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE, subtype="PCM_16")
    with (tmp_path / "a.wav").open("ab") as file:
        file.write(behind)
    assert read_audio(tmp_path / "a.wav").seconds == 1


def flac_counting(path: Path, count: int) -> None:
    """Write a count of samples into a FLAC file (36 bits that begin in the middle of byte 21)."""
    data = bytearray(path.read_bytes())
    data[21:26] = (int.from_bytes(data[21:26], "big") >> 36 << 36 | count).to_bytes(5, "big")
    path.write_bytes(data)


def test_a_flac_header_that_counts_nothing_too_little_or_too_much(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, sweep(seconds=3), RATE)
    right = read_audio(path)
    flac_counting(path, 0)
    assert read_audio(path).samples_sha256 == right.samples_sha256
    assert read_audio(path).notes == ("its header gives no length: a missing end cannot be noticed",)
    assert audio_seconds(path) > 3
    flac_counting(path, RATE)
    assert read_audio(path).samples_sha256 == right.samples_sha256
    assert read_audio(path).notes == ("its header promises 1.00 of the 3.00 seconds that are there; all of it is read",)
    flac_counting(path, 4 * RATE)
    assert "truncated: 3.00 of 4.00 seconds are there" in refused(path)


def test_a_flac_file_behind_a_tag_of_another_format(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", sweep(), RATE)
    (tmp_path / "b.flac").write_bytes(b"ID3\4\0\0\0\0\0\x0a" + bytes(10) + (tmp_path / "a.flac").read_bytes())
    assert read_audio(tmp_path / "b.flac").seconds == 1
    assert audio_seconds(tmp_path / "b.flac") == 1
    (tmp_path / "b.flac").write_bytes(b"ID3\4\0\0\0\0\0\x0a" + bytes(10) + b"no sound at all" * 99)
    assert "no wav, flac, ogg, opus or mp3" in refused(tmp_path / "b.flac")


def pages(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        segments = data[at + 27 : at + 27 + data[at + 26]]
        end = at + 27 + len(segments) + sum(segments)
        found.append(data[at:end])
        at = end
    return found


@pytest.mark.parametrize("subtype", ["VORBIS", "OPUS"])
def test_an_ogg_page_that_is_missing_damaged_or_of_another_stream(tmp_path: Path, subtype: str) -> None:
    path = tmp_path / "a.ogg"
    soundfile.write(path, sweep(seconds=30), RATE, format="OGG", subtype=subtype)
    whole = path.read_bytes()
    parts = pages(whole)
    path.write_bytes(b"".join(parts[:3] + parts[4:]))
    assert "an Ogg page before byte " in refused(path)
    for place in (len(whole) // 3, len(whole) // 2, len(whole) - 9):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        assert "damaged" in refused(path)
    path.write_bytes(whole + whole)
    assert "holds 2 Ogg streams" in refused(path)


def test_a_fifo_and_a_device_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.wav")
    assert "no regular file" in refused(tmp_path / "a.wav")
    assert audio_seconds(tmp_path / "a.wav") == 0
    (tmp_path / "b.wav").symlink_to("/dev/zero")
    assert "no regular file" in refused(tmp_path / "b.wav")
    assert audio_seconds(tmp_path / "b.wav") == 0


@pytest.mark.parametrize("channels", [0, 30_000])
def test_channels_that_no_recording_has(tmp_path: Path, channels: int) -> None:
    soundfile.write(tmp_path / "a.wav", sweep(), RATE, subtype="PCM_16")
    whole = bytearray((tmp_path / "a.wav").read_bytes())
    whole[22:24] = channels.to_bytes(2, "little")
    (tmp_path / "a.wav").write_bytes(whole)
    refused(tmp_path / "a.wav")


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

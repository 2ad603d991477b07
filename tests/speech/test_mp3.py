"""MP3 files are read to their end, whatever their first frame says of their length."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_talk2agent.speech.audio import AudioError, audio_seconds, read_audio

RATES = (16_000, 44_100)
MODES = ("CONSTANT", "VARIABLE", "AVERAGE")


def speech(rate: int, seconds: float, *, loud_first: bool, channels: int = 1) -> NDArray[np.float64]:
    """Noise in one half and next to nothing in the other: a bit rate that misleads who sees the first frame only."""
    size = round(rate * seconds)
    noise = 0.2 * np.random.default_rng(7).standard_normal((size, channels))
    early = np.arange(size) < size / 2
    level: NDArray[np.float64] = noise * np.where(early == loud_first, 1.0, 0.001)[:, None]
    return level


def mp3(rate: int, mode: str, *, loud_first: bool = True, seconds: float = 6.0, channels: int = 1) -> bytes:
    file = io.BytesIO()
    soundfile.write(
        file,
        speech(rate, seconds, loud_first=loud_first, channels=channels),
        rate,
        format="MP3",
        subtype="MPEG_LAYER_III",
        compression_level=0.5,
        bitrate_mode=mode,
    )
    return file.getvalue()


def frames(data: bytes) -> list[bytes]:
    """The frames of a file that holds nothing else, told apart by the tables of ISO 11172-3 and 13818-3."""
    found, at = [], 0
    while at < len(data):
        one = data[at + 1] >> 3 & 3 == 3
        kbits = ((0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320) if one else
                 (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160))[data[at + 2] >> 4]  # fmt: skip
        rate = (44_100, 48_000, 32_000)[data[at + 2] >> 2 & 3] // (1 if one else 2)
        length = (144 if one else 72) * kbits * 1000 // rate + (data[at + 2] >> 1 & 1)
        found.append(data[at : at + length])
        at += length
    assert at == len(data)
    return found


def without_count(data: bytes) -> bytes:
    first, *others = frames(data)
    assert b"Xing" in first or b"Info" in first
    return b"".join(others)


def counting(data: bytes, count: int) -> bytes:
    """The file with another count in its first frame."""
    at = max(data.find(b"Xing"), data.find(b"Info")) + 8
    return data[:at] + count.to_bytes(4, "big") + data[at + 4 :]


def kept(folder: Path, data: bytes) -> Path:
    path = folder / "a.mp3"
    path.write_bytes(data)
    return path


def refused(path: Path) -> str:
    with pytest.raises(AudioError) as caught:
        read_audio(path)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize("loud_first", [True, False])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("channels", [1, 2])
def test_without_a_count_all_is_read(tmp_path: Path, rate: int, mode: str, loud_first: bool, channels: int) -> None:
    whole = mp3(rate, mode, loud_first=loud_first, channels=channels)
    with_count = read_audio(kept(tmp_path, whole))
    assert with_count.seconds == pytest.approx(6, abs=0.001)
    assert with_count.notes == ()
    audio = read_audio(kept(tmp_path, without_count(whole)))
    assert audio.seconds == pytest.approx(6, abs=0.15)
    assert audio.notes == ("its header gives no length: a missing end cannot be noticed",)
    assert audio_seconds(tmp_path / "a.mp3") == pytest.approx(6, abs=0.15)
    # The same sound: only what the encoder puts before it may differ.
    shift = int(np.argmax(np.correlate(audio.samples[:24_000], with_count.samples[8_000:12_000]))) - 8_000
    assert 0 <= shift < 2_000
    both = len(with_count.samples) - 4_000
    assert np.corrcoef(audio.samples[shift : shift + both], with_count.samples[:both])[0, 1] > 0.99


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lost", [1, 5, 0.5])
def test_fewer_frames_than_are_counted_is_truncated(tmp_path: Path, mode: str, lost: float) -> None:
    parts = frames(mp3(16_000, mode))
    left = len(parts) - int(lost if lost >= 1 else lost * len(parts))
    path = kept(tmp_path, b"".join(parts[:left]))
    assert f"truncated: {(left - 1) * 0.036:.2f} of {(len(parts) - 1) * 0.036:.2f} seconds are there" in refused(path)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cut", [1, 3, 50])
def test_a_last_frame_that_is_cut_is_truncated_with_and_without_a_count(tmp_path: Path, mode: str, cut: int) -> None:
    whole = mp3(16_000, mode)
    for data in (whole, without_count(whole)):
        assert "truncated: " in refused(kept(tmp_path, data[:-cut]))


def test_a_few_bytes_of_a_frame_are_a_cut_frame(tmp_path: Path) -> None:
    parts = frames(without_count(mp3(16_000, "CONSTANT")))
    for size in (1, 2, 3, 4, 5):
        assert "truncated: " in refused(kept(tmp_path, b"".join(parts[:20]) + parts[20][:size]))


@pytest.mark.parametrize("mode", MODES)
def test_cut_between_two_frames_without_a_count_is_a_note(tmp_path: Path, mode: str) -> None:
    parts = frames(without_count(mp3(16_000, mode)))
    audio = read_audio(kept(tmp_path, b"".join(parts[: len(parts) // 2])))
    assert audio.seconds == pytest.approx(3, abs=0.1)
    assert "a missing end cannot be noticed" in audio.notes[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [0, 1, 20])
def test_more_frames_than_are_counted_are_all_read_and_the_lie_is_noted(tmp_path: Path, mode: str, count: int) -> None:
    audio = read_audio(kept(tmp_path, counting(mp3(16_000, mode), count)))
    assert audio.seconds == pytest.approx(6, abs=0.15)
    assert f"promises {count * 0.036:.2f} of the 6." in audio.notes[0]
    assert audio_seconds(tmp_path / "a.mp3") == pytest.approx(6, abs=0.15)


def test_two_files_one_behind_the_other_are_both_read(tmp_path: Path) -> None:
    data = mp3(16_000, "VARIABLE")
    audio = read_audio(kept(tmp_path, data + data))
    assert audio.seconds == pytest.approx(12, abs=0.3)
    assert "all of it is read" in audio.notes[0]


def test_a_count_that_includes_its_own_frame_is_right(tmp_path: Path) -> None:
    data = mp3(16_000, "CONSTANT")
    assert read_audio(kept(tmp_path, counting(data, len(frames(data))))).seconds == pytest.approx(6, abs=0.1)
    cut = b"".join(frames(data)[:-1])
    assert "truncated" in refused(kept(tmp_path, counting(cut, len(frames(data)))))


def test_the_count_of_fraunhofers_encoder(tmp_path: Path) -> None:
    sound = frames(without_count(mp3(44_100, "CONSTANT")))
    first = bytearray(sound[0][:4] + bytes(len(sound[0]) - 4))
    first[36:40] = b"VBRI"
    for count, seconds in ((len(sound), 6.0), (20, 6.0)):
        first[50:54] = count.to_bytes(4, "big")
        audio = read_audio(kept(tmp_path, bytes(first) + b"".join(sound)))
        assert audio.seconds == pytest.approx(seconds, abs=0.15)
        assert len(audio.notes) == (count != len(sound))
    first[50:54] = (2 * len(sound)).to_bytes(4, "big")
    assert "truncated" in refused(kept(tmp_path, bytes(first) + b"".join(sound)))


def id3(size: int) -> bytes:
    return b"ID3\x04\0\0" + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + bytes(size)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (id3(3000), b""),
        (id3(20), b"TAG" + b"Title".ljust(125, b"\0")),
        (id3(20) + bytes(700), bytes(5000)),
        (b"", b"APETAGEX" + bytes(24)),
        (b"", b"TAG+" + bytes(223) + b"TAG" + bytes(125)),
        (b"", b"LYRICSBEGININD0000200LYRICS200TAG" + bytes(125)),
    ],
)
def test_tags_are_no_sound(tmp_path: Path, before: bytes, behind: bytes) -> None:
    whole = mp3(16_000, "VARIABLE")
    plain = read_audio(kept(tmp_path, without_count(whole)))
    for data, notes in ((whole, 0), (without_count(whole), 1)):
        audio = read_audio(kept(tmp_path, before + data + behind))
        assert audio.seconds == pytest.approx(plain.seconds, abs=0.1)
        assert len(audio.notes) == notes


def test_a_tag_longer_than_its_file(tmp_path: Path) -> None:
    assert "its tag is longer" in refused(kept(tmp_path, id3(3000)[:1000]))


def test_bytes_that_are_no_sound(tmp_path: Path) -> None:
    parts = frames(mp3(16_000, "CONSTANT"))
    behind = read_audio(kept(tmp_path, b"".join(parts) + b"stray bytes"))
    assert behind.notes == ("11 bytes behind its last frame are no sound",)
    middle = b"".join(parts[:40])
    message = refused(kept(tmp_path, middle + b"stray bytes" + b"".join(parts[40:])))
    assert f"damaged: no frame of sound at byte {len(middle)}" in message
    assert "damaged" in refused(kept(tmp_path, middle + b"".join(parts[40:])[17:]))


def test_free_format_is_refused(tmp_path: Path) -> None:
    assert "free format" in refused(kept(tmp_path, bytes([0xFF, 0xFB, 0x00, 0xC4]) + bytes(5000)))


def test_twenty_minutes_without_a_count(tmp_path: Path) -> None:
    frame = frames(without_count(mp3(16_000, "VARIABLE", loud_first=False)))[20]
    assert "too long: " in refused(kept(tmp_path, frame * (20 * 60 * 28)))


@given(place=st.integers(0, 5_000), value=st.binary(min_size=1, max_size=8), cut=st.integers(0, 5_000))
def test_damage_ends_in_sound_or_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: bytes, cut: int
) -> None:
    data = _short()
    path = kept(tmp_path_factory.getbasetemp(), (data[:place] + value + data[place + len(value) :])[: len(data) - cut])
    assert audio_seconds(path) >= 0
    with contextlib.suppress(AudioError):
        read_audio(path)


def _short(kept: list[bytes] = []) -> bytes:  # noqa: B006 - made once
    if not kept:
        kept.append(mp3(16_000, "VARIABLE", seconds=2.0))
    return kept[0]

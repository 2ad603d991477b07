"""How a condition of sound is written, and what stands for it in keys."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.speech.acoustics.effect import SoundError
from pytest_talk2agent.speech.acoustics.sound_condition import FAMILIES, parse_sound
from tests.conftest import write_tone


@st.composite
def entries(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(sorted(FAMILIES)))
    amount = FAMILIES[name][1]
    if amount is None:
        return name
    unit, least, most = amount
    tenths = draw(st.integers(round(least * 100), round(most * 100)))
    return f"{name}{'=noises' if name == 'noise' else ''}@{tenths / 100:g}{unit}"


@given(st.lists(entries(), min_size=1, max_size=6))
def test_what_is_written_is_read_again(parts: list[str]) -> None:
    condition = parse_sound(", ".join(parts))
    assert condition.text == ",".join(parts)
    assert parse_sound(condition.text) == condition


def test_one_condition_has_one_text() -> None:
    assert parse_sound("white@5.00dB , phone").text == parse_sound("white@5db,phone").text == "white@5dB,phone"
    assert parse_sound("seed@7,white@5dB").text == "white@5dB,seed@7"
    assert parse_sound("white@5dB,seed@0") == parse_sound("white@5dB")


def test_the_label_fits_a_node_id() -> None:
    assert parse_sound("noise=my/noises@-2.5dB,loss@5%,phone").label == "noise-my-noises--2.5dB+loss-5pct+phone"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is not understood"),
        ("babel@5dB", "did you mean 'babble'"),
        ("babble", r"write babble\[=FOLDER\]@NdB"),
        ("babble@5", r"write babble\[=FOLDER\]@NdB"),
        ("babble@5s", r"write babble\[=FOLDER\]@NdB"),
        ("white@500dB", "white takes -50 to 100 dB"),
        ("phone@5dB", "write phone, it takes nothing more"),
        ("white=here@5dB", "white takes no folder"),
        ("noise@5dB", "name the folder of the noises"),
        ("speed@3x", "speed takes 0.5 to 2 x"),
        ("white@5dB,,phone", "'' is not understood"),
        ("white@nandB", "is not understood"),
        ("white@٥dB", "is not understood"),
        ("seed@1.5,phone", "write seed@N"),
        ("seed@1", "it does nothing"),
        (",".join(["phone"] * 13), "at most 12"),
    ],
)
def test_a_wrong_text_is_refused_with_what_to_write(text: str, fault: str) -> None:
    with pytest.raises(SoundError, match=fault):
        parse_sound(text)


def test_a_folder_counts_by_what_is_in_it(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    write_tone(first / "a.wav", 300.0)
    write_tone(first / "b.wav", 500.0)
    before = parse_sound(f"noise={first}@5dB").identity()
    second = Path(shutil.copytree(first, tmp_path / "second"))
    (second / "a.wav").rename(second / "c.wav")
    assert parse_sound(f"noise={second}@5dB").identity() == before
    write_tone(second / "b.wav", 600.0)
    assert parse_sound(f"noise={second}@5dB").identity() != before


def test_a_folder_without_sound_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SoundError, match="no recording in it"):
        parse_sound(f"noise={tmp_path}@5dB").identity()
    with pytest.raises(SoundError, match="no folder of recordings"):
        parse_sound("noise=nowhere@5dB").identity()


def test_the_codecs_name_their_library_and_nothing_else_does() -> None:
    assert parse_sound("opus@12kbps").identity()["sound_codecs"].startswith("libsndfile ")
    assert parse_sound("white@5dB,phone,reverb@1s").identity() == {
        "sound": "white@5dB,phone,reverb@1s",
        "sound_version": "1",
    }


def test_babble_is_made_of_the_other_recordings_in_the_folder(tmp_path: Path) -> None:
    paths = [write_tone(tmp_path / f"{name}.wav", 200.0 + 50 * name) for name in range(9)]
    babble = parse_sound("babble@5dB")
    [source] = babble.sources(paths[0])
    assert len(set(source.paths)) == 6
    assert paths[0] not in source.paths
    assert babble.key(paths[0]) != babble.key(paths[1])
    assert parse_sound("white@5dB").key(paths[0]) == ""
    other = next(path for path in paths[1:] if path not in source.paths)
    key = babble.key(paths[0])
    other.unlink()
    assert babble.key(paths[0]) == key, "a recording that was not chosen changes nothing"
    write_tone(source.paths[0], 900.0)
    assert babble.key(paths[0]) != key


def test_a_recording_alone_has_no_babble(tmp_path: Path) -> None:
    alone = write_tone(tmp_path / "alone.wav")
    with pytest.raises(SoundError, match=r"none beside it; write babble=FOLDER@5dB"):
        parse_sound("babble@5dB").sources(alone)

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.interfaces.suspicion import suspicions, with_suspicions, words_in


@pytest.mark.parametrize(
    ("text", "seconds", "found"),
    [
        ("", 3, ["empty"]),
        (" \n", None, ["empty"]),
        ("turn the light on", 2, []),
        ("yes", 0.2, []),
        ("no no no no", 2, []),
        ("call 0 0 0 0 0 please", 4, []),
        ("you you you you you you you you", 4, ["repetition"]),
        ("open the door and " * 3 + "leave it", 8, []),
        ("Open the door and " + "open the door and " * 3, 8, ["repetition"]),
        ("move every file to the archive and then close the editor", 1, ["speaking rate"]),
        ("thank you " * 40, 3, ["repetition", "speaking rate"]),
        ("thank you " * 40, None, ["repetition"]),
        ("x" * 15 + "yz" * 2 + "q" * 90, 1, ["repetition", "speaking rate"]),
    ],
)
def test_suspicions(text: str, seconds: float | None, found: list[str]) -> None:
    assert suspicions(text, seconds) == found


@pytest.mark.parametrize(
    "text",
    [
        "N-N-N-N-",
        "turn on the N-N-N-N-N-N-N-N-N-N-",
        "ha-ha-ha-ha...",
        "well ha-ha-ha-ha-ha-ha-ha",
        "1,1,1,1,1",
        "set it to 20,20,20,20,20,20",
        "ok,ok,ok,ok,ok",
        "HaHaHaHaHaHa",
        "lalalalalalala",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "Hmmmmmmmmmmmmmmmmmmmmmmmm",
        "1212121212" * 8,
        "♪" * 40,
        ". . . . . . . . .",
        "..............................",
        "and_so_and_so_and_so_and_so_and_so",
        "a/b/a/b/a/b/a/b/",
        "谢谢观看谢谢观看谢谢观看谢谢观看",
        "哈哈哈哈哈哈哈哈",
        "ご視聴ありがとうございました。" * 4,
        "字幕by某某" * 4,
        "ขอบคุณ" * 5,
        "thank you. " * 4,
        "Thank you, thank you; thank you! Thank you?",
        "please open " + "the red door on the left side of the long grey corridor behind it " * 4,
    ],
)
def test_loops_are_found_whatever_stands_between_their_parts(text: str) -> None:
    assert "repetition" in suspicions(text, None)
    assert "repetition" in suspicions(f"open the door {text} and leave", None)


@pytest.mark.parametrize(
    "text",
    [
        "10.10.10.10",
        "route 1.1.1.1 and 8.8.8.8 through 0.0.0.0",
        "no no no",
        "no-no-no-no",
        "call 555-555-5555",
        "call 5 5 5, 5 5 5, 5 5",
        "double u double u double u dot example dot com",
        "00000000-0000-0000-0000-000000000000",
        "11111111-1111-1111-1111-111111111111",
        "0000 0000",
        "0000 0000 0000 0000",
        "4242-4242-4242-4242",
        "0:0:0:0:0:0:0:1",
        "ff:ff:ff:ff:ff:ff",
        "00-00-00-00-00-00",
        "1,000,000,000,000",
        "0" * 40,
        "0x" + "f" * 16,
        "#ffffffff",
        "0101010101010101",
        "2024-12-12T12:12:12",
        "knock knock, who's there",
        "don't don't don't don't",
        "नहीं नहीं नहीं नहीं",
        "谢谢谢谢",
        "../../../../../../srv/data",
        "mississippi",
        "A B A B A B",
        "hahaha very funny",
        "row row row your boat",
    ],
)
def test_what_people_really_say_is_no_loop(text: str) -> None:
    assert suspicions(text, None) == []
    assert suspicions(f"Set it to {text} and restart the server.", 30) == []


def test_scripts_without_blanks_are_counted_by_their_letters() -> None:
    assert words_in("open the door") == 3
    assert words_in("打开客厅的灯") == 3
    assert suspicions("请把会议移到星期五下午三点然后通知所有人", 5) == []
    assert suspicions("请把会议移到星期五下午三点然后通知所有人" * 3, 2) == ["speaking rate"]


@given(
    st.text() | st.text(alphabet="ab-,. 1哈") | st.lists(st.sampled_from(["no", "a-", "1,", "哈", " "])).map("".join),
    st.none() | st.floats(),
)
def test_every_text_can_be_judged(text: str, seconds: float | None) -> None:
    assert set(suspicions(text, seconds)) <= {"empty", "repetition", "speaking rate"}


@given(st.text(alphabet="abcdefg xyz", min_size=1, max_size=12).filter(str.strip), st.integers(8, 30))
def test_whatever_stands_eight_times_in_a_row_is_a_loop(phrase: str, times: int) -> None:
    assert "repetition" in suspicions(" ".join([phrase] * times), None)


@pytest.mark.parametrize("alphabet", ["a", "ab", "a-", "1,", "谢天地", "a-b,", "0f", "ab cde ", "\U0001f600x"])
def test_long_texts_are_judged_too(alphabet: str) -> None:
    random.seed(3)
    text = "".join(random.choices(alphabet, k=100_000))
    assert "speaking rate" in suspicions(text, 60.0)


@pytest.mark.parametrize(
    ("own", "marks"),
    [
        ({}, ["repetition"]),
        ({"suspect": ["gap", "repetition"]}, ["gap", "repetition"]),
        ({"suspect": None}, ["repetition"]),
        ({"suspect": "gap"}, ["repetition"]),
        ({"suspect": [1, "gap"]}, ["gap", "repetition"]),
    ],
)
def test_the_marks_of_an_interface_stay_beside_ours(own: dict[str, Any], marks: list[str]) -> None:
    detail = with_suspicions({**own, "language": "en"}, "no " * 20, None)
    assert detail == {"suspect": marks, "language": "en"}

"""What was said beside what was heard."""

from __future__ import annotations

import pytest

from pytest_talk2agent.reporting.losses import aligned, wrapped


@pytest.mark.parametrize(
    ("said", "heard", "left", "right"),
    [
        ("set the port", "set the port", "set the port", "set the port"),
        ("Set the port.", "set, the PORT", "Set the port.", "set, the PORT"),
        ("port to 8080 now", "port to 8081 now", "port to [8080] now", "port to [8081] now"),
        ("restart nginx now", "restart engine x now", "restart [nginx] now", "restart [engine x] now"),
        ("a b c", "a c", "a [b] c", "a c"),
        ("a c", "a b c", "a c", "a [b] c"),
        ("a b", "", "[a b]", ""),
        ("", "a b", "", "[a b]"),
        ("", "", "", ""),
    ],
)
def test_every_stretch_that_differs_stands_in_brackets(said: str, heard: str, left: str, right: str) -> None:
    assert aligned(said, heard) == (left, right)


def test_deletions_on_both_sides_of_a_match_are_shown_where_they_are() -> None:
    # case C08: only words 5 and 6 of 21 were heard
    words = [f"w{number}" for number in range(21)]
    left, right = aligned(" ".join(words), "w5 w6")
    assert left == f"[{' '.join(words[:5])}] w5 w6 [{' '.join(words[7:])}]"
    assert right == "w5 w6"


def test_no_word_is_lost_and_none_is_new() -> None:
    said, heard = "move every pdf to the the archive", "the move pdf every archive the"
    left, right = (text.replace("[", "").replace("]", "") for text in aligned(said, heard))
    assert (left, right) == (said, heard)


def test_a_paragraph_hangs_from_its_label() -> None:
    lines = wrapped("said", "word " * 40, width=60)
    assert lines[0].startswith("said  word word")
    assert all(line.startswith("      word") for line in lines[1:])
    assert max(map(len, lines)) <= 60


def test_a_paragraph_without_words_says_so() -> None:
    assert wrapped("heard", " \n") == ["heard  (nothing)"]

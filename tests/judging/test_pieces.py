"""Letters and digits that are spelled one by one."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.pieces import letters_at
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("K-A-I-J-A", "kaija"),
        ("k a i j a", "kaija"),
        ("B as in boy, D as in dog, 7", "bd7"),
        ("X-ray yankee", "xy"),
        ("x ray yankee", "xy"),
        ("mic oscar", "mo"),
        ("R for Roger M for Mary", "rm"),
        ("nine triple zero double four", "900044"),
        ("double u k", "wk"),
        ("L L double L", "llll"),
        ("kaija", None),
        ("a", None),
    ],
)
def test_letters(text: str, letters: str | None) -> None:
    found = letters_at(tokenise(text), 0)
    assert (found[0] if found else None) == letters


def test_a_word_that_merely_follows_for_is_no_example() -> None:
    found = letters_at(tokenise("s h for half past two"), 0)
    assert found == ("sh", 2)

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.speech.fractions import fraction_at
from pytest_talk2agent.speech.numerals import ordinal_at
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/4", "3/4"), ("¾", "3/4"), ("three quarters", "3/4"), ("three-quarters", "3/4"), ("a third", "1/3"),
        ("one half", "1/2"), ("half", "1/2"), ("1½", "3/2"), ("1 1/2", "3/2"), ("1-1/2", "3/2"),
        ("one and a half", "3/2"),
        ("2 and 3/4", "11/4"), ("five eighths", "5/8"), ("three over four", "3/4"), ("a fifth", "1/5"),
    ],
)  # fmt: skip
def test_a_fraction(text: str, value: str) -> None:
    stream = tokenise(text)
    assert fraction_at(stream, 0) == (Fraction(value), len(stream))


@pytest.mark.parametrize(
    "text",
    [
        "half a dozen",
        "two seconds",
        "4/10/2027",
        "3",
        "a second",
        "third",
        "three fifth",
        "1/0",
        "twenty first",
        "3 / 4",
    ],
)
def test_no_fraction(text: str) -> None:
    assert fraction_at(tokenise(text), 0) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("21st", 21), ("twenty first", 21), ("one hundred and fifth", 105), ("two hundred twenty ninth", 229),
        ("1,000th", 1000), ("one thousandth", 1000), ("three hundredth", 300), ("zeroth", 0), ("fortieth", 40),
    ],
)  # fmt: skip
def test_an_ordinal(text: str, value: int) -> None:
    stream = tokenise(text)
    assert ordinal_at(stream, 0) == (value, len(stream))


def test_a_fraction_is_no_ordinal() -> None:
    assert ordinal_at(tokenise("one fifth"), 0) is None

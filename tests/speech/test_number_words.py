"""Numbers in words."""

from __future__ import annotations

from fractions import Fraction

from pytest_talk2agent.speech.number_words import cardinal, number_forms, ordinal


def test_words_for_numbers() -> None:
    assert cardinal(1_002_013) == "one million two thousand thirteen"
    assert cardinal(305, joiner=" and ") == "three hundred and five"
    assert [ordinal(n) for n in (1, 12, 21, 100, 342, 2000)] == [
        "first", "twelfth", "twenty first", "hundredth", "three hundred forty second", "two thousandth",
    ]  # fmt: skip
    assert "minus two point five" in set(number_forms(Fraction(-5, 2)))

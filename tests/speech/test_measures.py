from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.speech.measures import clock_durations, letter_at, measures
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.speech.unit_names import unit_names


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("20mm", "1/50", "meter"),
        ("twenty millimetres", "1/50", "meter"),
        ("35 m m", "7/200", "meter"),
        ("ninety five percent", "95", "percent"),
        ("an hour and a half", "5400", "second"),
        ("half an hour", "1800", "second"),
        ("three quarters of an hour", "2700", "second"),
        ("2 hours and 15 minutes", "8100", "second"),
        ("forty seven minutes five", "2825", "second"),
        ("half a year", "6", "month"),
        ("two weeks", "1209600", "second"),
        ("minus eighteen degrees celsius", "-18", "celsius"),
        ("150 dots per inch", "150", "dot-per-inch"),
        ("2 GiB", "2147483648", "byte"),
        ("2 Mb", "2000000", "bit"),
        ("1½ cups", "3/2", "cup"),
        ("a quarter kilo", "250", "gram"),
        ("5 ft 11 in", "71", "inch"),
        ("5'11\"", "71", "inch"),
        ("30 m²", "30", "square-meter"),
        ("30 m2", "30", "square-meter"),
        ("40 cu. ft.", "40", "cubic-foot"),
        ("3 sq in", "3", "square-inch"),
        ("800 kilowatt hours", "800", "kilowatt-hour"),
        ("5 mi", "5", "mile"),
    ],
)
def test_measure(text: str, value: str, unit: str) -> None:
    stream = tokenise(text)
    (found,) = measures(stream, 0, len(stream))
    assert found.unit is not None
    factors = found.unit.factors(unit_names().named(unit))
    assert Fraction(value) in {each * factor for each in found.values for factor in factors}
    assert found.end >= len(stream) - (stream.norms[-1] == ".")


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("$2,480.75", "2480.75", "USD"),
        ("two thousand four hundred eighty dollars and seventy five cents", "2480.75", "USD"),
        ("EUR 340", "340", "EUR"),
        ("-€3.50", "-3.5", "EUR"),
        ("twelve pounds fifty", "12.5", "GBP"),
        ("US$ 40", "40", "USD"),
        ("Rs 250", "250", "INR"),
        ("half a million yen", "500000", "JPY"),
        ("$.50", "0.5", "USD"),
    ],
)
def test_money(text: str, value: str, code: str) -> None:
    stream = tokenise(text)
    (found,) = measures(stream, 0, len(stream))
    assert found.unit is not None
    assert any(code in sense.codes for sense in found.unit.senses)
    assert found.values == {Fraction(value)}
    assert found.end == len(stream)


def test_nouns_follow_the_number_up_to_a_pause() -> None:
    stream = tokenise("2, two seats")
    assert [measure.nouns for measure in measures(stream, 0, len(stream))] == [(), ("seat",)]


def test_durations_by_the_clock() -> None:
    stream = tokenise("3:20")
    (found,) = clock_durations(stream, 0, len(stream))
    assert found.values == {Fraction(200), Fraction(12000)}
    stream = tokenise("1:03:20")
    (found,) = clock_durations(stream, 0, len(stream))
    assert found.values == {Fraction(3800)}


@pytest.mark.parametrize(
    ("text", "factor", "end"),
    [
        ("10K", 1000, 2),
        ("10 K rows", 1000, 2),
        ("2m", 10**6, 2),
        ("5bn", 10**9, 2),
        ("10 k", None, None),
        ("10", None, None),
    ],
)
def test_scale_letters_are_glued_or_capitals(text: str, factor: int | None, end: int | None) -> None:
    found = letter_at(tokenise(text), 1)
    assert found == (None if factor is None else (factor, end))

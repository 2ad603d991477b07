from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.speech.measures import clock_durations, measures
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("20mm", "1/50", "length"),
        ("twenty millimetres", "1/50", "length"),
        ("35 m m", "7/200", "length"),
        ("$2,480.75", "2480.75", "$"),
        ("two thousand four hundred eighty dollars and seventy five cents", "2480.75", "$"),
        ("EUR 340", "340", "€"),
        ("ninety five percent", "95", "percent"),
        ("an hour and a half", "5400", "time"),
        ("half an hour", "1800", "time"),
        ("three quarters of an hour", "2700", "time"),
        ("2 hours and 15 minutes", "8100", "time"),
        ("forty seven minutes five", "2825", "time"),
        ("half a year", "6", "month"),
        ("two weeks", "1209600", "time"),
        ("minus eighteen degrees celsius", "-18", "celsius"),
        ("150 dots per inch", "150", "density"),
        ("2 GiB", "2147483648", "byte"),
        ("2 Mb", "2000000", "bit"),
    ],
)
def test_measure(text: str, value: str, dimension: str) -> None:
    stream = tokenise(text)
    (found,) = measures(stream, 0, len(stream))
    assert found.unit is not None
    assert found.unit.dimension == dimension
    assert {each * found.unit.size for each in found.values} == {Fraction(value)}
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

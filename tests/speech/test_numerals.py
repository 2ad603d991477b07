from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.speech.measures import measures
from pytest_talk2agent.speech.numerals import is_numeric, numeral_at, ordinal_at
from pytest_talk2agent.speech.tokens import tokenise
from tests.speech.words import cardinal, digit_by_digit, in_pairs


def _values(text: str) -> set[Fraction]:
    numeral = numeral_at(tokenise(text), 0)
    return set() if numeral is None else set(numeral.values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("thirty six", {36}),
        ("thirty-six", {36}),
        ("one seventy nine", {179}),
        ("one hundred and sixty six", {166}),
        ("one seven oh nine", {1709}),
        ("two thousand four hundred eighty", {2480}),
        ("fifteen hundred", {1500}),
        ("eighty eighty", {8080}),
        ("double oh seven", {7}),
        ("twenty twenty six", {2026}),
        ("200 5", {205, 2005}),
        ("20 5", {25, 205}),
        ("33 07", {3307}),
        ("2,480", {2480}),
        ("1 million", {1_000_000}),
        ("minus five", {-5}),
        ("-5", {-5}),
        ("a hundred", {100}),
        ("eighty, four", {80}),
        ("word", set()),
    ],
)
def test_values(text: str, values: set[int]) -> None:
    assert _values(text) == {Fraction(value) for value in values}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two three oh nine point four one six", "2309.416"),
        ("2309.416", "2309.416"),
        ("three point eleven", "3.11"),
        ("point five", "0.5"),
        ("1.5 million", "1500000"),
    ],
)
def test_decimals(text: str, value: str) -> None:
    assert _values(text) == {Fraction(value)}


@given(st.integers(0, 999_999_999))
def test_every_way_of_saying_a_number_reads_as_it(number: int) -> None:
    for spoken in (str(number), f"{number:,}", cardinal(number), digit_by_digit(number), in_pairs(number)):
        assert number in _values(spoken), spoken


@given(st.integers(0, 999_999_999))
def test_a_cardinal_has_one_reading(number: int) -> None:
    assert _values(cardinal(number)) == {number}
    assert _values(str(number)) == {number}


@pytest.mark.parametrize(("text", "value"), [("21st", 21), ("twenty first", 21), ("third", 3), ("thirtieth", 30)])
def test_ordinals(text: str, value: int) -> None:
    found = ordinal_at(tokenise(text), 0)
    assert found is not None
    assert found[0] == value


@pytest.mark.parametrize("text", ["set it, point", "it is, point five", "go on. point", "so, point one two, point"])
def test_a_pause_before_point_is_no_endless_search(text: str) -> None:
    stream = tokenise(text)
    assert all(measure.end > measure.start for measure in measures(stream, 0, len(stream)))


def test_numeric_words() -> None:
    assert all(is_numeric(word) for word in ("7", "seven", "hundred", "third", "twentieth"))
    assert not any(is_numeric(word) for word in ("to", "heaven", ""))

from __future__ import annotations

import pytest

from pytest_talk2agent.speech.dates import Day, dates
from pytest_talk2agent.speech.times import times
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2027-10-04", {Day(2027, 10, 4)}),
        ("4 October 2027", {Day(2027, 10, 4)}),
        ("October 4th, 2027", {Day(2027, 10, 4)}),
        ("the fourth of october twenty twenty seven", {Day(2027, 10, 4)}),
        ("march thirty first two thousand and five", {Day(2005, 3, 31)}),
        ("4/10/2027", {Day(2027, 4, 10), Day(2027, 10, 4)}),
        ("19/7/2027", {Day(2027, 7, 19)}),
        ("June 3rd", {Day(None, 6, 3)}),
        ("monday the third of june", {Day(None, 6, 3)}),
        ("next Friday", {Day(None, None, None, "next friday")}),
        ("the twentieth", {Day(None, None, 20)}),
    ],
)
def test_dates(text: str, days: set[Day]) -> None:
    stream = tokenise(text)
    (found,) = dates(stream, 0, len(stream))
    assert found.days == days
    assert found.end == len(stream)


def test_a_day_shares_the_month_of_the_end_of_its_range() -> None:
    stream = tokenise("from the ninth to the thirtieth of september 2027")
    found = dates(stream, 0, len(stream))
    assert [each.days for each in found] == [{Day(2027, 9, 9)}, {Day(2027, 9, 30)}]


def test_prose_is_no_date() -> None:
    stream = tokenise("you may go there in a second and see")
    assert dates(stream, 0, len(stream)) == ()


@pytest.mark.parametrize(
    ("text", "minutes", "marked"),
    [
        ("10:00 AM", {600}, True),
        ("ten a.m.", {600}, True),
        ("ten", {600, 1320}, False),
        ("ten o'clock", {600, 1320}, False),
        ("17:45", {1065}, True),
        ("half past two", {150, 870}, False),
        ("quarter to six in the evening", {1065}, True),
        ("quarter past twelve", {15, 735}, False),
        ("twenty to one", {40, 760}, False),
        ("noon", {720}, True),
        ("midnight", {0}, True),
        ("eleven at night", {1380}, True),
        ("two at night", {120}, True),
        ("fourteen hundred", {840}, True),
        ("oh six thirty", {390, 1110}, False),
    ],
)
def test_times(text: str, minutes: set[int], marked: bool) -> None:
    stream = tokenise(text)
    found = times(stream, 0, len(stream))[0]
    assert set(found.minutes) == minutes
    assert found.marked == marked


def test_a_range_shares_its_half_day() -> None:
    stream = tokenise("from 7 to 10 pm")
    assert [found.minutes for found in times(stream, 0, len(stream))] == [{1140}, {1320}]


def test_a_broken_clock_is_no_time() -> None:
    stream = tokenise("22:070")
    assert all(22 * 60 not in found.minutes for found in times(stream, 0, len(stream)))

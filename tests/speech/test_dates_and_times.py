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
        ("Jan. 15, 2027", {Day(2027, 1, 15)}),
        ("Sept. 3rd", {Day(None, 9, 3)}),
        ("June. 3rd", {Day(None, 6, 3)}),
        ("2026 June 9", {Day(2026, 6, 9)}),
        ("the 9th of June '26", {Day(2026, 6, 9)}),
        ("9-Jun-2026", {Day(2026, 6, 9)}),
        ("9 June 26", {Day(2026, 6, 9)}),
        ("20260609", {Day(2026, 6, 9)}),
        ("march sixteen sixty five", {Day(1665, 3, None)}),
        ("march sixteen twenty twenty seven", {Day(2027, 3, 16)}),
        ("may nineteen oh five", {Day(1905, 5, None)}),
        ("the nineteen eighties", {Day(None, None, None, "decade 1980")}),
        ("the 1980s", {Day(None, None, None, "decade 1980")}),
        ("750 BC", {Day(None, None, None, "750 before christ")}),
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
        ("twelve hundred hours", {720}, True),
        ("0600 hours", {360}, True),
        ("zero six hundred hours", {360}, True),
        ("six, 20 PM", {1100}, True),
        ("6-20 p.m.", {1100}, True),
        ("6.20pm", {1100}, True),
        ("18:20:15", {1100}, True),
        ("one minute to one am", {59}, True),
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


@pytest.mark.parametrize(
    ("text", "weekday"),
    [
        ("Friday, March 12th, 2027", 4),
        ("12 March 2027 (Friday)", 4),
        ("March 12th, a Thursday", 3),
        ("12 March 2027", None),
    ],
)
def test_the_day_of_the_week_stands_beside_a_date(text: str, weekday: int | None) -> None:
    stream = tokenise(text)
    (found,) = dates(stream, 0, len(stream))
    assert found.weekday == weekday


@pytest.mark.parametrize(
    ("text", "zone"), [("6 PM EST", "EST"), ("eight a m p s t", "PST"), ("two at night", ""), ("noon", "")]
)
def test_time_zones(text: str, zone: str) -> None:
    stream = tokenise(text)
    assert times(stream, 0, len(stream))[0].zone == zone


def test_the_full_stop_of_a_sentence_is_none_of_an_abbreviation() -> None:
    stream = tokenise("Move it to March. 15 rows are left.")
    assert [found.days for found in dates(stream, 0, len(stream))] == [{Day(None, 3, None)}]

from __future__ import annotations

import pytest

from pytest_talk2agent.speech.days import day_name, may_name_day, month_names, relative_at, shifted, weekday_names
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ("tomorrow", "today+1"),
        ("the day after tomorrow;in two days;two days from now;two days from today", "today+2"),
        ("the day before yesterday;two days ago", "today-2"),
        ("a week from tomorrow;tomorrow week", "today+8"),
        ("in a week;a week from today;seven days from now", "today+7"),
        ("in two weeks;in a fortnight;a fortnight from now", "today+14"),
        ("Monday week;a week from Monday;a week on Monday", "monday+7"),
        ("the Monday after next", "monday after next"),
        ("next Friday", "next friday"),
        ("this coming Friday;this Friday;the coming Friday", "this friday"),
        ("every Monday;every Mon", "every monday"),
        ("the week after next", "week after next"),
        ("Monday of next week;Monday next week;next week on Monday", "monday of next week"),
        ("the first Monday in May", "1 monday of month 5"),
        ("the last Friday of the month", "last friday of this month"),
        ("the end of June", "end of month 6"),
        ("a month from now;in a month", "today+1 month"),
        ("the day after Monday", "monday+1"),
        ("every other Monday;every second Monday", "every other monday"),
        ("the fifteenth of next month;the 15th of next month", "15 of next month"),
        ("two Fridays from now;2 Fridays from today", "2 friday from now"),
        ("the week before last", "week before last"),
        ("the second half of June", "2 half of month 6"),
        ("the next day;the following day", "next day"),
    ],
)
def test_one_name_for_all_ways_to_say_it(texts: str, name: str) -> None:
    for text in texts.split(";"):
        stream = tokenise(text)
        assert relative_at(stream, 0) == (name, len(stream)), text
        assert may_name_day(stream.norms[0]) or stream.norms[0] in ("a", "two", "2", "seven")


@pytest.mark.parametrize(
    "text", ["the sun", "in the box", "day", "a week", "two weeks", "next door", "every row", "may"]
)
def test_what_names_no_day(text: str) -> None:
    assert relative_at(tokenise(text), 0) is None


def test_shifts_add_up() -> None:
    assert shifted(shifted("today", 3), -3) == "today"
    assert shifted("monday+7", -14) == "monday-7"
    assert shifted("month-end", 1) == "month-end+1"


def test_names_come_from_cldr() -> None:
    assert month_names()["september"] == month_names()["sep"] == month_names()["sept"] == 9
    assert weekday_names()["thurs"] == weekday_names()["thursday"] == 3
    assert "sun" not in weekday_names()
    assert day_name(6) == "sunday"

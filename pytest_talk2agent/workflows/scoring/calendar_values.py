"""Dates and times that an agent writes into a field: what a text says, and whether two texts say the same.

Unlike the published key this knows weekdays from one another, asks for a time where gold has one, reads ``Sept``,
ordinals, number words and two-digit years, and takes a text without a date for what it is: none.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from pytest_talk2agent.speech.dates import DateReading, Day, dates
from pytest_talk2agent.speech.days import day_name
from pytest_talk2agent.speech.times import TimeReading, times
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.workflows.scoring.grade import Truth, plain

_FILLERS = frozenset(
    (
        *("on", "at", "by", "the", "of", "in", "from", "for", "is", "it", "due", "date", "time", "around", "about"),
        *("t", "z", "utc", ",", ".", ";", ":", "(", ")"),
    )
)
_SHORT_YEAR = 100


@dataclass(frozen=True)
class Moment:
    """One day as far as it is said, and the times beside it.

    ``short`` says that the year has two digits; ``minutes`` are all minutes of the day that the text can mean, empty
    where it has no time; ``marked`` that the half of the day is settled.
    """

    day: Day | None
    short: bool = False
    weekday: str = ""
    minutes: frozenset[int] = frozenset()
    marked: bool = True
    zone: str = ""


@dataclass(frozen=True)
class Calendar:
    """What a text says of dates and times; ``whole`` where nothing else of weight stands in it."""

    moments: tuple[Moment, ...]
    whole: bool


def read_calendar(value: object) -> Calendar:
    """Read a value; month before day where digits leave it open, as the published scoring has it."""
    stream = tokenise(plain(value))
    found = dates(stream, 0, len(stream))
    spans = [(date.start, date.end) for date in found]
    gaps = list(zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), len(stream)], strict=True))
    clock = [time for low, high in gaps for time in times(stream, low, high)]
    covered = {
        index for start, end in [*spans, *((one.start, one.end) for one in clock)] for index in range(start, end)
    }
    whole = all(index in covered or norm in _FILLERS for index, norm in enumerate(stream.norms))
    days = [_of_date(stream, date) for date in found]
    if len(days) <= 1 and len(clock) == 1:
        days = [_with_time(days[0] if days else Moment(None), clock[0])]
        clock = []
    elif len(days) == len(clock):
        days = [_with_time(day, time) for day, time in zip(days, clock, strict=True)]
        clock = []
    return Calendar((*days, *(_with_time(Moment(None), time) for time in clock)), whole)


def _of_date(stream: Stream, date: DateReading) -> Moment:
    first = stream[date.start].text
    days = sorted(date.days, key=lambda day: (day.month != _number(first), day.year or 0))
    short = date.numeric and len(stream[date.end - 1].text) == 2
    weekday = "" if date.weekday is None else day_name(date.weekday)
    return Moment(days[0], short=short, weekday=weekday.lower())


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _with_time(moment: Moment, time: TimeReading) -> Moment:
    return Moment(moment.day, moment.short, moment.weekday, time.minutes, time.marked, time.zone)


def same_date(pred: object, gold: object) -> Truth:
    """Whether a value says the day and time that are expected; None where a rule cannot tell.

    More than was asked for is no fault: a time beside the day, a year beside month and day, the date of a weekday. What
    gold says and the value does not is one.
    """
    if plain(pred).casefold() == plain(gold).casefold():
        return True
    found, wanted = read_calendar(pred), read_calendar(gold)
    if not wanted.moments or not wanted.whole:
        return None  # gold is no plain date: no rule for it
    if not found.moments:
        return False
    if len(found.moments) != len(wanted.moments):
        return False if found.whole else None
    verdicts = [_same(one, other) for one, other in zip(found.moments, wanted.moments, strict=True)]
    if False in verdicts:
        return False
    return None if None in verdicts or not found.whole else True


def _same(found: Moment, wanted: Moment) -> Truth:
    day = _same_day(found, wanted)
    if day is not True or not wanted.minutes:
        return day
    if not found.minutes or not found.minutes & wanted.minutes:
        return False
    if found.zone and wanted.zone and found.zone != wanted.zone:
        return None
    return True if found.minutes == wanted.minutes or (found.marked and wanted.marked) else None


def _same_day(found: Moment, wanted: Moment) -> Truth:
    if wanted.day is None:
        return True
    if found.day is None:
        return False
    if wanted.day.named:
        return _same_named(found, wanted.day.named)
    if found.day.named:
        return False if _weekday_of(wanted.day) not in (None, found.day.named.split()[-1]) else None
    short = found.short or wanted.short
    for name, asked, said in (
        ("year", wanted.day.year, found.day.year),
        ("month", wanted.day.month, found.day.month),
        ("day", wanted.day.day, found.day.day),
    ):
        if asked is None:
            continue
        if said is None or (asked % _SHORT_YEAR != said % _SHORT_YEAR if name == "year" and short else asked != said):
            return False
    return None if _contradicts(found) else True


def _same_named(found: Moment, named: str) -> Truth:
    """Gold names a day (`friday`, `next friday`, `tomorrow`); a date can only be held against a plain weekday."""
    assert found.day is not None
    if found.day.named == named:
        return True
    weekday = found.day.named or found.weekday or _weekday_of(found.day)
    if not weekday:
        return None
    same = weekday.split()[-1] == named.split()[-1]
    return (True if " " not in named and not found.day.named else None) if same else False


def _weekday_of(day: Day) -> str | None:
    if day.year is None or day.month is None or day.day is None:
        return None
    try:
        return day_name(datetime.date(day.year, day.month, day.day).weekday()).lower()
    except ValueError:
        return None


def _contradicts(found: Moment) -> bool:
    """A weekday beside the date that is not that of the date."""
    own = _weekday_of(found.day) if found.day is not None and not found.short else None
    return bool(found.weekday and own and found.weekday != own)

"""Dates and times: the same day, the same minute, in any order or notation."""

from __future__ import annotations

from functools import lru_cache

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.speech.dates import DateReading, Day, dates, year_at
from pytest_talk2agent.speech.measures import unit_at
from pytest_talk2agent.speech.times import TimeReading, times
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.units import CURRENCIES, CURRENCY_CODES, CURRENCY_SIGNS, UNITS_BY_NAME


@lru_cache(maxsize=1024)
def reference_days(value: str) -> frozenset[Day]:
    """The day that an intention asks for; empty where the value is no date."""
    stream = tokenise(value)
    found = dates(stream, 0, len(stream))
    return found[0].days if found else frozenset()


@lru_cache(maxsize=1024)
def reference_minute(value: str) -> int | None:
    """The minute of the day that an intention asks for; None where the value is no time."""
    stream = tokenise(value)
    found = times(stream, 0, len(stream))
    return _as_written(found[0]) if found else None


def _as_written(found: TimeReading) -> int:
    """The minute that the hour and minute name as a 24-hour time: twelve is noon, one to eleven are the morning."""
    return max(found.minutes) if min(found.minutes) < 60 else min(found.minutes)


def read_date(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of all dates between two tokens."""
    wanted = reference_days(value)
    if not wanted:
        return []
    stream = scene.stream
    readings = []
    for found in dates(stream, low, high):
        days = _ordered(stream, found) if found.numeric else found.days
        label, reason = _compare_days(stream, found, days, next(iter(wanted)))
        readings.append(Reading(found.start, found.end, label, reason))
    return readings


def _ordered(stream: Stream, found: DateReading) -> frozenset[Day]:
    """One clear numeric date of the transcript settles the order of the others."""
    if len(found.days) == 1:
        return found.days
    orders = set()
    for other in dates(stream, 0, len(stream)):
        if other.numeric and len(other.days) == 1:
            day = next(iter(other.days))
            if day.day != day.month:
                orders.add(str(day.day) == stream.norms[other.start].lstrip("0"))
    if len(orders) != 1:
        return found.days
    day_first = orders == {True}
    first = int(stream.norms[found.start])
    return frozenset(day for day in found.days if (day.day == first) == day_first)


def _compare_days(stream: Stream, found: DateReading, days: frozenset[Day], wanted: Day) -> tuple[Label, str]:
    if wanted.named or any(day.named for day in days):
        return _compare_names(days, wanted)
    fitting = {day for day in days if day.month == wanted.month and day.day == wanted.day}
    if not fitting:
        partial = {
            day for day in days if day.month in (None, wanted.month) and day.day in (None, wanted.day)
        }  # fmt: skip
        if partial:
            return Label.UNRESOLVED, "a part of the date was not said"
        return Label.CHANGED, "another day"
    if wanted.year is not None:
        years = {day.year for day in fitting}
        if years == {None}:
            years = _only_year(stream, found)
            if not years:
                return Label.UNRESOLVED, "the year was not said"
        if wanted.year not in years:
            return Label.CHANGED, "another year"
        if len(years) > 1:
            return Label.UNRESOLVED, "the year may be read in more than one way"
    if len(days) > len(fitting):
        return Label.UNRESOLVED, "day and month may be the other way round"
    return Label.RETAINED, "the same day"


def _compare_names(days: frozenset[Day], wanted: Day) -> tuple[Label, str]:
    if wanted in days:
        return Label.RETAINED, "the same day"
    if any(day.named and wanted.named and day.named.split()[-1] == wanted.named.split()[-1] for day in days):
        bare = any(" " not in day.named for day in days)
        return (Label.UNRESOLVED if bare else Label.CHANGED), "which of these days was not said"
    return Label.CHANGED, "another day"


def _only_year(stream: Stream, found: DateReading) -> set[int | None]:
    """The one year that the transcript gives for its dates."""
    years: set[int | None] = set()
    for other in dates(stream, 0, len(stream)):
        if other.start != found.start:
            years |= {day.year for day in other.days if day.year is not None}
    for index, word in enumerate(stream.norms):
        if word in ("in", "of", "year") and (year := year_at(stream, index + 1)):
            years |= year[0]
    return years if len(years) == 1 else set()


def read_time(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of all times between two tokens."""
    wanted = reference_minute(value)
    if wanted is None:
        return []
    readings = []
    for found in _times(scene.stream, low, high):
        label, reason = _compare_times(scene, found, wanted, value)
        readings.append(Reading(found.start, found.end, label, reason))
    return readings


def _times(stream: Stream, low: int, high: int) -> list[TimeReading]:
    """The times between two tokens; `ten to ten` stays whole where the border falls inside it."""
    across = [
        one
        for one in times(stream, 0, len(stream))
        if one.relative and one.start < high and one.end > low and not low <= one.start < one.end <= high
    ]
    inside = [one for one in times(stream, low, high) if all(one.end <= o.start or one.start >= o.end for o in across)]
    return sorted([*across, *inside], key=lambda one: one.start)


def _compare_times(scene: Scene, found: TimeReading, minute: int, value: str) -> tuple[Label, str]:
    if minute not in found.minutes:
        return Label.CHANGED, "another time"
    if _is_amount(scene.stream, found):
        return Label.CHANGED, "an amount stands there, not a time"
    if len(found.minutes) == 1:
        return Label.RETAINED, "the same time"
    start, end = scene.stream.span(found.start, found.end)
    if minute == _as_written(found) and (scene.stream.text[start:end] == value or not _script_marks(scene)):
        return Label.RETAINED, "the same time, as it is written"
    return Label.UNRESOLVED, "morning or afternoon was not said"


def _is_amount(stream: Stream, found: TimeReading) -> bool:
    """A currency or a percentage is printed or said beside the number: `$730`, `730 euros`."""
    if found.start and stream.norms[found.start - 1] in CURRENCY_SIGNS | CURRENCY_CODES:
        return True
    unit = unit_at(stream, found.end)
    return unit is not None and (unit[0].dimension in CURRENCIES or unit[0] == UNITS_BY_NAME["%"])


def _script_marks(scene: Scene) -> bool:
    """The speaker said the half day at this place."""
    if scene.script is None or scene.slot is None:
        return False
    said = times(scene.script, scene.slot[0], scene.slot[1])
    return any(reading.marked for reading in said)

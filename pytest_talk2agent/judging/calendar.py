"""Dates and times: the same day, the same minute, in any order or notation."""

from __future__ import annotations

import datetime
from functools import lru_cache

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.speech.currencies import is_code, is_sign
from pytest_talk2agent.speech.dates import DateReading, Day, date_at, dates, year_at
from pytest_talk2agent.speech.days import day_name
from pytest_talk2agent.speech.times import TimeReading, times
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.unit_names import unit_names
from pytest_talk2agent.speech.unit_phrases import unit_at

# Words that make a limit of the day or time behind them.
_LIMITS = {
    "before": "before",
    "after": "after",
    "by": "by",
    "until": "until",
    "till": "until",
    "til": "until",
    "since": "since",
}


@lru_cache(maxsize=1024)
def reference_date(value: str) -> DateReading | None:
    """The date that an intention asks for; None where the value is no date."""
    stream = tokenise(value)
    found = dates(stream, 0, len(stream)) or dates(stream, 0, len(stream), years=True)
    return found[0] if found else None


def reference_days(value: str) -> frozenset[Day]:
    """The day that an intention asks for; empty where the value is no date."""
    found = reference_date(value)
    return found.days if found is not None else frozenset()


def _limit(stream: Stream, index: int) -> str:
    return _LIMITS.get(stream.norms[index - 1], "") if index else ""


def _other_limit(value: str, wanted: int, stream: Stream, heard: int) -> bool:
    """The value has a word such as `before`, and the transcript has another one or none."""
    limit = _limit(tokenise(value), wanted)
    return bool(limit) and limit != _limit(stream, heard)


@lru_cache(maxsize=1024)
def reference_minute(value: str) -> int | None:
    """The minute of the day that an intention asks for; None where the value is no time."""
    found = _reference_time(value)
    return _as_written(found) if found is not None else None


@lru_cache(maxsize=1024)
def _reference_time(value: str) -> TimeReading | None:
    stream = tokenise(value)
    found = times(stream, 0, len(stream))
    return found[0] if found else None


def _as_written(found: TimeReading) -> int:
    """The minute that the hour and minute name as a 24-hour time: twelve is noon, one to eleven are the morning."""
    return max(found.minutes) if min(found.minutes) < 60 else min(found.minutes)


def read_date(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of all dates between two tokens."""
    asked = reference_date(value)
    if asked is None:
        return []
    wanted = next(iter(asked.days))
    stream = scene.stream
    years = wanted.month is None and wanted.year is not None
    readings = []
    for found in _dates(stream, low, high, years=years):
        days = _ordered(stream, found) if found.numeric else found.days
        label, reason = _compare_days(stream, found, days, wanted)
        if label is not Label.CHANGED and _other_limit(value, asked.start, stream, found.start):
            label, reason = Label.CHANGED, "the day is another limit"
        if label is not Label.RETAINED and _is_said(scene, found, wanted):
            label, reason = Label.RETAINED, "the day with the words that the script has around it"
        if label is Label.RETAINED and _contradicts(scene, found, wanted, asked):
            label, reason = Label.UNRESOLVED, "the day of the week contradicts the date"
        readings.append(Reading(found.start, found.end, label, reason))
        if scene.locating and wanted.named and label is not Label.RETAINED:
            readings.extend(_part_of(stream, found, asked))
    return readings


def _part_of(stream: Stream, found: DateReading, asked: DateReading) -> list[Reading]:
    """Where the script says more than the value that is wanted of it: `Monday` of `next week on Monday`."""
    inner = (date_at(stream, index) for index in range(found.start + 1, found.end))
    return [
        Reading(one.start, one.end, Label.RETAINED, "the same day")
        for one in inner
        if one is not None and one.end == found.end and one.days == asked.days
    ]


def _dates(stream: Stream, low: int, high: int, *, years: bool) -> list[DateReading]:
    """The dates between two tokens; `a week on Sunday` stays whole where the border falls inside it."""
    across = [
        one
        for one in dates(stream, 0, len(stream))
        if one.start < high and one.end > low and not low <= one.start < one.end <= high
        and all(day.named for day in one.days)
    ]  # fmt: skip
    inside = [
        one
        for one in dates(stream, low, high, years=years)
        if all(one.end <= other.start or one.start >= other.end for other in across)
    ]
    return sorted([*across, *inside], key=lambda one: one.start)


def _is_said(scene: Scene, found: DateReading, wanted: Day) -> bool:
    """The script has the same longer name (`every week on Monday`) around the day that is wanted (`Monday`)."""
    if scene.script is None or scene.slot is None or not wanted.named:
        return False
    low, high = scene.slot
    return any(
        one.start < high and one.end > low and one.days == found.days and one.end - one.start > high - low
        for one in dates(scene.script, 0, len(scene.script))
    )


def _contradicts(scene: Scene, found: DateReading, wanted: Day, asked: DateReading) -> bool:
    """The weekday beside the date is not the one that day has, and the script does not say it either."""
    actual = _weekday_of(wanted)
    if found.weekday is None or actual is None or day_name(found.weekday) == actual or found.weekday == asked.weekday:
        return False
    if scene.script is None or scene.slot is None:
        return False
    said = dates(scene.script, max(0, scene.slot[0] - 2), scene.slot[1])
    return all(one.weekday != found.weekday for one in said)


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
        if not wanted.named and _weekday_of(wanted) in {day.named for day in days}:
            return Label.UNRESOLVED, "a part of the date was not said"
        if wanted.named and found.weekday is not None and wanted.named == day_name(found.weekday):
            return Label.UNRESOLVED, "a date stands beside the day of the week"
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


def _weekday_of(day: Day) -> str | None:
    """The day of the week of a full date, None for all others."""
    if day.year is None or day.month is None or day.day is None:
        return None
    try:
        return day_name(datetime.date(day.year, day.month, day.day).weekday())
    except ValueError:
        return None


def _compare_names(days: frozenset[Day], wanted: Day) -> tuple[Label, str]:
    if wanted in days:
        return Label.RETAINED, "the same day"
    names = {day.named for day in days}
    if wanted.named.startswith("decade") and any(name.startswith("decade") for name in names):
        decades = {name.split()[1] for name in names} | {wanted.named.split()[1]}
        if len({decade[-2:] for decade in decades}) == 1:
            return Label.UNRESOLVED, "the century was not said"
    if any(day.day is not None and wanted.named.startswith(f"{day.day} of ") for day in days):
        return Label.UNRESOLVED, "a part of the date was not said"
    if any(_one_of(name) == wanted.named or _one_of(wanted.named) == name for name in names):
        return Label.UNRESOLVED, "which of these days was not said"
    return Label.CHANGED, "another day"


def _one_of(name: str) -> str:
    """The day without the word that says which one it is, where that may be the very next one."""
    which, _, rest = name.partition(" ")
    return rest if which in ("next", "this") and " " not in rest else name


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
    asked = _reference_time(value)
    for found in _times(scene.stream, low, high):
        label, reason = _compare_times(scene, found, wanted, value)
        if label is not Label.CHANGED and asked is not None:
            if _other_limit(value, asked.start, scene.stream, found.start):
                label, reason = Label.CHANGED, "the time is another limit"
            elif asked.zone != found.zone and (asked.zone or not _script_zone(scene, found.zone)):
                same = not asked.zone or not found.zone
                label, reason = (
                    (Label.UNRESOLVED, "the time zone is in doubt") if same else (Label.CHANGED, "another zone")
                )
        readings.append(Reading(found.start, found.end, label, reason))
    return readings


def _times(stream: Stream, low: int, high: int) -> list[TimeReading]:
    """The times between two tokens; `ten to ten` and `twenty two hundred` stay whole where the border falls inside."""
    across = [
        one
        for one in times(stream, 0, len(stream))
        if (one.relative or "hundred" in stream.norms[one.start : one.end])
        and one.start < high
        and one.end > low
        and not low <= one.start < one.end <= high
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
    before = stream.norms[found.start - 1] if found.start else ""
    if is_sign(before) or is_code(before):
        return True
    unit = unit_at(stream, found.end)
    return unit is not None and (unit[0].is_currency or unit[0] == unit_names().named("percent"))


def _script_zone(scene: Scene, zone: str) -> bool:
    """The script has the zone that the transcript adds."""
    return scene.script is None or any(one.zone == zone for one in times(scene.script, 0, len(scene.script)))


def _script_marks(scene: Scene) -> bool:
    """The speaker said the half day at this place."""
    if scene.script is None or scene.slot is None:
        return False
    said = times(scene.script, scene.slot[0], scene.slot[1])
    return any(reading.marked for reading in said)

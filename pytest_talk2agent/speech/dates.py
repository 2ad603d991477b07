"""Dates in speech and print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pytest_talk2agent.speech.numerals import Group, group_at, groups_at, ordinal_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import listed

_MONTHS = listed("january february march april may june july august september october november december")
MONTHS = {name: number for number, name in enumerate(_MONTHS, start=1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_WEEKDAYS = listed("monday tuesday wednesday thursday friday saturday sunday")
WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAYS)}
WEEKDAYS |= {name + "s": number for name, number in WEEKDAYS.items()}
WEEKDAYS |= {name: number for number, name in enumerate(listed("mon tue wed thu fri sat"))} | {
    "tues": 1, "thur": 3, "thurs": 3,
}  # fmt: skip
RELATIVE = {word + ending: word for word in ("today", "tomorrow", "yesterday", "tonight") for ending in ("", "s")}
_WHICH = frozenset(("next", "this", "last", "coming", "every"))
_PERIODS = frozenset(("week", "month", "year", "weekend", "quarter"))
_RANGES = {(word,) for word in ("to", "till", "until", "through", "and", "or", "-", "--")}
_JOINERS = frozenset(("/", "-", "."))


class Day(NamedTuple):
    """A date as far as it was said; None for what was not."""

    year: int | None
    month: int | None
    day: int | None
    named: str = ""


@dataclass(frozen=True, slots=True)
class DateReading:
    """All days that a span of tokens can mean; ``numeric`` where month and day are both digits."""

    start: int
    end: int
    days: frozenset[Day]
    numeric: bool = False


def dates(stream: Stream, low: int, high: int) -> tuple[DateReading, ...]:
    """The dates between two tokens, in order."""
    found = []
    index = low
    while index < high:
        date = _date_at(stream, index)
        if date is None or date.end > high:
            index += 1
        else:
            found.append(date)
            index = date.end
    return tuple(found)


def _date_at(stream: Stream, index: int) -> DateReading | None:
    return (
        _iso(stream, index)
        or _numeric(stream, index)
        or _written(stream, index)
        or _ranged(stream, index)
        or _named(stream, index)
    )


def _fixed(stream: Stream, index: int) -> list[int]:
    """Three printed numbers with the same joiner between them, glued."""
    if index + 4 >= len(stream):
        return []
    tokens = stream.tokens[index : index + 5]
    numbers = tokens[0].kind == tokens[2].kind == tokens[4].kind == "digits"
    joined = tokens[1].norm == tokens[3].norm in _JOINERS and all(token.glued for token in tokens[1:])
    return [int(tokens[at].norm) for at in (0, 2, 4)] if numbers and joined else []


def _valid(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _iso(stream: Stream, index: int) -> DateReading | None:
    parts = _fixed(stream, index)
    if not parts or len(stream.norms[index]) != 4 or not _valid(parts[1], parts[2]):
        return None
    return DateReading(index, index + 5, frozenset((Day(parts[0], parts[1], parts[2]),)))


def _numeric(stream: Stream, index: int) -> DateReading | None:
    """`4/10/2027`, `4/10`: either order unless a number is above twelve."""
    parts, end = _fixed(stream, index), index + 5
    if not parts:
        pair = stream.tokens[index : index + 3]
        slash = len(pair) == 3 and pair[1].norm == "/" and pair[0].kind == pair[2].kind == "digits"
        if not slash or not pair[1].glued or not pair[2].glued:
            return None
        parts, end = [int(pair[0].norm), int(pair[2].norm)], index + 3
    year = parts[2] if len(parts) == 3 else None
    if year is not None and year < 100:
        year += 2000
    days = {Day(year, month, day) for month, day in (parts[:2], parts[1::-1]) if _valid(month, day)}
    return DateReading(index, end, frozenset(days), numeric=True) if days else None


def _ranged(stream: Stream, index: int) -> DateReading | None:
    """A day that shares its month with the end of a range: `from the ninth to the thirtieth of September`."""
    day = _day_at(stream, index)
    if day is None or stream.norms[day[1] : day[1] + 1] not in _RANGES:
        return None
    other = _written(stream, day[1] + 1) if day[1] + 1 < len(stream) else None
    if other is None:
        return None
    return DateReading(index, day[1], frozenset(each._replace(day=day[0]) for each in other.days))


def _day_at(stream: Stream, index: int) -> tuple[int, int] | None:
    index += stream.norms[index : index + 1] == ("the",)
    ordinal = ordinal_at(stream, index)
    if ordinal and 1 <= ordinal[0] <= 31:
        return ordinal
    group = group_at(stream, index)
    if group and len(group.digits) <= 2 and not group.fraction and 1 <= int(group.digits) <= 31:
        return int(group.digits), group.end
    return None


def year_at(stream: Stream, index: int) -> tuple[frozenset[int], int] | None:
    """The years that the tokens can mean (`2027`, `twenty twenty seven`, `two thousand twenty seven`)."""
    if index >= len(stream):
        return None
    groups = groups_at(stream, index)
    for count in range(min(3, len(groups)), 0, -1):
        years = _years(groups[:count])
        if years:
            return years, groups[count - 1].end
    return None


def _years(groups: tuple[Group, ...]) -> frozenset[int]:
    if any(group.fraction for group in groups):
        return frozenset()
    joined = "".join(group.digits for group in groups)
    years = {int(joined)} if len(joined) == 4 else set()
    if len(groups) == 2 and groups[0].digits in ("2000", "1900") and len(groups[1].digits) <= 2:
        years.add(int(groups[0].digits) + int(groups[1].digits))
    return frozenset(year for year in years if 1000 <= year <= 2999)


def _written(stream: Stream, index: int) -> DateReading | None:
    """Month and day in words, in either order, with or without the year."""
    start = index
    index += stream.norms[index] == "the"
    if index >= len(stream):
        return None
    if stream.norms[index] in MONTHS:
        month, after = MONTHS[stream.norms[index]], index + 1
        day = _day_at(stream, after) if after < len(stream) and not stream[after].paused else None
        if day is None:
            return None
    else:
        day = _day_at(stream, index)
        if day is None:
            return None
        after = day[1] + (stream.norms[day[1] : day[1] + 1] == ("of",))
        if after >= len(stream) or stream.norms[after] not in MONTHS:
            return None
        month, day = MONTHS[stream.norms[after]], (day[0], after + 1)
    end = day[1]
    year = year_at(stream, end + (stream.norms[end : end + 1] == ("of",)))
    if year is None:
        return DateReading(start, end, frozenset((Day(None, month, day[0]),)))
    return DateReading(start, year[1], frozenset(Day(each, month, day[0]) for each in year[0]))


def _named(stream: Stream, index: int) -> DateReading | None:
    """`next Friday`, `tomorrow`, `the twentieth`, `March 2027`; a weekday before a date is part of the date."""
    norms, start = stream.norms, index
    which = ""
    if norms[index] in _WHICH and index + 1 < len(norms):
        which, index = norms[index] + " ", index + 1
    word = norms[index]
    if word in WEEKDAYS:
        after = _date_at(stream, index + 1) if not which and index + 1 < len(norms) else None
        if after and all(day.month for day in after.days):
            return DateReading(start, after.end, after.days, after.numeric)
        name = _WEEKDAYS[WEEKDAYS[word]]
        return DateReading(start, index + 1, frozenset((Day(None, None, None, which + name),)))
    if word in RELATIVE or (which and word in _PERIODS):
        return DateReading(start, index + 1, frozenset((Day(None, None, None, which + RELATIVE.get(word, word)),)))
    if word in MONTHS and (len(word) > 3 or not which) and word != "may":
        year = year_at(stream, index + 1)
        years: frozenset[int | None] = year[0] if year else frozenset((None,))
        return DateReading(start, year[1] if year else index + 1, frozenset(Day(y, MONTHS[word], None) for y in years))
    ordinal = ordinal_at(stream, index + (word == "the"))
    if ordinal and word == "the" and 1 <= ordinal[0] <= 31:
        return DateReading(start, ordinal[1], frozenset((Day(None, None, ordinal[0]),)))
    return None

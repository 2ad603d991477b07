"""Dates in speech and print."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pytest_talk2agent.speech.days import may_name_day, month_names, relative_at, weekday_names
from pytest_talk2agent.speech.numerals import TENS, Group, group_at, groups_at, may_start, ordinal_at
from pytest_talk2agent.speech.tokens import Stream

_RANGES = {(word,) for word in ("to", "till", "until", "through", "and", "or", "-", "--")}
_JOINERS = frozenset(("/", "-", "."))
_APOSTROPHES = frozenset("'’ʼ‘")
_DECADES = {f"{word[:-1]}ies": value for word, value in TENS.items() if word != "fourty"}
_LONGEST_ABBREVIATION = 4
# What may follow two digits that are a year: `9 June 26 at noon`, not `9 June 26 people`.
_BEHIND_YEARS = frozenset(
    ("and", "at", "in", "on", "to", "until", "till", "for", "from", "please", "then", "with", "or", "by", "as")
)


class Day(NamedTuple):
    """A date as far as it was said; None for what was not."""

    year: int | None
    month: int | None
    day: int | None
    named: str = ""


@dataclass(frozen=True, slots=True)
class DateReading:
    """All days that a span of tokens can mean.

    ``numeric`` where month and day are both digits; ``weekday`` (Monday is 0) where one is said beside the date.
    """

    start: int
    end: int
    days: frozenset[Day]
    numeric: bool = False
    weekday: int | None = None


@lru_cache(maxsize=512)
def dates(stream: Stream, low: int, high: int, *, years: bool = False) -> tuple[DateReading, ...]:
    """The dates between two tokens, in order; with ``years`` a year alone is one too."""
    found = []
    index = low
    while index < high:
        date = date_at(stream, index) or (_year(stream, index) if years else None)
        if date is None or date.end > high:
            index += 1
        else:
            found.append(date)
            index = date.end
    return tuple(found)


@lru_cache(maxsize=8192)
def date_at(stream: Stream, index: int) -> DateReading | None:
    """The date that starts at the token: of all ways to read it the longest."""
    norm = stream.norms[index]
    if not may_start(norm) and not may_name_day(norm) and norm not in month_names():
        return None
    relative = relative_at(stream, index)
    found = [
        _iso(stream, index),
        _numeric(stream, index),
        _with_weekday(stream, index),
        _written(stream, index),
        _month(stream, index),
        DateReading(index, relative[1], frozenset((Day(None, None, None, relative[0]),))) if relative else None,
        _ranged(stream, index),
        _decade(stream, index),
        _before_christ(stream, index),
        _ordinal(stream, index),
    ]
    return max((one for one in found if one is not None), key=lambda one: one.end, default=None)


def _year(stream: Stream, index: int) -> DateReading | None:
    years = year_at(stream, index)
    return DateReading(index, years[1], frozenset(Day(year, None, None) for year in years[0])) if years else None


def _decade(stream: Stream, index: int) -> DateReading | None:
    """`the 1990s`, `the nineteen nineties`, `the nineties`, `the '90s`."""
    at = index + (stream.norms[index] == "the")
    if at >= len(stream):
        return None
    token = stream[at]
    if token.kind == "digits" and len(token.norm) in (2, 4) and token.norm.endswith("0"):
        follows = at + 1 < len(stream) and stream[at + 1].glued and stream.norms[at + 1] == "s"
        return _of_decade(index, at + 2, token.norm) if follows else None
    group = group_at(stream, at)
    century = group.digits if group is not None and len(group.digits) == 2 and 10 <= int(group.digits) <= 20 else ""
    word = at if not century or group is None else group.end
    if word < len(stream) and stream.norms[word] in _DECADES:
        return _of_decade(index, word + 1, f"{century}{_DECADES[stream.norms[word]]}")
    return None


def _before_christ(stream: Stream, index: int) -> DateReading | None:
    """`750 BC`, `seven fifty b c e`."""
    groups = groups_at(stream, index)
    digits = "".join(group.digits for group in groups)
    if not 1 <= len(digits) <= 4 or any(group.fraction for group in groups):
        return None
    letters, at = "", groups[-1].end
    while (
        at < len(stream) and len(letters) < 3 and (stream.norms[at] == "." or stream.norms[at] in ("bc", "bce", *"bce"))
    ):
        letters, at = letters + stream.norms[at].strip("."), at + 1
        if letters in ("bc", "bce") and not (at + 1 < len(stream) and stream.norms[at] == "e"):
            return DateReading(index, at, frozenset((Day(None, None, None, f"{digits} before christ"),)))
    return None


def _of_decade(start: int, end: int, digits: str) -> DateReading:
    return DateReading(start, end, frozenset((Day(None, None, None, f"decade {digits}"),)))


def _ordinal(stream: Stream, index: int) -> DateReading | None:
    """`the twentieth`."""
    if stream.norms[index] != "the":
        return None
    ordinal = ordinal_at(stream, index + 1)
    if ordinal is None or not 1 <= ordinal[0] <= 31:
        return None
    return DateReading(index, ordinal[1], frozenset((Day(None, None, ordinal[0]),)))


def _with_weekday(stream: Stream, index: int) -> DateReading | None:
    """`Friday, the 12th of March 2027`, `March 12th, a Friday`."""
    weekday = weekday_names().get(stream.norms[index])
    if weekday is not None and index + 1 < len(stream):
        after = _iso(stream, index + 1) or _numeric(stream, index + 1) or _written(stream, index + 1)
        after = after or _ordinal(stream, index + 1)
        if after is not None:
            return DateReading(index, after.end, after.days, after.numeric, weekday)
        return None
    date = _iso(stream, index) or _numeric(stream, index) or _written(stream, index)
    if date is None:
        return None
    at = date.end + (stream.norms[date.end : date.end + 1] in (("a",), ("(",)))
    weekday = weekday_names().get(stream.norms[at]) if at < len(stream) else None
    if weekday is None:
        return None
    end = at + 1 + (stream.norms[date.end] == "(" and stream.norms[at + 1 : at + 2] == (")",))
    return DateReading(index, end, date.days, date.numeric, weekday)


def _fixed(stream: Stream, index: int) -> list[int]:
    """Three printed numbers with the same joiner between them, glued."""
    if index + 4 >= len(stream):
        return []
    tokens = stream.tokens[index : index + 5]
    numbers = tokens[0].kind == tokens[2].kind == tokens[4].kind == "digits"
    joined = tokens[1].norm == tokens[3].norm in _JOINERS and all(token.glued for token in tokens[1:])
    short = all(len(tokens[at].norm) <= 4 for at in (0, 2, 4)) if numbers else False
    return [int(tokens[at].norm) for at in (0, 2, 4)] if short and joined else []


def _valid(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _iso(stream: Stream, index: int) -> DateReading | None:
    token = stream[index]
    if token.kind == "digits" and len(token.norm) == 8 and token.norm[:2] in ("19", "20"):
        year, month, day = int(token.norm[:4]), int(token.norm[4:6]), int(token.norm[6:])
        return DateReading(index, index + 1, frozenset((Day(year, month, day),))) if _valid(month, day) else None
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
        if not slash or not pair[1].glued or not pair[2].glued or max(len(pair[0].norm), len(pair[2].norm)) > 4:
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
    """Month and day in words, in either order, with or without the year, which may stand first."""
    start, leading = index, None
    token = stream[index]
    if (
        token.kind == "digits"
        and len(token.norm) == 4
        and index + 1 < len(stream)
        and stream.norms[index + 1] in month_names()
    ):
        leading, index = int(token.norm), index + 1
    index += stream.norms[index] == "the"
    if index >= len(stream):
        return None
    if stream.norms[index] in month_names():
        month, after = month_names()[stream.norms[index]], index + 1
        day = _day_at(stream, after) if after < len(stream) and _joins(stream, after) else None
        if day is None:
            return None
    else:
        day = _day_at(stream, index)
        if day is None:
            return None
        after = day[1] + (stream.norms[day[1] : day[1] + 1] == ("of",))
        after += stream.norms[after : after + 1] == ("-",)
        if after >= len(stream) or stream.norms[after] not in month_names():
            return None
        month, day = month_names()[stream.norms[after]], (day[0], after + 1)
    end = day[1]
    if leading is not None:
        return DateReading(start, end, frozenset((Day(leading, month, day[0]),)))
    year = _year_behind(stream, end)
    if year is None:
        return DateReading(start, end, frozenset((Day(None, month, day[0]),)))
    return DateReading(start, year[1], frozenset(Day(each, month, day[0]) for each in year[0]))


def _joins(stream: Stream, index: int) -> bool:
    """The token goes on with the month before it: no pause, or the full stop of an abbreviation."""
    token = stream[index]
    short = len(stream[index - 1].text) <= _LONGEST_ABBREVIATION
    return not token.paused or (short and token.lead.strip() == "." and "\n" not in token.lead)


def _year_behind(stream: Stream, index: int) -> tuple[frozenset[int], int] | None:
    """The year behind day and month, in full or in two digits (`'26`, `09 June 26`)."""
    at = index + (stream.norms[index : index + 1] in (("of",), ("-",)))
    year = year_at(stream, at)
    if year is not None or at >= len(stream):
        return year
    token = stream[at]
    if token.kind != "digits" or len(token.norm) != 2 or stream.norms[at + 1 : at + 2] in ((":",), ("/",), (".",)):
        return None
    marked = bool(_APOSTROPHES & set(token.lead))
    last = at + 1 == len(stream) or stream[at + 1].paused or stream.norms[at + 1] in _BEHIND_YEARS
    if marked or (last and (not token.paused or token.lead.strip() == ".")):
        return frozenset((2000 + int(token.norm),)), at + 1
    return None


def _month(stream: Stream, index: int) -> DateReading | None:
    """`March`, `March 2027`, `Mar. '27`; `may` alone is a verb."""
    word = stream.norms[index]
    if word not in month_names():
        return None
    at = index + 1
    year = (
        year_at(stream, at + (stream.norms[at : at + 1] == ("of",)))
        if at < len(stream) and _joins(stream, at)
        else None
    )
    if year is None and at < len(stream) and _APOSTROPHES & set(stream[at].lead):
        year = _year_behind(stream, at)
    if year is None:
        if word == "may":
            return None
        return DateReading(index, at, frozenset((Day(None, month_names()[word], None),)))
    return DateReading(index, year[1], frozenset(Day(each, month_names()[word], None) for each in year[0]))

"""Times of day in speech and print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_talk2agent.speech.libraries import english
from pytest_talk2agent.speech.numerals import group_at, groups_at, may_start
from pytest_talk2agent.speech.tokens import Stream

_HALF_DAY = 12 * 60
_MORNING = frozenset(("morning", "breakfast"))
_EVENING = frozenset(("afternoon", "evening", "tonight", "dinner", "supper"))
_HINT_REACH = 4
_HINT_OF_OTHER = 3  # `at one after lunch, ...`: so many words may belong to the number before them
_LONGEST_OPENING = 2  # `this evening, ...`
HALF_DAY_WORDS = _MORNING | _EVENING | {"night", "noon", "midday", "lunch", "lunchtime"}
_PRINTED, _SPOKEN, _MILITARY = "printed", "spoken", "military"
_WORDS = {"noon": 720, "midday": 720, "midnight": 0}


@dataclass(frozen=True, slots=True)
class TimeReading:
    """All minutes of the day that a span can mean. ``marked`` says that a word or the notation settles the half day.

    ``relative`` says that the minutes are said beside the hour (`ten to six`). ``zone`` is the time zone beside it.
    """

    start: int
    end: int
    minutes: frozenset[int]
    marked: bool
    relative: bool = False
    zone: str = ""


@lru_cache(maxsize=512)
def times(stream: Stream, low: int, high: int) -> tuple[TimeReading, ...]:
    """The times between two tokens, in order."""
    found = []
    index = low
    while index < high:
        time = _time_at(stream, index)
        if time is None or (time.end > high and not _core_fits(stream, time, high)):
            index += 1
        else:
            found.append(time)
            index = time.end
    return tuple(found)


def _core_fits(stream: Stream, time: TimeReading, high: int) -> bool:
    """Only the words that mark the half day stand beyond the border."""
    group = group_at(stream, time.start)
    return group is not None and group.end <= high


@lru_cache(maxsize=1)
def _zones() -> Mapping[str, str]:
    """Short names of time zones from CLDR, with the two that it has under other headings."""
    found = {"utc": "UTC", "gmt": "GMT", "cet": "CET", "cest": "CEST", "bst": "BST", "zulu": "UTC"}
    for zone in english()["meta_zones"].values():
        for name in zone.get("short", {}).values():
            if isinstance(name, str) and name.isalpha() and len(name) > 2:
                found[name.lower()] = name
    return found


@lru_cache(maxsize=8192)
def _time_at(stream: Stream, index: int) -> TimeReading | None:
    norm = stream.norms[index]
    if not may_start(norm) and norm not in _WORDS and norm != "quarter":
        return None
    found = _clock_time_at(stream, index)
    if found is None or found.end >= len(stream) or stream[found.end].paused:
        return found
    for length in (1, 3, 4):
        words = stream.norms[found.end : found.end + length]
        zone = _zones().get("".join(words)) if length == 1 or all(len(word) == 1 for word in words) else None
        if zone is not None:
            return replace(found, zone=zone)
    return found


def _clock_time_at(stream: Stream, index: int) -> TimeReading | None:
    word = stream.norms[index]
    if word in _WORDS:
        return TimeReading(index, index + 1, frozenset((_WORDS[word],)), marked=True)
    if word == "twelve" and stream.norms[index + 1 : index + 2] in (("noon",), ("midnight",)):
        return TimeReading(index, index + 2, frozenset((_WORDS[stream.norms[index + 1]],)), marked=True)
    relative = _relative(stream, index)
    if relative and stream.norms[relative[1] - 1] in _WORDS:
        return TimeReading(index, relative[1], frozenset((relative[0],)), marked=True, relative=True)
    if relative:
        return replace(_with_half(stream, index, *relative, printed=False), relative=True)
    clock = _clock(stream, index)
    if clock is None:
        return None
    if clock[2] == _MILITARY and not half_at(stream, clock[1])[0]:
        return TimeReading(index, clock[1], frozenset((clock[0],)), marked=True)
    return _with_half(stream, index, clock[0], clock[1], printed=clock[2] == _PRINTED)


def _relative(stream: Stream, index: int) -> tuple[int, int] | None:
    """`half past two`, `quarter to six`, `ten past nine`, `a quarter after four`."""
    norms, at, named = stream.norms, index, False
    if stream[index].glued:
        return None
    if norms[at : at + 2] == ("a", "quarter"):
        at += 1
    if at >= len(norms):
        return None
    if norms[at] == "half":
        minutes, at = 30, at + 1
        hour = group_at(stream, at)
        if hour is not None and hour.digits.lstrip("0") and int(hour.digits) <= 12 and not hour.fraction:
            return int(hour.digits) * 60 + minutes, hour.end  # `half three`
    elif norms[at] == "quarter":
        minutes, at = 15, at + 1
    else:
        group = group_at(stream, at)
        if group is None or group.fraction or len(group.digits) > 2 or not 0 < int(group.digits) < 60:
            return None
        minutes, at = int(group.digits), group.end
        named = norms[at : at + 1] in (("minutes",), ("minute",), ("min",), ("mins",))
        at += named
    word = norms[at] if at < len(norms) else ""
    if word == "to" and minutes not in (15, 30) and index and norms[index - 1] in ("from", "between"):
        return None  # `from five to ten`
    if word not in ("past", "after", "to", "before", "till", "of"):
        return None
    hour = group_at(stream, at + 1)
    if hour is None:
        special = norms[at + 1] if at + 1 < len(norms) else ""
        if special in _WORDS:
            sign = 1 if word in ("past", "after") else -1
            return (_WORDS[special] + sign * minutes) % 1440, at + 2
        return None
    if len(hour.digits) > 2 or hour.fraction or not 0 < int(hour.digits) <= 12:
        return None
    if hour.printed and hour.end + 1 < len(stream) and norms[hour.end] == ":" and stream[hour.end].glued:
        return None
    if word not in ("past", "after") and minutes not in (30, 15) and minutes not in (5, 10, 20, 25) and not named:
        return None
    total = int(hour.digits) * 60 + (minutes if word in ("past", "after") else -minutes)
    total %= _HALF_DAY
    return total if total >= 60 else total + _HALF_DAY, hour.end


def _clock(stream: Stream, index: int) -> tuple[int, int, str] | None:
    """Hour and minute (`14:05`, `nine fifty`, `ten hundred`, `1430`), the end, and the notation.

    Hours that are counted to 24 (`twelve hundred hours`, `oh six thirty`) say the half of the day.
    """
    token = stream[index]
    if token.kind == "digits" and index + 2 < len(stream) and stream.norms[index + 1] in (":", ".", "h"):
        minute = stream[index + 2]
        colon = stream.norms[index + 1] == ":"
        glued = stream[index + 1].glued and minute.glued and minute.kind == "digits" and len(minute.norm) == 2
        if glued and len(token.norm) <= 2 and int(token.norm) < 25 and int(minute.norm) < 60:
            end = index + 3
            if colon and stream.norms[end : end + 1] == (":",) and stream[end].glued and end + 1 < len(stream):
                end += 2 * (stream[end + 1].kind == "digits" and len(stream.norms[end + 1]) == 2)  # seconds
            return int(token.norm) % 24 * 60 + int(minute.norm), end, _PRINTED
        if colon and stream[index + 1].glued:
            return None
    groups = groups_at(stream, index)
    if not groups or any(group.fraction for group in groups[:2]):
        return None
    first = groups[0]
    if first.digits == "0" and len(groups) > 1 and len(groups[1].digits) == 3 and not groups[1].printed:
        first, groups = groups[1], groups[1:]  # `zero six hundred hours`
    military = stream.norms[first.end : first.end + 1] in (("hours",), ("hrs",)) and len(groups) == 1
    if len(first.digits) in (3, 4):
        hour, minute_value = divmod(int(first.digits), 100)
        if hour > 23 or minute_value > 59:
            return None
        hundred = minute_value == 0 and not first.printed and stream.norms[first.end - 1] == "hundred"
        military = military or hundred
        clock = len(first.digits) == 4 and first.printed
        return (
            hour * 60 + minute_value,
            first.end + (stream.norms[first.end : first.end + 1] in (("hours",), ("hrs",))),
            _MILITARY if military else _PRINTED if clock else _SPOKEN,
        )
    if len(first.digits) > 2:
        return None
    hour, end, notation = int(first.digits), first.end, _SPOKEN
    if len(groups) > 1 and first.digits == "0" and len(groups[1].digits) == 1:  # oh six, zero six hundred
        hour, end, groups = int(groups[1].digits), groups[1].end, groups[1:]
    if hour > 23:
        return None
    if stream.norms[end : end + 1] == ("hundred",):
        return hour * 60, end + 1 + (stream.norms[end + 1 : end + 2] in (("hours",), ("hrs",))), _MILITARY
    if len(groups) > 1 and len(groups[1].digits) == 2 and int(groups[1].digits) < 60:
        return hour * 60 + int(groups[1].digits), groups[1].end, notation
    if len(groups) > 2 and groups[1].digits == "0" and len(groups[2].digits) == 1:
        return hour * 60 + int(groups[2].digits), groups[2].end, notation
    apart = _minutes_apart(stream, end) if hour and hour < 13 else None
    return (hour * 60 + apart[0], apart[1], _SPOKEN) if apart else (hour * 60, end, _SPOKEN)


def _minutes_apart(stream: Stream, index: int) -> tuple[int, int] | None:
    """`six, 20 PM`, `6-20 p.m.`: minutes behind a pause or a dash, where the half day follows them at once."""
    at = index
    if at < len(stream) and stream.norms[at] in ("-", "--", "."):
        at += 1
    elif at >= len(stream) or not stream[at].paused:
        return None
    minutes = groups_at(stream, at) if at < len(stream) else ()
    digits = "".join(group.digits for group in minutes)
    if not minutes or len(digits) != 2 or int(digits) > 59:
        return None
    return (int(digits), minutes[-1].end) if half_at(stream, minutes[-1].end)[0] else None


def _with_half(stream: Stream, start: int, minutes: int, end: int, *, printed: bool) -> TimeReading:
    """Settle the half day by what follows or stands near."""
    end += stream.norms[end : end + 2] == ("o", "clock") and 2
    end += stream.norms[end : end + 1] == ("oclock",)
    half, end = half_at(stream, end)
    if half == "" and minutes < 780:
        half = _near(stream, start, end, minutes)
    hour = minutes // 60
    if hour > 12 or hour == 0:
        return TimeReading(start, end, frozenset((minutes,)), marked=True)
    morning, evening = minutes % _HALF_DAY, minutes % _HALF_DAY + _HALF_DAY
    if half == "am":
        return TimeReading(start, end, frozenset((morning,)), marked=True)
    if half == "pm":
        return TimeReading(start, end, frozenset((evening,)), marked=True)
    if printed and len(stream[start].norm) >= 2 and stream[start].norm.startswith("0"):
        return TimeReading(start, end, frozenset((morning,)), marked=True)
    return TimeReading(start, end, frozenset((morning, evening)), marked=False)


def half_at(stream: Stream, index: int) -> tuple[str, int]:
    """`am`, `a.m.`, `p m` at the token: the half day and where it ends; an empty half where there is none."""
    norms = stream.norms
    if index >= len(norms):
        return "", index
    if norms[index] in ("am", "pm"):
        return norms[index], index + 1
    if norms[index] in ("a", "p"):
        for letters in ((norms[index], "m"), (norms[index], ".", "m")):
            if norms[index : index + len(letters)] == letters:
                return norms[index] + "m", index + len(letters)
    return "", index


def _near(stream: Stream, start: int, end: int, minutes: int) -> str:
    """The half day that a word beside the time gives: `in the morning`, `lunch at`, `tonight at`, `to 10 PM`."""
    norms = stream.norms
    if norms[end : end + 1] in (("to",), ("till",), ("until",), ("-",), ("--",)):
        other = _clock(stream, end + 1) if end + 1 < len(norms) else None
        if other:
            half, _ = half_at(stream, other[1])
            if half and other[0] % _HALF_DAY > minutes % _HALF_DAY:
                return half
    hints = [*_clause(stream, end, 1), *_clause(stream, start - 1, -1)]
    for word in hints:
        if word in _MORNING:
            return "am"
        if word in _EVENING:
            return "pm"
        if word == "night":
            return "am" if minutes % _HALF_DAY < 360 else "pm"
        if word in ("noon", "midday", "lunch", "lunchtime"):
            return "am" if 600 <= minutes < 720 else "pm"
    return ""


def _clause(stream: Stream, index: int, step: int) -> list[str]:
    """The words beside the time up to a pause, another number or a conjunction."""
    words: list[str] = []
    while 0 <= index < len(stream) and len(words) < (_HINT_REACH if step > 0 else 2 * _HINT_REACH):
        token = stream[index]
        if step > 0 and token.paused:
            break
        if token.norm in ("and", "then", "or", "but"):
            break
        if group_at(stream, index) is not None:
            return words if step > 0 else words[:-_HINT_OF_OTHER]
        words.append(token.norm)
        if step < 0 and token.paused:
            return [*words, *stream.norms[:index]] if index <= _LONGEST_OPENING else words
        index += step
    return words

"""Times of day in speech and print."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_talk2agent.speech.numerals import group_at, groups_at
from pytest_talk2agent.speech.tokens import Stream

_HALF_DAY = 12 * 60
_MORNING = frozenset(("morning", "breakfast"))
_EVENING = frozenset(("afternoon", "evening", "tonight", "dinner", "supper"))
_HINT_REACH = 4
_HINT_OF_OTHER = 3  # `at one after lunch, ...`: so many words may belong to the number before them
_LONGEST_OPENING = 2  # `this evening, ...`
HALF_DAY_WORDS = _MORNING | _EVENING | {"night", "noon", "midday", "lunch", "lunchtime"}
_WORDS = {"noon": 720, "midday": 720, "midnight": 0}


@dataclass(frozen=True, slots=True)
class TimeReading:
    """All minutes of the day that a span can mean. ``marked`` says that a word or the notation settles the half day.

    ``relative`` says that the minutes are said beside the hour (`ten to six`).
    """

    start: int
    end: int
    minutes: frozenset[int]
    marked: bool
    relative: bool = False


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


def _time_at(stream: Stream, index: int) -> TimeReading | None:
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
    return _with_half(stream, index, clock[0], clock[1], printed=clock[2]) if clock else None


def _relative(stream: Stream, index: int) -> tuple[int, int] | None:
    """`half past two`, `quarter to six`, `ten past nine`, `a quarter after four`."""
    norms, at = stream.norms, index
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
        at += norms[at : at + 1] in (("minutes",), ("minute",))
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
    if word not in ("past", "after") and minutes not in (30, 15) and minutes not in (5, 10, 20, 25):
        return None
    total = int(hour.digits) * 60 + (minutes if word in ("past", "after") else -minutes)
    total %= _HALF_DAY
    return total if total >= 60 else total + _HALF_DAY, hour.end


def _clock(stream: Stream, index: int) -> tuple[int, int, bool] | None:
    """Hour and minute: `14:05`, `nine fifty`, `ten`, `ten hundred`, `1430`; the end; whether both are printed."""
    token = stream[index]
    if token.kind == "digits" and index + 2 < len(stream) and stream.norms[index + 1] in (":", ".", "h"):
        minute = stream[index + 2]
        colon = stream.norms[index + 1] == ":"
        glued = stream[index + 1].glued and minute.glued and minute.kind == "digits" and len(minute.norm) == 2
        if glued and len(token.norm) <= 2 and int(token.norm) < 24 and int(minute.norm) < 60:
            return int(token.norm) * 60 + int(minute.norm), index + 3, True
        if colon and stream[index + 1].glued:
            return None
    groups = groups_at(stream, index)
    if not groups or any(group.fraction for group in groups[:2]):
        return None
    first = groups[0]
    if len(first.digits) in (3, 4):
        hour, minute_value = divmod(int(first.digits), 100)
        good = hour < 24 and minute_value < 60
        return (hour * 60 + minute_value, first.end, len(first.digits) == 4 and first.printed) if good else None
    hour, end = int(first.digits), first.end
    if len(groups) > 1 and first.digits == "0" and len(groups[1].digits) == 1:  # oh six, zero six hundred
        hour, end, groups = int(groups[1].digits), groups[1].end, groups[1:]
    if hour > 23:
        return None
    if stream.norms[end : end + 1] == ("hundred",):
        return hour * 60, end + 1, True
    minutes = 0
    if len(groups) > 1 and len(groups[1].digits) == 2 and int(groups[1].digits) < 60:
        minutes, end = int(groups[1].digits), groups[1].end
    elif len(groups) > 2 and groups[1].digits == "0" and len(groups[2].digits) == 1:
        minutes, end = int(groups[2].digits), groups[2].end
    return hour * 60 + minutes, end, False


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

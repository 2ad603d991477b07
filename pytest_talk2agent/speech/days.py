"""Days that are named by their distance: `the day after tomorrow`, `Monday week`, `next Friday`, `in three days`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pytest_talk2agent.speech.libraries import LOCALES, english
from pytest_talk2agent.speech.numerals import group_at, ordinal_at
from pytest_talk2agent.speech.tokens import Stream

_NOW = {"today": 0, "tomorrow": 1, "yesterday": -1, "now": 0}
_SPANS = {"day": 1, "week": 7, "fortnight": 14}
_LONG_SPANS = ("month", "year")
_PERIODS = frozenset(("week", "month", "year", "weekend", "quarter"))
_WHICH = frozenset(("next", "this", "last", "coming", "every", "each", "following", "upcoming", "past", "previous"))
_SAME_WHICH = {
    "coming": "this",
    "upcoming": "this",
    "each": "every",
    "past": "last",
    "previous": "last",
    "following": "next",
}
_PARTS = {
    "end": "end", "beginning": "start", "start": "start", "middle": "middle", "mid": "middle", "early": "early",
    "late": "late",
}  # fmt: skip


@lru_cache(maxsize=1)
def weekday_names() -> Mapping[str, int]:
    """Names and abbreviations of the days of the week from CLDR, Monday is 0, and their plurals."""
    names = _from_cldr("days")
    plurals = {name + "s": day for name, day in names.items() if name.endswith("day")}
    return names | plurals | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}


@lru_cache(maxsize=1)
def month_names() -> Mapping[str, int]:
    """Names and abbreviations of the months from CLDR."""
    return _from_cldr("months")


def _from_cldr(what: str) -> dict[str, int]:
    return {
        name.lower(): number
        for locale in LOCALES
        for width in ("wide", "abbreviated")
        for number, name in english(locale)[what]["format"][width].items()
        if name != "Sun"  # a word of its own
    }


def day_name(number: int) -> str:
    """The full name of a day of the week."""
    return next(name for name, day in weekday_names().items() if day == number and name.endswith("day"))


def shifted(name: str, days: int) -> str:
    """The name of a day so many days from a named one."""
    anchor, sign, count = name, "+", 0
    for mark in "+-":
        head, found, tail = name.rpartition(mark)
        if found and tail.isdecimal():
            anchor, sign, count = head, mark, int(tail)
    total = (count if sign == "+" else -count) + days
    return anchor if not total else f"{anchor}{total:+d}"


@lru_cache(maxsize=1)
def _starts() -> frozenset[str]:
    plurals = {f"{word}s" for word in _NOW}
    return frozenset(
        (*_NOW, *plurals, *weekday_names(), *_WHICH, *_PERIODS, *_PARTS, "the", "in", "day", "tonight", "tonights")
    )


def may_name_day(norm: str) -> bool:
    """A named day can begin with the word, apart from numbers; a quick look before the grammar is asked."""
    return norm in _starts()


def relative_at(stream: Stream, index: int) -> tuple[str, int] | None:
    """The named day that starts at the token in one spelling for all ways to say it, and where it ends."""
    return _counted(stream, index) or _beside(stream, index) or _part_of(stream, index) or _anchor(stream, index)


def _word(stream: Stream, index: int) -> str:
    return stream.norms[index] if index < len(stream) else ""


def _counted(stream: Stream, index: int) -> tuple[str, int] | None:
    """`a week from tomorrow`, `three days from now`, `in two weeks`, `two days ago`, `a week on Monday`."""
    within = _word(stream, index) == "in"
    at = index + within
    if _word(stream, at) in ("a", "an"):
        count, at = 1, at + 1
    else:
        group = group_at(stream, at) if at < len(stream) else None
        if group is None or group.fraction or len(group.digits) > 3:
            return None
        count, at = int(group.digits), group.end
    span = _word(stream, at).removesuffix("s")
    if span in weekday_names() and count > 1:
        return _so_many(stream, at, count)
    if span not in _SPANS and span not in _LONG_SPANS:
        return None
    at += 1
    word = _word(stream, at)
    if within:
        return _moved("today", count, span), at + (word == "time")
    if word == "ago":
        return _moved("today", -count, span), at + 1
    if word in ("hence", "later"):
        return _moved("today", count, span), at + 1
    if word in ("from", "after", "before", "on", "past"):
        anchor = _anchor(stream, at + 1)
        if anchor is not None:
            return _moved(anchor[0], -count if word == "before" else count, span), anchor[1]
        return None
    anchor = _anchor(stream, at) if count == 1 and span == "week" else None
    return (_moved(anchor[0], 1, span), anchor[1]) if anchor is not None else None


def _so_many(stream: Stream, at: int, count: int) -> tuple[str, int] | None:
    """`two Fridays from now`, `three Mondays ago`."""
    name = day_name(weekday_names()[_word(stream, at)])
    if _word(stream, at + 1) == "ago":
        return f"{count} {name} ago", at + 2
    if _word(stream, at + 1) == "from" and _word(stream, at + 2) in ("now", "today"):
        return f"{count} {name} from now", at + 3
    return None


def _moved(name: str, count: int, span: str) -> str:
    return shifted(name, count * _SPANS[span]) if span in _SPANS else f"{name}{count:+d} {span}"


def _beside(stream: Stream, index: int) -> tuple[str, int] | None:
    """`the day after tomorrow`, `the day before Monday`."""
    at = index + (_word(stream, index) == "the")
    if _word(stream, at) != "day" or _word(stream, at + 1) not in ("after", "before"):
        return None
    anchor = _beside(stream, at + 2) or _anchor(stream, at + 2)
    if anchor is None:
        return None
    return shifted(anchor[0], 1 if _word(stream, at + 1) == "after" else -1), anchor[1]


def _part_of(stream: Stream, index: int) -> tuple[str, int] | None:
    """`the end of next week`, `the last Friday of the month`, `the first Monday in May`."""
    at = index + (_word(stream, index) == "the")
    ordinal = ordinal_at(stream, at) if at < len(stream) else None
    word = _word(stream, at)
    if ordinal is not None and _word(stream, ordinal[1]) == "of":
        period = _period(stream, ordinal[1] + 1) if _word(stream, ordinal[1] + 1) not in month_names() else None
        return None if period is None else (f"{ordinal[0]} of {period[0]}", period[1])
    if (ordinal is not None or word == "last") and _word(stream, ordinal[1] if ordinal else at + 1) in (
        *weekday_names(), "day", "week", "weekend", "half", "quarter",
    ):  # fmt: skip
        which, at = ("last", at + 1) if ordinal is None else (str(ordinal[0]), ordinal[1])
        what = _word(stream, at)
        what = day_name(weekday_names()[what]) if what in weekday_names() else what
        if _word(stream, at + 1) not in ("of", "in"):
            return None
        period = _period(stream, at + 2)
        return None if period is None else (f"{which} {what} of {period[0]}", period[1])
    if word in _PARTS:
        at += 1
        at += _word(stream, at) in ("of", "-")
        period = _period(stream, at)
        return None if period is None else (f"{_PARTS[word]} of {period[0]}", period[1])
    return None


def _period(stream: Stream, index: int) -> tuple[str, int] | None:
    """`the month`, `next week`, `the year`, `May`."""
    word = _word(stream, index)
    if word in month_names() and word != "may":
        return f"month {month_names()[word]}", index + 1
    if word == "may" or (word == "the" and _word(stream, index + 1) in _PERIODS | {"day"}):
        return (f"month {5}", index + 1) if word == "may" else (f"this {_word(stream, index + 1)}", index + 2)
    if word in _WHICH and _word(stream, index + 1) in _PERIODS:
        return f"{_SAME_WHICH.get(word, word)} {_word(stream, index + 1)}", index + 2
    return None


def _anchor(stream: Stream, index: int) -> tuple[str, int] | None:
    """A day with the words that say which one it is."""
    at = index + (_word(stream, index) == "the")
    word = _word(stream, at)
    bare = word.removesuffix("s") if word.removesuffix("s") in ("today", "tomorrow", "yesterday", "tonight") else word
    if bare in _NOW or bare == "tonight":
        name, at = ("tonight" if bare == "tonight" else shifted("today", _NOW[bare])), at + 1
        return (shifted(name, 7), at + 1) if _word(stream, at) == "week" else (name, at)
    which = ""
    if word in _WHICH:
        which, at = _SAME_WHICH.get(word, word) + " ", at + 1
        if which == "this " and _word(stream, at) in ("coming", "past"):
            which, at = ("last " if _word(stream, at) == "past" else which), at + 1
        if which == "every " and _word(stream, at) in ("other", "second", "third", "fourth"):
            nth = _word(stream, at).replace("second", "other")
            which, at = f"every {nth} ", at + 1
        word = _word(stream, at)
    if word in weekday_names():
        return _weekday(stream, at, which)
    singular = word.removesuffix("s") if which.startswith("every ") else word
    if which and (singular in _PERIODS or singular == "day"):
        name, at = f"{which}{singular}", at + 1
        of = at + (_word(stream, at) == "on")
        if singular == "week" and _word(stream, of) in weekday_names():
            return f"{day_name(weekday_names()[_word(stream, of)])} of {name}", of + 1
        return name, at
    if word in _PERIODS and stream.norms[at + 1 : at + 3] in (("after", "next"), ("before", "last")):
        return f"{word} {' '.join(stream.norms[at + 1 : at + 3])}", at + 3
    return None


def _weekday(stream: Stream, at: int, which: str) -> tuple[str, int]:
    name = f"{which}{day_name(weekday_names()[_word(stream, at)])}"
    at += 1
    if _word(stream, at) == "week":
        return shifted(name, 7), at + 1
    if stream.norms[at : at + 2] in (("after", "next"), ("after", "that"), ("before", "last")):
        return f"{name} {' '.join(stream.norms[at : at + 2])}", at + 2
    of = at + (_word(stream, at) in ("of", "in"))
    if _word(stream, of) in ("next", "this", "last") and _word(stream, of + 1) == "week":
        return f"{name} of {_word(stream, of)} week", of + 2
    if _word(stream, at) == "fortnight":
        return shifted(name, 14), at + 1
    if _word(stream, at) == "next" and not which and _word(stream, at + 1) not in _PERIODS:
        return f"next {name}", at + 1
    return name, at

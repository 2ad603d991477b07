"""How a value is said and printed: the inverse of the readers in this package.

What is said here is read back by the readers beside it; `benchmarks/forms.py` holds both to that with thousands of
values. The forms are those that speakers use and recognisers print, not all that would be understood.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.speech.currencies import names_of_currency
from pytest_talk2agent.speech.dates import Day, dates
from pytest_talk2agent.speech.days import day_name, month_names
from pytest_talk2agent.speech.measures import measures
from pytest_talk2agent.speech.number_words import cardinal, digits, in_pairs, number_forms, ordinal, ordinal_suffix
from pytest_talk2agent.speech.symbols import SYMBOL_NAMES
from pytest_talk2agent.speech.times import times
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.speech.unit_names import names_of_unit
from pytest_talk2agent.speech.units import Unit

_SYMBOLIC = frozenset(("path", "filename", "flag", "url", "email", "identifier", "version", "code"))


_HUMP = re.compile(r"[^\W\d_](?:(?![A-Z])[^\W\d_])*")  # a word inside a name, or one of a run of capitals


def forms(kind: str, value: str) -> tuple[str, ...]:
    """All ways to say and print a value of the kind, without repetitions; the value itself comes first.

    A value that is not written as its kind has only its own form.
    """
    return tuple(dict.fromkeys((value, *_FORMS.get(kind, _itself)(value))))


def _amount(value: str) -> tuple[Fraction, Unit | None] | None:
    stream = tokenise(value)
    found = measures(stream, 0, len(stream))
    if len(found) != 1 or len(found[0].values) != 1:
        return None
    unit, end = found[0].rate or (found[0].unit, found[0].end)
    return (next(iter(found[0].values)), unit) if end == len(stream) else None


def _itself(value: str) -> Iterator[str]:
    yield value


def _numbers(value: str) -> Iterator[str]:
    stream = tokenise(value)
    if len(stream) == 2 and stream[1].norm in ("st", "nd", "rd", "th"):
        number = int(stream.norms[0])
        yield ordinal(number)
        yield ordinal(number, joiner=" and ")
        return
    amount = _amount(value)
    if amount is not None and amount[1] is None:
        yield from number_forms(amount[0])


def _quantities(value: str) -> Iterator[str]:
    amount = _amount(value)
    if amount is None or amount[1] is None:
        return
    number = amount[0]
    for name in names_of_unit(amount[1]):
        glue = "" if not name[0].isalnum() or (len(name) < 3 and not name.isdecimal()) else " "
        yield f"{_shortest(number)}{glue}{name}"
        yield f"{_shortest(number)} {name}"
        if len(name) > 3:
            for said in number_forms(number):
                if not said.endswith("K"):
                    yield f"{said} {name}"


def _shortest(number: Fraction) -> str:
    return next(number_forms(number))


def _percents(value: str) -> Iterator[str]:
    amount = _amount(value)
    if amount is None:
        return
    for said in number_forms(amount[0]):
        if not said.endswith("K"):
            yield from (f"{said} percent", f"{said} per cent")
    yield from (f"{_shortest(amount[0])}%", f"{_shortest(amount[0])} %", f"{_shortest(amount[0])} pct")


def _moneys(value: str) -> Iterator[str]:
    amount = _amount(value)
    if amount is None or amount[1] is None or len(amount[1].senses) != 1 or amount[0] < 0:
        return
    number, sense = amount[0] * amount[1].senses[0].part, amount[1].senses[0]
    whole, cents = divmod(number * 100, 100)
    if cents.denominator != 1:
        return
    text = f"{int(whole):,}" + (f".{int(cents):02d}" if cents else "")
    signs, names, part = names_of_currency(sense)
    yield from (f"{sign}{text}" for sign in signs)
    for name in names:
        yield f"{text} {name}"
        if not cents:
            yield f"{cardinal(int(whole))} {name}"
        elif part and whole:
            yield f"{cardinal(int(whole))} {name} and {cardinal(int(cents))} {part}"
    if not whole and cents and part:
        yield from (f"{cardinal(int(cents))} {part}", f"{int(cents)} {part}")


def _durations(value: str) -> Iterator[str]:
    yield from _quantities(value)
    amount = _amount(value)
    if amount is None or amount[1] is None or not amount[1].measures("time"):
        return
    seconds = amount[0] * next(iter(amount[1].factors(_second())))
    hours, rest = divmod(seconds, 3600)
    if seconds.denominator == 1 and 1 <= hours < 24 and rest and not rest % 60:
        minutes = int(rest // 60)
        name = "hour" if hours == 1 else "hours"
        yield f"{cardinal(int(hours))} {name} and {cardinal(minutes)} minutes"
        yield f"{hours}h {minutes}m"
        yield f"{hours} hr {minutes} min"
        if minutes == 30:
            yield f"{cardinal(int(hours))} and a half hours"
            yield f"{hours}½ hours"
            if hours == 1:
                yield "an hour and a half"
    if seconds == 1800:
        yield from ("half an hour", "half hour")


@lru_cache(maxsize=1)
def _second() -> Unit:
    from pytest_talk2agent.speech.unit_names import unit_names

    return unit_names().named("second")


def _dates(value: str) -> Iterator[str]:
    stream = tokenise(value)
    found = dates(stream, 0, len(stream))
    if len(found) != 1 or found[0].end != len(stream) or len(found[0].days) != 1:
        return
    day = next(iter(found[0].days))
    if day.day is not None:
        yield from _full_dates(day)
    elif day.year is not None and day.month is not None:
        name, short = _month(day.month)
        for year in _years(day.year):
            yield f"{name} {year}"
            yield f"{name} of {year}"
        yield f"{short} {day.year}"


def _full_dates(day: Day) -> Iterator[str]:
    if day.year is None or day.month is None or day.day is None:
        return
    name, short = _month(day.month)
    year, month, number = day.year, day.month, day.day
    th = f"{number}{ordinal_suffix(number)}"
    yield f"{year:04d}-{month:02d}-{number:02d}"
    yield from (
        f"{name} {number}, {year}",
        f"{name} {th}, {year}",
        f"{number} {name} {year}",
        f"{th} of {name}, {year}",
    )
    yield from (
        f"{short} {number}, {year}",
        f"{short}. {number}, {year}",
        f"{number} {short} {year}",
        f"{year} {name} {number}",
    )
    if year >= 2000 and year < 2100:
        yield from (f"the {th} of {name} '{year % 100:02d}", f"{name} {number}, '{year % 100:02d}")
    if number > 12:
        yield from (
            f"{month}/{number}/{year}",
            f"{number}.{month}.{year}",
            f"{month:02d}/{number:02d}/{year % 100:02d}" if year >= 2000 else str(day.year) + f"-{month}-{number}",
        )
    for said in _years(year):
        yield f"{name} {ordinal(number)} {said}"
        yield f"the {ordinal(number)} of {name} {said}"
        yield f"{ordinal(number)} {name} {said}"
    try:
        weekday = day_name(datetime.date(year, month, number).weekday())
    except ValueError:
        return
    yield f"{weekday}, {name} {th}, {year}"
    yield f"{weekday} the {ordinal(number)} of {name} {next(iter(_years(year)))}"


def _month(number: int) -> tuple[str, str]:
    names = [name.capitalize() for name, month in month_names().items() if month == number]
    return names[0], next((name for name in names if len(name) == 3), names[0])


def _years(year: int) -> Iterator[str]:
    text = str(year)
    if 2000 <= year < 2010 or year % 100 == 0:
        yield cardinal(year) if year >= 2000 else f"{cardinal(year // 100)} hundred"
        if year % 100:
            yield cardinal(year, joiner=" and ")
            yield f"twenty oh {cardinal(year % 100)}"
        return
    pairs = in_pairs(text)
    if pairs:
        yield pairs
    if year >= 2000 or not pairs:
        yield cardinal(year)


def _times(value: str) -> Iterator[str]:
    stream = tokenise(value)
    found = times(stream, 0, len(stream))
    if len(found) != 1 or found[0].end != len(stream):
        return
    minute = max(found[0].minutes) if min(found[0].minutes) < 60 else min(found[0].minutes)
    hour, minutes = divmod(minute, 60)
    twelve, half = (hour - 1) % 12 + 1, "a" if hour < 12 else "p"
    said = f"{cardinal(twelve)}" + (f" {'oh ' if minutes < 10 else ''}{cardinal(minutes)}" if minutes else "")
    clock = f"{twelve}:{minutes:02d}"
    for ending in (f"{half} m", f"{half}m", f"{half}.m.", f"{half.upper()}M"):
        yield f"{said} {ending}"
        yield f"{clock} {ending}"
    yield from (
        f"{clock}{half}m",
        f"{twelve}.{minutes:02d}{half}m",
        f"{hour:02d}{minutes:02d} hours",
    )
    if not 10 <= hour <= 12:  # these may be of either half of the day
        yield f"{hour:02d}:{minutes:02d}"
    part = _part(hour)
    yield f"{said} {part}"
    if not minutes:
        yield f"{cardinal(twelve)} o'clock {part}"
        if hour:
            yield f"{cardinal(hour)} hundred hours"
    elif minutes == 15:
        yield from (f"quarter past {cardinal(twelve)} {part}", f"a quarter past {cardinal(twelve)} {part}")
    elif minutes == 30:
        yield f"half past {cardinal(twelve)} {part}"
    elif minutes == 45:
        yield f"quarter to {cardinal(twelve % 12 + 1)} {part}"
    if minutes >= 10:
        yield f"{cardinal(twelve)}, {minutes} {half.upper()}M"
    if hour >= 13 and minutes >= 10:
        yield f"{cardinal(hour)} {cardinal(minutes)}"


def _part(hour: int) -> str:
    hour %= 24
    return (
        "in the morning"
        if 4 <= hour < 12
        else "in the afternoon"
        if 12 <= hour < 17
        else "in the evening"
        if hour >= 17
        else "at night"
    )


def _symbols(value: str) -> Iterator[str]:
    """Symbols by their names, words as they are, digits and runs without a vowel spelled."""
    words: list[str] = []
    for token in tokenise(value).tokens:
        if token.kind == "symbol":
            if token.norm not in SYMBOL_NAMES:
                return
            words.append(SYMBOL_NAMES[token.norm])
        elif token.kind == "digits":
            words.append(digits(token.norm))
        else:
            words.append(token.norm if len(token.norm) > 3 and token.text.islower() else " ".join(token.norm))
    yield " ".join(words)


def aloud(kind: str, value: str) -> tuple[str, ...]:
    """How a value of letters, digits and symbols is read aloud: word by word, and what is no word spelled as well.

    Empty for other kinds, and where a symbol has no name.
    """
    if kind not in _SYMBOLIC:
        return ()
    words: list[str] = []
    spelled: list[str] = []
    is_odd = False
    for token in tokenise(value).tokens:
        if token.kind == "symbol" and token.norm not in SYMBOL_NAMES:
            return ()
        if token.kind == "word":
            parts = _HUMP.findall(token.text)
            words += [part.lower() if len(part) > 2 else " ".join(part.lower()) for part in parts]
            is_odd = is_odd or any(len(part) < 3 for part in parts)
            spelled += [f"capital {letter.lower()}" if letter.isupper() else letter for letter in token.text]
        else:
            said = SYMBOL_NAMES[token.norm] if token.kind == "symbol" else digits(token.norm)
            words.append(said)
            spelled.append(said)
    return (" ".join(words), *([" ".join(spelled)] if is_odd else ()))


_FORMS: dict[str, Callable[[str], Iterator[str]]] = {
    "number": _numbers, "quantity": _quantities, "percent": _percents, "money": _moneys, "duration": _durations,
    "date": _dates, "time": _times, **dict.fromkeys(_SYMBOLIC, _symbols),
}  # fmt: skip

"""Numbers with their units: `20mm`, `$2,480.75`, `an hour and a half`, `ninety five percent`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.speech.numerals import Numeral, group_at, is_numeric, numeral_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.units import (
    BIT_TEXTS,
    CENTS,
    CURRENCIES,
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    PHRASES,
    UNITS_BY_NAME,
    Unit,
)
from pytest_talk2agent.speech.words import stem

_HALVES = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}
_LONGEST_UNIT = 3
_PER = frozenset(("/", "per", "a", "an", "every", "each"))
_SCALES = {"k": 10**3, "m": 10**6, "bn": 10**9}
_BYTE_RATES = {f"{name}ps": Unit("byte/time", size) for name, size in BIT_TEXTS.items()}
_HOUR = Fraction(3600)
_SMALLER = {_HOUR: UNITS_BY_NAME["minute"], Fraction(60): UNITS_BY_NAME["second"]}


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and its unit in a span of tokens.

    ``values`` are all numbers that it can be, in ``unit``; ``unit`` is None where none is known beside it.
    ``nouns`` are the stems of the words after the number. ``numeral`` is the number as it was read, None for fractions
    in words. ``rate`` is the unit with the time that it is counted in, and where that ends.
    """

    start: int
    end: int
    values: frozenset[Fraction]
    unit: Unit | None
    nouns: tuple[str, ...]
    numeral: Numeral | None
    rate: tuple[Unit, int] | None = None


def rate_at(stream: Stream, unit: Unit, index: int) -> tuple[Unit, int] | None:
    """The rate that the unit before the token is a part of (`/s`, `per second`, `an hour`), and where it ends."""
    if unit.is_rate:
        return unit, index
    if index + 1 >= len(stream) or stream.norms[index] not in _PER or stream[index].paused:
        return None
    time = unit_at(stream, index + 1)
    if time is None or time[0].dimension not in ("time", "month"):
        return None
    return Unit(f"{unit.dimension}/{time[0].dimension}", unit.size / time[0].size), time[1]


def unit_at(stream: Stream, index: int) -> tuple[Unit, int] | None:
    """The unit whose name starts at the token, and where it ends; letters may be spelled (`m m`)."""
    if index >= len(stream):
        return None
    for length in range(_LONGEST_UNIT, 1, -1):
        words = stream.norms[index : index + length]
        if words in PHRASES:
            return PHRASES[words], index + len(words)
    spelled = index
    while spelled < len(stream) and len(stream.norms[spelled]) == 1 and stream.norms[spelled].isalpha():
        spelled += 1
    for end in range(min(spelled, index + 4), index + 1, -1):
        unit = UNITS_BY_NAME.get("".join(stream.norms[index:end]))
        if unit is not None:
            return unit, end
    token = stream[index]
    if token.norm in _BYTE_RATES and "B" in token.text:
        return _BYTE_RATES[token.norm], index + 1
    if token.norm in CURRENCY_SIGNS and not token.glued and index + 1 < len(stream) and stream[index + 1].glued:
        return None  # the sign of the next amount
    if token.norm in BIT_TEXTS and token.text[-1] == "b" and (token.text[0].isupper() or _is_bit_rate(stream, index)):
        return Unit("bit", BIT_TEXTS[token.norm]), index + 1
    if token.norm in ("x", "times") and group_at(stream, index + 1) is not None:
        return None  # `1920 x 1080`
    if token.norm in UNITS_BY_NAME:
        return UNITS_BY_NAME[token.norm], index + 1
    return None


def _is_bit_rate(stream: Stream, index: int) -> bool:
    """`kb/s` where the text shows case: bytes would have a large B."""
    return stream.has_capital and stream.norms[index + 1 : index + 3] in (("/", "s"), ("/", "sec"))


def measures(stream: Stream, low: int, high: int) -> tuple[Measure, ...]:
    """The measures that start and end between two tokens, in order."""
    found: list[Measure] = []
    index = low
    while index < high:
        measure = _measure_at(stream, index)
        if measure is None or measure.start < low:
            index += 1
            continue
        if measure.end <= high or (measure.numeral and measure.numeral.end <= high):
            found.append(measure)
        index = measure.end
    return tuple(found)


@lru_cache(maxsize=8192)
def _measure_at(stream: Stream, index: int) -> Measure | None:
    measure = _amount_at(stream, index)
    if measure is None or measure.unit is None:
        return measure
    return replace(measure, rate=rate_at(stream, measure.unit, measure.end))


def _amount_at(stream: Stream, index: int) -> Measure | None:
    token = stream[index]
    if token.norm in CURRENCY_SIGNS or (token.norm in CURRENCY_CODES and index + 1 < len(stream)):
        signed = _signed(stream, index)
        if signed is not None or token.norm in CURRENCY_SIGNS:
            return signed
    if token.norm in ("-", "minus") and index + 2 < len(stream) and stream.norms[index + 1] in CURRENCY_SIGNS:
        signed = _signed(stream, index + 1)
        if signed:
            values = frozenset(-value for value in signed.values)
            return Measure(index, signed.end, values, signed.unit, signed.nouns, signed.numeral)
    whole = _fraction_at(stream, index)
    if whole is not None:
        return _compound(stream, whole)
    numeral = numeral_at(stream, index)
    if numeral is None:
        return _one_unit(stream, index)
    return _compound(stream, _with_unit(stream, numeral))


def clock_durations(stream: Stream, low: int, high: int) -> tuple[Measure, ...]:
    """Printed durations such as `3:20` (minutes and seconds, or hours and minutes) and `1:03:20`, in seconds."""
    found = []
    index = low
    while index < high:
        parts, end = [stream[index].norm], index + 1
        while end + 1 < high and stream.norms[end] == ":" and stream[end].glued and stream[end + 1].glued:
            parts, end = [*parts, stream.norms[end + 1]], end + 2
        if 2 <= len(parts) <= 3 and all(part.isdecimal() and len(part) <= 2 for part in parts):
            values = [Fraction(0)]
            for part in parts:
                values = [60 * value + int(part) for value in values]
            if len(parts) == 2:
                values.append(60 * values[0])
            found.append(Measure(index, end, frozenset(values), UNITS_BY_NAME["second"], (), None))
        index = end
    return tuple(found)


def _signed(stream: Stream, index: int) -> Measure | None:
    """A currency sign before its number."""
    numeral = numeral_at(stream, index + 1)
    if numeral is None or (stream[index + 1].paused if stream[index].norm.isalpha() else not stream[index + 1].glued):
        return None
    unit, end = UNITS_BY_NAME[stream.norms[index]], numeral.end
    scale = _SCALES.get(stream.norms[end]) if end < len(stream) and stream[end].glued else None
    if scale is not None:  # `$2m`
        values = frozenset(value * scale for value in numeral.values)
        return Measure(index, end + 1, values, unit, (), numeral)
    after = unit_at(stream, end)
    if after and after[0] == unit:
        end = after[1]
    return _with_cents(stream, Measure(index, end, numeral.values, unit, (), numeral))


def _with_unit(stream: Stream, numeral: Numeral) -> Measure:
    values, end = numeral.values, numeral.end
    if stream.norms[end : end + 3] == ("and", "a", "half"):
        values, end = frozenset(value + Fraction(1, 2) for value in values), end + 3
    elif stream.norms[end : end + 3] == ("and", "a", "quarter"):
        values, end = frozenset(value + Fraction(1, 4) for value in values), end + 3
    start = end + (end + 1 < len(stream) and stream.norms[end] == "-" and stream[end].glued and stream[end + 1].glued)
    unit = unit_at(stream, start) if start >= len(stream) or not stream[start].paused else None
    if unit is None:
        return Measure(numeral.start, end, values, None, _nouns(stream, end), numeral)
    end, nouns = unit[1], _nouns(stream, start)
    measure = Measure(numeral.start, end, values, unit[0], nouns, numeral)
    if unit[0].dimension in CURRENCIES:
        return _with_cents(stream, measure)
    return measure


def _nouns(stream: Stream, index: int) -> tuple[str, ...]:
    """The stems of the words behind a number, up to a pause or another number."""
    nouns: list[str] = []
    for token in stream.tokens[index : index + _LONGEST_UNIT]:
        if token.paused or is_numeric(token.norm):
            break
        nouns.append(stem(token.norm))
    return tuple(nouns)


def _with_cents(stream: Stream, measure: Measure) -> Measure:
    """`two dollars and fifty cents`."""
    at = measure.end + (stream.norms[measure.end : measure.end + 1] == ("and",))
    minor = numeral_at(stream, at) if at < len(stream) and not stream[at].paused else None
    if minor is None or len(minor.values) != 1:
        return measure
    cents = next(iter(minor.values))
    named = minor.end < len(stream) and stream.norms[minor.end] in CENTS
    bare = at == measure.end and 10 <= cents < 100 and unit_at(stream, minor.end) is None  # `twelve pounds fifty`
    if not (named or bare) or cents >= 100 or cents.denominator != 1:
        return measure
    values = frozenset(value + cents / 100 for value in measure.values)
    return Measure(measure.start, minor.end + named, values, measure.unit, measure.nouns, measure.numeral)


def _one_unit(stream: Stream, index: int) -> Measure | None:
    """`an hour`, `a minute and a half`."""
    if stream.norms[index] not in ("a", "an"):
        return None
    unit = unit_at(stream, index + 1)
    if unit is None or len(stream.norms[index + 1]) < 3:
        return None
    return _compound(stream, Measure(index, unit[1], frozenset((Fraction(1),)), unit[0], (), None))


def _fraction_at(stream: Stream, index: int) -> Measure | None:
    """`half a year`, `half an hour`, `three quarters of an hour`, `a quarter of a mile`."""
    norms = stream.norms
    count, at = Fraction(1), index
    if norms[index] in ("a", "one"):
        at += 1
    elif norms[index] == "three":
        count, at = Fraction(3), index + 1
    if at >= len(norms):
        return None
    word = norms[at].removesuffix("s") if count > 1 else norms[at]
    if word not in _HALVES:
        return None
    after = at + 1
    after += norms[after : after + 1] == ("of",)
    article = norms[after : after + 1] in (("a",), ("an",))
    unit = unit_at(stream, after + article)
    if unit is None or (not article and word != "half"):
        return None
    return Measure(index, unit[1], frozenset((count * _HALVES[word],)), unit[0], (), None)


def _compound(stream: Stream, measure: Measure) -> Measure:
    """Add `and a half` and smaller parts of a duration: `1 hour 30 minutes`."""
    end, unit = measure.end, measure.unit
    if unit is None:
        return measure
    for words, part in (("and a half", Fraction(1, 2)), ("and a quarter", Fraction(1, 4))):
        if stream.phrase_at(end, tuple(words.split())):
            values = frozenset(value + part for value in measure.values)
            return Measure(measure.start, end + 3, values, unit, measure.nouns, measure.numeral)
    if unit.dimension not in ("time", "month"):
        return measure
    at = end + (stream.norms[end : end + 1] == ("and",))
    numeral = numeral_at(stream, at) if at < len(stream) and not stream[at].paused else None
    smaller = unit_at(stream, numeral.end) if numeral else None
    if numeral and smaller and unit.size == _HOUR and stream.norms[numeral.end] == "m":
        smaller = _SMALLER[_HOUR], numeral.end + 1
    if numeral and smaller is None and at == end and len(numeral.groups) == 1 and unit.size in _SMALLER:
        smaller = _SMALLER[unit.size], numeral.end  # `forty seven minutes five`
        if any(not 0 < value < 60 for value in numeral.values):
            return measure
    if not numeral or not smaller or smaller[0].dimension != unit.dimension or smaller[0].size >= unit.size:
        return measure
    parts = [part * smaller[0].size / unit.size for part in numeral.values]
    values = frozenset(value + part for value in measure.values for part in parts)
    return _compound(stream, Measure(measure.start, smaller[1], values, unit, measure.nouns, measure.numeral))

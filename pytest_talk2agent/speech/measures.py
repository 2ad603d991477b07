"""Numbers with their units: `20mm`, `$2,480.75`, `an hour and a half`, `1½ cups`, `30 m²`, `ninety five percent`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.speech.currencies import currency_at, is_sign, leads, part_of
from pytest_talk2agent.speech.fractions import fraction_at, scaled
from pytest_talk2agent.speech.numerals import SCALE_LETTERS, Numeral, is_numeric, may_start, numeral_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.unit_names import unit_names
from pytest_talk2agent.speech.unit_phrases import NO_UNIT, rate_at, unit_at
from pytest_talk2agent.speech.units import Unit
from pytest_talk2agent.speech.words import stem

NOUNS = 3


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and its unit in a span of tokens.

    ``values`` are all numbers that it can be, in ``unit``; ``unit`` is None where none is known beside it.
    ``nouns`` are the stems of the words after the number. ``numeral`` is the number as it was read, None for fractions
    in words. ``rate`` is the unit with what it is counted in, and where that ends.
    """

    start: int
    end: int
    values: frozenset[Fraction]
    unit: Unit | None
    nouns: tuple[str, ...]
    numeral: Numeral | None
    rate: tuple[Unit, int] | None = None


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number without its unit; ``part`` says that it is a fraction, which may have words before its unit."""

    values: frozenset[Fraction]
    end: int
    numeral: Numeral | None
    part: bool = False


@lru_cache(maxsize=512)
def measures(stream: Stream, low: int, high: int) -> tuple[Measure, ...]:
    """The measures that start and end between two tokens, in order."""
    found: list[Measure] = []
    index = low
    while index < high:
        measure = measure_at(stream, index)
        if measure is None or measure.start < low:
            index += 1
            continue
        if measure.end <= high or (measure.numeral and measure.numeral.end <= high):
            found.append(measure)
        index = measure.end
    return tuple(found)


@lru_cache(maxsize=8192)
def measure_at(stream: Stream, index: int) -> Measure | None:
    """The measure that starts at the token."""
    norm = stream.norms[index]
    if not may_start(norm) and not leads(norm) and not _has_sign(stream, index):
        return None
    measure = _measure_at(stream, index)
    if measure is None:
        return None
    if measure.unit is None:
        per = rate_at(stream, NO_UNIT, measure.end)
        return measure if per is None else replace(measure, end=per[1], unit=per[0], rate=per)
    return replace(measure, rate=rate_at(stream, measure.unit, measure.end))


def _measure_at(stream: Stream, index: int) -> Measure | None:
    signed = _signed(stream, index)
    if signed is not None:
        return signed
    if is_sign(stream.norms[index]):
        return None
    amount = _amount_at(stream, index)
    if amount is None:
        return _one_unit(stream, index)
    return _compound(stream, _with_unit(stream, index, amount))


def _amount_at(stream: Stream, index: int) -> _Amount | None:
    """A number in any notation, with its sign: digits, words, fractions, with a scale word behind it."""
    negative = (
        stream.norms[index] in ("-", "minus", "negative")
        and index + 1 < len(stream)
        and (stream[index].kind == "word" or (not stream[index].glued and stream[index + 1].glued))
    )
    part = fraction_at(stream, index + negative)
    if part is not None:
        value, end = scaled(stream, *part)
        return _Amount(frozenset((-value if negative else value,)), end, None, part=True)
    numeral = numeral_at(stream, index)
    return None if numeral is None else _Amount(numeral.values, numeral.end, numeral)


def letter_at(stream: Stream, index: int) -> tuple[int, int] | None:
    """A scale letter behind a number (`10K`, `$2m`, `5 M`): how many it stands for, and where it ends.

    It is glued to the number or a capital.
    """
    if index >= len(stream) or stream.norms[index] not in SCALE_LETTERS or stream[index].paused:
        return None
    if not stream[index].glued and not stream[index].text[0].isupper():
        return None
    return SCALE_LETTERS[stream.norms[index]], index + 1


@lru_cache(maxsize=512)
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
            found.append(Measure(index, end, frozenset(values), unit_names().named("second"), (), None))
        index = end
    return tuple(found)


def _signed(stream: Stream, index: int) -> Measure | None:
    """A currency before its number: `$5`, `-€3.50`, `USD 40`, `US$ 40`."""
    at = index
    negative = stream.norms[at] == "minus" or (stream.norms[at] == "-" and not stream[at].glued)  # no range: `$25-$60`
    negative = negative and at + 2 < len(stream)
    at += negative
    token = stream[at]
    if not leads(token.norm) and not (token.kind == "word" and _has_sign(stream, at)):
        return None
    found = currency_at(stream, at)
    if found is None or found[1] >= len(stream):
        return None
    unit, start = found
    first = stream[start]
    if not first.glued and (first.paused or (is_sign(token.norm) and first.kind != "digits")):
        return None
    amount = _amount_at(stream, start)
    if amount is None:
        return None
    end = amount.end
    after = unit_at(stream, end)
    if after is not None and after[0].is_currency and after[0].fits(unit) and not is_sign(stream.norms[end]):
        unit, end = (after[0] if len(after[0].senses[0].codes) < len(unit.senses[0].codes) else unit), after[1]
    values = frozenset(-value for value in amount.values) if negative else amount.values
    return _with_cents(stream, Measure(index, end, values, unit, (), amount.numeral))


def _has_sign(stream: Stream, index: int) -> bool:
    """`US$`, `CA$`."""
    return any(is_sign(norm) for norm in stream.norms[index + 1 : index + 3]) and len(stream.norms[index]) <= 3


def _with_unit(stream: Stream, index: int, amount: _Amount) -> Measure:
    values, end = amount.values, amount.end
    start = end + (end + 1 < len(stream) and stream.norms[end] == "-" and stream[end].glued and stream[end + 1].glued)
    if amount.part:
        start += stream.norms[start : start + 1] == ("of",)
        start += stream.norms[start : start + 1] in (("a",), ("an",))
    unit = _mark_behind(stream, end)
    if unit is None and start < len(stream) and not stream[start].paused:
        unit = unit_at(stream, start)
    if unit is None:
        return Measure(index, end, values, None, _nouns(stream, end), amount.numeral)
    measure = Measure(index, unit[1], values, unit[0], _nouns(stream, start), amount.numeral)
    return _with_cents(stream, measure) if unit[0].is_currency else measure


_MARKS = {"'": "foot", "’": "foot", '"': "inch", "”": "inch"}


def _mark_behind(stream: Stream, end: int) -> tuple[Unit, int] | None:
    """The mark of feet or inches at a number (`18"`, `5'11"`), which is no quotation mark that ends a quotation."""
    position = stream[end - 1].end
    mark, before = stream.text[position : position + 1], stream.text[:position]
    if mark not in _MARKS or not mark or stream[end - 1].kind != "digits":
        return None
    if (
        (mark in "'’" and not stream.text[position + 1 : position + 2].isdecimal())
        or before.count(mark) % 2
        or "“" in before
    ):
        return None
    return unit_names().named(_MARKS[mark]), end


def _nouns(stream: Stream, index: int) -> tuple[str, ...]:
    """The stems of the words behind a number, up to a pause or another number."""
    nouns: list[str] = []
    for token in stream.tokens[index : index + NOUNS]:
        if token.paused or is_numeric(token.norm):
            break
        nouns.append(stem(token.norm))
    return tuple(nouns)


def _with_cents(stream: Stream, measure: Measure) -> Measure:
    """`two dollars and fifty cents`, `twelve pounds fifty`."""
    currency = measure.unit
    if currency is None or any(sense.part != 1 for sense in currency.senses):
        return measure
    at = measure.end + (stream.norms[measure.end : measure.end + 1] == ("and",))
    minor = numeral_at(stream, at) if at < len(stream) and not stream[at].paused else None
    if minor is None or len(minor.values) != 1:
        return measure
    cents = next(iter(minor.values))
    part = currency_at(stream, minor.end) if minor.end < len(stream) and not stream[minor.end].paused else None
    named = part is not None and part_of(currency, part[0])
    bare = at == measure.end and 10 <= cents < 100 and unit_at(stream, minor.end) is None
    if not (named or bare) or cents >= 100 or cents.denominator != 1:
        return measure
    values = frozenset(value + cents / 100 for value in measure.values)
    end = part[1] if named and part is not None else minor.end
    return replace(measure, end=end, values=values)


def _one_unit(stream: Stream, index: int) -> Measure | None:
    """`an hour`, `a minute and a half`, `a fortnight`."""
    if stream.norms[index] not in ("a", "an") or index + 1 >= len(stream) or stream[index + 1].paused:
        return None
    unit = unit_at(stream, index + 1)
    if unit is None or len(stream.norms[index + 1]) < 3:
        return None
    return _compound(stream, Measure(index, unit[1], frozenset((Fraction(1),)), unit[0], (), None))


def _compound(stream: Stream, measure: Measure) -> Measure:
    """Add `and a half` and smaller parts: `1 hour 30 minutes`, `5 ft 11 in`, `6 lb 3 oz`."""
    end, unit = measure.end, measure.unit
    if unit is None:
        return measure
    if stream.norms[end : end + 2] == ("and", "a") or stream.norms[end : end + 2] == ("and", "three"):
        part = fraction_at(stream, end + 1)
        if part is not None and unit_at(stream, part[1]) is None:
            values = frozenset(value + part[0] for value in measure.values)
            return replace(measure, end=part[1], values=values)
    if not unit.measures("time", "month", "length", "mass", "angle", "degree"):
        return measure
    at = end + (stream.norms[end : end + 1] == ("and",))
    feet = at < len(stream) and stream[at].lead in ("'", "’")
    numeral = numeral_at(stream, at) if at < len(stream) and (feet or not stream[at].paused) else None
    if numeral is None or any(each < 0 for each in numeral.values):
        return measure
    smaller = _mark_behind(stream, numeral.end)
    if smaller is None and numeral.end < len(stream) and not stream[numeral.end].paused:
        smaller = unit_at(stream, numeral.end)
    if smaller is None and at == end and len(numeral.groups) == 1:
        below = next((low for high, low in _NEXT if Fraction(1) in unit.factors(unit_names().named(high))), "")
        if below and stream.norms[numeral.end : numeral.end + 1] != (":",):
            smaller = unit_names().named(below), numeral.end  # `forty seven minutes five`
    if smaller is None:
        return measure
    factors = frozenset(each for each in smaller[0].factors(unit) if each < 1)
    parts = frozenset(part * factor for part in numeral.values for factor in factors)
    if not parts or any(part >= 1 for part in parts):
        return measure
    values = frozenset(value + part for value in measure.values for part in parts)
    return _compound(stream, replace(measure, end=smaller[1], values=values, unit=_narrowed(unit, smaller[0])))


def _narrowed(unit: Unit, smaller: Unit) -> Unit:
    """The senses of the unit that the smaller one is a part of."""
    return Unit(tuple(sense for sense in unit.senses if smaller.fits(Unit((sense,)))))


_NEXT = (("hour", "minute"), ("minute", "second"), ("foot", "inch"))

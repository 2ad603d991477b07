"""Numbers, quantities, money, percentages and durations: equal values, equal units."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Fault, Reading, Scene
from pytest_talk2agent.speech.measures import Measure, clock_durations, measures, unit_at
from pytest_talk2agent.speech.numerals import group_at, numeral_at, ordinal_at
from pytest_talk2agent.speech.symbols import NUMBER_HOMOPHONES
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.units import CURRENCIES, CURRENCY_CODES, CURRENCY_SIGNS, UNITS_BY_NAME, Unit
from pytest_talk2agent.speech.words import listed, stem

_DECIMAL_COMMA = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,\d{1,2})(?![\w]|[.,]\d)")
_PERCENT = UNITS_BY_NAME["%"]
_LISTING = frozenset(("and", "or", "to", "till", "until", "through", "-", "--", "by"))
_NOUN_REACH = 3
_HINT_REACH = 4
_TOTALS = (("in", "all"), ("in", "total"), ("altogether",))
_ALL_VALUES = frozenset(
    listed(
        "all everything prices amounts values sizes figures numbers totals costs sums lengths widths "
        "heights times durations measures measurements dimensions weights temperatures both these those "
        "are is given"
    )
)


@lru_cache(maxsize=1024)
def reference_measure(value: str, kind: str) -> tuple[Fraction, Unit | None, str] | None:
    """The value, the unit and the noun that the intention asks for; None where the value is no number."""
    stream = _with_points(tokenise(value), bare=True)
    found = measures(stream, 0, len(stream))
    if not found or len(found[0].values) != 1:
        return None
    measure = found[0]
    unit, end = measure.rate or (measure.unit, measure.end)
    if any(token.kind != "word" for token in stream.tokens[end:]):
        return None
    unit = _PERCENT if kind == "percent" and unit is None else unit
    noun = "" if unit is not None or not measure.nouns or kind == "number" else measure.nouns[-1]
    return next(iter(measure.values)), unit, noun


@lru_cache(maxsize=1024)
def _with_points(stream: Stream, *, bare: bool) -> Stream:
    """The text with decimal points where it has decimal commas: `850,50 euros`, `1.850,50`, `0,5 cm`.

    Three digits behind a comma are thousands, unless a zero or a dot between thousands stands before. A comma in a bare
    number counts where a fraction is asked for (``bare``): else `22,80` are two numbers.
    """
    tokens = list(stream.tokens)
    starts = [token.start for token in tokens]
    for found in _DECIMAL_COMMA.finditer(stream.text):
        inside = range(bisect_left(starts, found.start()), bisect_left(starts, found.end()))
        if (
            not inside
            or tokens[inside[0]].start != found.start()
            or "".join(tokens[i].text for i in inside) != found[0]
        ):
            continue
        signed = inside[0] > 0 and stream.norms[inside[0] - 1] in CURRENCY_SIGNS | CURRENCY_CODES
        if bare or signed or unit_at(stream, inside[-1] + 1) is not None:
            for index in inside:
                swapped = {",": ".", ".": ","}.get(tokens[index].norm, tokens[index].norm)
                tokens[index] = replace(tokens[index], norm=swapped)
    return stream if tokens == list(stream.tokens) else Stream(stream.text, tuple(tokens))


def read_numeric(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of all numbers between two tokens: this value, another one, or a doubt."""
    wanted = reference_measure(value, scene.intention.kind)
    if wanted is None:
        return []
    scene = replace(scene, stream=_with_points(scene.stream, bare=wanted[0].denominator != 1))
    readings = []
    for measure in _measures(scene, low, high):
        if measure.nouns[:1] == ("digit",) and wanted[2] != "digit":
            continue  # it counts the digits of another number
        if wanted[1] is not None or wanted[2]:
            measure = _as_listed(scene.stream, measure)
        if wanted[1] is not None and wanted[1].is_rate and measure.rate is not None:
            measure = replace(measure, unit=measure.rate[0], end=measure.rate[1])
        label, reason = _compare(scene, measure, *wanted)
        rival = wanted[1] is None or measure.unit is None or _same_sort(measure.unit, wanted[1])
        readings.append(Reading(measure.start, measure.end, label, reason, rival=rival))
        readings.extend(_inside(scene, measure, wanted))
    readings = _sums(scene, readings, *wanted) or readings or _ordinals(scene, low, high, wanted[0])
    return readings + _homophones(scene, low, high, readings, *wanted)


def _sums(scene: Scene, readings: list[Reading], value: Fraction, unit: Unit | None, noun: str) -> list[Reading]:
    """`19 hundred and 20 pixels`: a round number and a smaller one that are said as one."""
    stream = scene.stream
    for left in readings:
        if stream.norms[left.end : left.end + 1] != ("and",):
            continue
        parts = [each[0] for each in (measures(stream, at, len(stream)) for at in (left.start, left.end + 1)) if each]
        if len(parts) < 2 or parts[0].unit is not None or parts[0].numeral is None or parts[1].start != left.end + 1:
            continue
        whole, rest = parts[0].numeral.groups[-1], max(parts[1].values, default=value)
        if rest < 10**whole.zeros and parts[0].values == {value - rest} and not _unit_fits(scene, parts[1], unit, noun):
            return [Reading(left.start, parts[1].end, Label.RETAINED, "the same value")]
    return []


def _ordinals(scene: Scene, low: int, high: int, value: Fraction) -> list[Reading]:
    """`the third slide` for a bare number."""
    if scene.intention.kind != "number":
        return []
    found = [(index, ordinal_at(scene.stream, index)) for index in range(low, high)]
    return [
        Reading(
            index, each[1], *((Label.RETAINED, "the same place") if each[0] == value else (Label.CHANGED, "another"))
        )
        for index, each in found
        if each is not None and each[1] <= high
    ]


def _measures(scene: Scene, low: int, high: int) -> tuple[Measure, ...]:
    """The measures of the span; a number that runs on into words that the script has elsewhere is cut at the border."""
    stream = scene.stream
    found = measures(stream, low, high)
    if scene.intention.kind == "duration":
        clock = clock_durations(stream, low, high)
        found = (*clock, *(one for one in found if all(one.end <= c.start or one.start >= c.end for c in clock)))
    last = max((measure.end for measure in found), default=low)
    if last >= high or high >= len(stream):
        return found
    clipped = Stream(stream.text, stream.tokens[:high])
    return (*found, *measures(clipped, last, high))


def _inside(scene: Scene, measure: Measure, wanted: tuple[Fraction, Unit | None, str]) -> list[Reading]:
    """One of several groups in a row is the value: numbers side by side cannot be told from one number."""
    numeral = measure.numeral
    if numeral is None or len(numeral.groups) < 2 or wanted[0] in measure.values:
        return []
    at = numeral.start
    if _is_listed(scene, [group.value for group in numeral.groups]):
        for group in numeral.groups:
            if group.value == wanted[0]:
                return [Reading(at, group.end, Label.RETAINED, "the same value in a list")]
            at = group.end
    for group in numeral.groups:
        if group.value == wanted[0] and _unit_fits(scene, measure, wanted[1], wanted[2]) == "":
            return [Reading(at, group.end, Label.UNRESOLVED, "several numbers stand side by side")]
        at = group.end
    return []


def _is_listed(scene: Scene, values: list[Fraction]) -> bool:
    """The numbers side by side are items of the intention's own list, in order."""
    wanted = [reference_measure(value, scene.intention.kind) for value in scene.intention.say]
    listed = [each[0] for each in wanted if each is not None]
    size = len(values)
    return any(listed[index : index + size] == values for index in range(len(listed) - size + 1))


def _homophones(
    scene: Scene, low: int, high: int, numbers: list[Reading], value: Fraction, unit: Unit | None, noun: str
) -> list[Reading]:
    """A word of the number's sound; where the value has a unit, the unit must stand behind it."""
    taken = {index for one in numbers for index in range(one.start, one.end)}
    readings = []
    for index in range(low, high):
        if NUMBER_HOMOPHONES.get(scene.stream.norms[index]) != value or index in taken:
            continue
        if noun and stem("".join(scene.stream.norms[index + 1 : index + 2])) != noun:
            continue
        named = unit_at(scene.stream, index + 1)
        if unit is not None and (named is None or named[0].dimension != unit.dimension):
            continue
        readings.append(
            Reading(index, index + 1, Label.UNRESOLVED, "a word of the same sound stands for the number", Fault.SOUND)
        )
    return readings


def _compare(scene: Scene, measure: Measure, value: Fraction, unit: Unit | None, noun: str) -> tuple[Label, str]:
    values = measure.values
    if unit is not None and measure.unit is not None and unit.dimension == measure.unit.dimension:
        values = frozenset(each * measure.unit.size / unit.size for each in values)
    if unit is not None and unit.dimension in CURRENCIES:
        values = values | _as_money(measure)
    values = _hinted(scene.stream, measure, values)
    if value not in values:
        return _not_equal(measure, value)
    wrong = _unit_fits(scene, measure, unit, noun)
    if wrong:
        return Label.CHANGED, wrong
    if len(values) > 1 and measure.numeral is not None:
        return Label.UNRESOLVED, "the number may be read in more than one way"
    return Label.RETAINED, "the same value"


def _as_money(measure: Measure) -> frozenset[Fraction]:
    """`eighteen fifty` may be 18.50 as well as 1850, with the unit beside it or without."""
    groups = measure.numeral.groups if measure.numeral else ()
    cents = "".join(group.digits for group in groups[1:])
    if len(cents) != 2 or len(groups[0].digits) > 3 or any(each.denominator != 1 for each in measure.values):
        return frozenset()
    return frozenset((Fraction(int(groups[0].digits)) + Fraction(int(cents), 100),))


def _hinted(stream: Stream, measure: Measure, values: frozenset[Fraction]) -> frozenset[Fraction]:
    """The values that have as many digits as the transcript says behind the number: `2050, four digits`."""
    if len(values) < 2:
        return values
    for index in range(measure.end, len(stream)):
        if any(stream.phrase_at(index, words) for words in _TOTALS):
            total = max((each for one in measures(stream, measure.end, index) for each in one.values), default=None)
            return frozenset(each for each in values if total is None or each <= total) or values
    for index in range(measure.end, min(len(stream), measure.end + _HINT_REACH)):
        count = group_at(stream, index)
        if count is None or stem("".join(stream.norms[count.end : count.end + 1])) != "digit":
            continue
        fitting = frozenset(each for each in values if each.denominator == 1 and len(str(abs(each))) == count.value)
        return fitting or values
    return values


def _not_equal(measure: Measure, value: Fraction) -> tuple[Label, str]:
    numeral = measure.numeral
    digits = str(abs(value)) if value.denominator == 1 else _decimal(abs(value))
    whole = all(each.denominator == 1 for each in measure.values)
    if numeral and whole and numeral.single and "." in digits and numeral.joined == digits.replace(".", ""):
        return Label.UNRESOLVED, "the digits are right, the decimal point is missing"
    if -value in measure.values and value:
        return Label.CHANGED, "the sign differs"
    return Label.CHANGED, "another value"


def _decimal(value: Fraction) -> str:
    whole, rest, digits = value.numerator // value.denominator, value % 1, ""
    while rest and len(digits) < 12:
        rest *= 10
        digits += str(rest.numerator // rest.denominator)
        rest %= 1
    return f"{whole}.{digits}"


def _unit_fits(scene: Scene, measure: Measure, unit: Unit | None, noun: str) -> str:
    """What is wrong with the unit, empty where nothing is."""
    if unit is None and not noun:
        return _added_unit(scene, measure)
    if noun:
        if noun in measure.nouns[:_NOUN_REACH]:
            return ""
        return "the unit is lost" if measure.unit is None else "another unit"
    if measure.unit is None:
        return "" if _stated(scene.stream, unit) else "the unit is lost"
    return "" if _same(measure.unit, unit) else "another unit"


def _same_sort(heard: Unit, wanted: Unit) -> bool:
    return heard.dimension == wanted.dimension or {heard.dimension, wanted.dimension} <= CURRENCIES


def _same(heard: Unit, wanted: Unit | None) -> bool:
    if wanted is None:
        return False
    celsius = {"celsius", "degree"}
    if {heard.dimension, wanted.dimension} <= celsius and wanted.dimension == "degree":
        return True
    return heard.dimension == wanted.dimension


def _as_listed(stream: Stream, measure: Measure) -> Measure:
    """With the unit at the end of a list that the number stands in: `20, 30 and 35 mm`, `from 7 to 10 crates`."""
    at = measure.end
    while measure.unit is None and at < len(stream):
        step = at
        while step < len(stream) and stream.norms[step] in _LISTING:
            step += 1
        numeral = numeral_at(stream, step)
        if numeral is None or (step == at and not stream[step].paused):
            break
        last = next(iter(measures(stream, step, len(stream))), None)
        if last is not None and last.start == step and (last.unit is not None or last.nouns):
            return replace(measure, unit=last.unit, nouns=last.nouns, rate=last.rate)
        at = numeral.end
    return measure


def _stated(stream: Stream, unit: Unit | None) -> bool:
    """The transcript says the unit once for all values: `all prices in dollars`."""
    if unit is None:
        return False
    for index, word in enumerate(stream.norms[:-1]):
        if word != "in" or index == 0 or stream.norms[index - 1] not in _ALL_VALUES:
            continue
        named = unit_at(stream, index + 1)
        if named and named[0] == unit and len(stream.norms[index + 1]) > 1:
            return True
    return False


def _added_unit(scene: Scene, measure: Measure) -> str:
    """A unit beside a bare number counts unless the script has it there too."""
    if measure.unit is None or measure.numeral is None or measure.numeral.end == measure.end:
        if measure.unit is None or measure.unit.dimension not in CURRENCIES:
            return ""
    elif len(scene.stream.norms[measure.end - 1]) == 1 and scene.stream.norms[measure.end - 1].isalpha():
        return ""
    if scene.script is None or scene.slot is None:
        return ""
    around = measures(scene.script, max(0, scene.slot[0] - 1), len(scene.script))
    said = next((other for other in around if other.end >= scene.slot[1]), None)
    if said and said.start <= scene.slot[0] and said.unit is not None and _same(said.unit, measure.unit):
        return ""
    return "a unit was added that the script does not say"

"""Numbers, quantities, money, percentages and durations: equal values, equal units."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Fault, Reading, Scene
from pytest_talk2agent.speech.fractions import fraction_at
from pytest_talk2agent.speech.measures import NOUNS, Measure, clock_durations, letter_at, measure_at, measures
from pytest_talk2agent.speech.numerals import group_at, may_start, numeral_at, ordinal_at
from pytest_talk2agent.speech.symbols import NUMBER_HOMOPHONES
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.unit_names import unit_names
from pytest_talk2agent.speech.unit_phrases import unit_at, with_points
from pytest_talk2agent.speech.units import Unit
from pytest_talk2agent.speech.words import listed, stem

_LISTING = frozenset(("and", "or", "to", "till", "until", "through", "-", "--", "by", "x", "×", "*"))
_LOST_UNIT = "the unit is lost"
_HINT_REACH = 4
_RATE_REACH = 12
_LONGEST_LIST = 60  # tokens of a list that has its unit at the end
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
    stream = with_points(tokenise(value), bare=True)
    ordinal = ordinal_at(stream, 0) if len(stream) and kind == "number" else None
    if ordinal is not None and ordinal[1] == len(stream):
        return Fraction(ordinal[0]), None, ""
    found = measures(stream, 0, len(stream))
    if not found:
        return None
    measure = _scaled(found[0], stream, None, kind)
    if len(measure.values) != 1:
        return None
    unit, end = measure.rate or (measure.unit, measure.end)
    if any(token.kind != "word" for token in stream.tokens[end:]):
        return None
    if unit is not None and kind != "money" and stream.norms[end - 1] == "p":
        unit = None  # `1080p` is no money
    if unit is not None:
        unit = unit.of_kind(kind)
    elif kind == "percent":
        unit = unit_names().named("percent")
    noun = "" if unit is not None or not measure.nouns or kind == "number" else measure.nouns[-1]
    return next(iter(measure.values)), unit, noun


def read_numeric(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of all numbers between two tokens: this value, another one, or a doubt."""
    kind = scene.intention.kind
    wanted = reference_measure(value, kind)
    if wanted is None:
        return []
    scene = replace(scene, stream=with_points(scene.stream, bare=wanted[0].denominator != 1))
    readings = []
    ordinals = _ordinals(scene, low, high, wanted[0])
    ordinal = {index for one in ordinals for index in range(one.start, one.end)}
    for found in _measures(scene, low, high):
        if not ordinal.isdisjoint(range(found.start, found.end)):
            continue
        if found.nouns[:1] == ("digit",) and wanted[2] != "digit":
            continue  # it counts the digits of another number
        measure = _scaled(found, scene.stream, wanted[1], kind, scene)
        if wanted[1] is not None or wanted[2]:
            measure = _as_listed(scene.stream, measure)
        label, reason = _compare(scene, measure, *wanted)
        if measure.rate is not None and wanted[1] is not None and wanted[1].is_rate:
            measure = replace(measure, unit=measure.rate[0], end=measure.rate[1])
        rival = wanted[1] is None or measure.unit is None or measure.unit.shares(wanted[1])
        readings.append(Reading(measure.start, measure.end, label, reason, rival=rival))
        readings.extend(_inside(scene, measure, wanted))
    readings = _sums(scene, readings, *wanted) or [*readings, *ordinals]
    return readings + _homophones(scene, low, high, readings, *wanted)


def _scaled(measure: Measure, stream: Stream, wanted: Unit | None, kind: str, scene: Scene | None = None) -> Measure:
    """With the scale letter behind the number (`10K rows`, `$70 K`), unless it is the unit or the script says it so."""
    if measure.numeral is None or kind not in ("number", "money", "quantity"):
        return measure
    at = measure.numeral.end
    letter = letter_at(stream, at)
    if letter is None or (
        kind == "quantity" and (scene is None or stream[at].text == "m") and measure.unit is not None
    ):
        return measure
    if wanted is not None and not wanted.is_currency and measure.unit is not None and measure.unit.fits(wanted):
        return measure
    if scene is not None and scene.script is not None and scene.slot is not None:
        said = scene.script.tokens[scene.slot[1] - 1 : scene.slot[1] + 1]
        if any(token.norm == stream.norms[at] and not token.glued for token in said):
            return measure  # `apartment three b`
    values, end = frozenset(value * letter[0] for value in measure.values), letter[1]
    unit = measure.unit if measure.start < measure.numeral.start else None
    after = unit_at(stream, end) if end < len(stream) and not stream[end].paused else None
    if after is not None and (unit is None or after[0].fits(unit)):
        unit, end = after
    nouns = tuple(stem(token.norm) for token in stream.tokens[end : end + NOUNS] if not token.paused)
    return replace(measure, values=values, unit=unit, end=end, nouns=nouns, rate=None)


def _sums(scene: Scene, readings: list[Reading], value: Fraction, unit: Unit | None, noun: str) -> list[Reading]:
    """`19 hundred and 20 pixels`: a round number and a smaller one that are said as one."""
    stream = scene.stream
    for left in readings:
        if stream.norms[left.end : left.end + 1] != ("and",):
            continue
        parts = [one for at in (left.start, left.end + 1) if at < len(stream) and (one := measure_at(stream, at))]
        if len(parts) < 2 or parts[0].unit is not None or parts[0].numeral is None or parts[1].start != left.end + 1:
            continue
        whole, rest = parts[0].numeral.groups[-1], max(parts[1].values, default=value)
        if rest < 10**whole.zeros and parts[0].values == {value - rest} and not _unit_fits(scene, parts[1], unit, noun):
            return [Reading(left.start, parts[1].end, Label.RETAINED, "the same value")]
    return []


def _ordinals(scene: Scene, low: int, high: int, value: Fraction) -> list[Reading]:
    """`the third slide` for a bare number; not `a fifth`, and not the 30th that stands for another number."""
    if scene.intention.kind != "number":
        return []
    stream, readings, index = scene.stream, [], low
    while index < high:
        if not may_start(stream.norms[index]):
            index += 1
            continue
        part = fraction_at(stream, index)
        found = ordinal_at(stream, index)
        if part is not None and part[0].denominator > 1 and not (found and stream.norms[index] == "one"):
            found = None  # `a fifth`, but `one hundredth` is either
        if found is not None and found[1] <= high:
            same = found[0] == value
            label, reason = (Label.RETAINED, "the same place") if same else (Label.CHANGED, "another place")
            readings.append(Reading(index, found[1], label, reason))
            index = found[1]
        else:
            index = part[1] if part is not None else index + 1
    return readings


def _measures(scene: Scene, low: int, high: int) -> tuple[Measure, ...]:
    """The measures of the span; a number that runs on into words that the script has elsewhere is cut at the border."""
    stream = scene.stream
    found = measures(stream, low, high)
    if scene.intention.kind == "duration":
        clock = clock_durations(stream, low, high)
        found = (*clock, *(one for one in found if all(one.end <= c.start or one.start >= c.end for c in clock)))
    found = tuple(part for one in found for part in _alternatives(scene, one))
    last = max((measure.end for measure in found), default=low)
    if last >= high or high >= len(stream):
        return found
    clipped = Stream(stream.text, stream.tokens[:high])
    return (*found, *measures(clipped, last, high))


def _alternatives(scene: Scene, measure: Measure) -> tuple[Measure, ...]:
    """`[15/50]` is two numbers where one of them is wanted, else a fraction."""
    stream, at = scene.stream, measure.start
    if measure.numeral is not None or stream.norms[at + 1 : at + 2] != ("/",):
        return (measure,)
    if not at or stream.norms[at - 1] not in ("[", "("):
        return (measure,)
    wanted = [reference_measure(value, scene.intention.kind) for value in scene.intention.say]
    parts = [numeral_at(stream, index) for index in (at, at + 2)]
    numerals = [part for part in parts if part is not None]
    if not any(one is not None and one[0] in part.values for one in wanted for part in numerals):
        return (measure,)
    first, last = numerals[0], numerals[-1]
    return Measure(at, at + 1, first.values, None, (), first), replace(
        measure, start=at + 2, values=last.values, numeral=last
    )


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
    for index in _homophones_of(scene.stream):
        if not low <= index < high or NUMBER_HOMOPHONES[scene.stream.norms[index]] != value or index in taken:
            continue
        if noun and stem("".join(scene.stream.norms[index + 1 : index + 2])) != noun:
            continue
        named = unit_at(scene.stream, index + 1)
        if unit is not None and (named is None or not named[0].shares(unit)):
            continue
        readings.append(
            Reading(index, index + 1, Label.UNRESOLVED, "a word of the same sound stands for the number", Fault.SOUND)
        )
    return readings


def _compare(scene: Scene, measure: Measure, value: Fraction, unit: Unit | None, noun: str) -> tuple[Label, str]:
    if unit is not None and unit.is_rate and measure.rate is not None:
        measure = replace(measure, unit=measure.rate[0])
    read = measure.values | (_as_money(measure) if unit is not None and unit.is_currency else frozenset())
    read = values = _hinted(scene.stream, measure, read)
    if unit is not None and measure.unit is not None and (factors := measure.unit.factors(unit)):
        values = frozenset(each * factor for each in read for factor in factors)
    if value not in values:
        return _not_equal(measure, value)
    wrong = _unit_fits(scene, measure, unit, noun) or _added_rate(scene, measure, unit)
    if wrong == _LOST_UNIT and measure.unit is None and not noun:
        if scene.locating:
            return Label.UNRESOLVED, "the speaker does not say the unit"
        wrong = "" if _is_bare(scene, unit) else wrong
    if wrong:
        return Label.CHANGED, wrong
    if len(read) > 1:
        return Label.UNRESOLVED, "the number may be read in more than one way"
    return Label.RETAINED, "the same value"


def _is_bare(scene: Scene, unit: Unit | None) -> bool:
    """The speaker said the number without its unit in this place, and the unit nowhere for all values."""
    if scene.script is None or scene.slot is None or _stated(scene.script, unit):
        return False
    said = [
        one
        for one in measures(scene.script, 0, len(scene.script))
        if one.start < scene.slot[1] and one.end > scene.slot[0]
    ]
    return bool(said) and all(_as_listed(scene.script, one).unit is None for one in said)


def _added_rate(scene: Scene, measure: Measure, unit: Unit | None) -> str:
    """`1.5 MB per second` for 1.5 MB, unless the script has the rate too."""
    if unit is None or unit.is_rate or measure.rate is None or measure.unit is None or measure.unit.is_rate:
        return ""
    if scene.script is None or scene.slot is None:
        return ""
    around = measures(scene.script, max(0, scene.slot[0] - 1), min(len(scene.script), scene.slot[1] + _RATE_REACH))
    said = next((other for other in around if other.end >= scene.slot[1]), None)
    return "" if said is not None and said.rate is not None else "a rate was added that the script does not say"


def _as_money(measure: Measure) -> frozenset[Fraction]:
    """`eighteen fifty` may be 18.50 as well as 1850, with the unit beside it or without."""
    groups = measure.numeral.groups if measure.numeral else ()
    cents = "".join(group.digits for group in groups[1:])
    joined = "".join(group.digits for group in groups)
    if len(cents) != 2 or len(groups[0].digits) > 3 or Fraction(int(joined)) not in measure.values:
        return frozenset()
    return frozenset((Fraction(int(groups[0].digits)) + Fraction(int(cents), 100),))


def _hinted(stream: Stream, measure: Measure, values: frozenset[Fraction]) -> frozenset[Fraction]:
    """The values that have as many digits as the transcript says behind the number: `2050, four digits`."""
    if len(values) < 2:
        return values
    index = next((at for at in _totals(stream) if at >= measure.end), None)
    if index is not None:
        total = max((each for one in measures(stream, measure.end, index) for each in one.values), default=None)
        return frozenset(each for each in values if total is None or each <= total) or values
    for index in range(measure.end, min(len(stream), measure.end + _HINT_REACH)):
        count = group_at(stream, index)
        if count is None or stem("".join(stream.norms[count.end : count.end + 1])) != "digit":
            continue
        fitting = frozenset(each for each in values if each.denominator == 1 and len(str(abs(each))) == count.value)
        return fitting or values
    return values


@lru_cache(maxsize=64)
def _totals(stream: Stream) -> tuple[int, ...]:
    return tuple(index for index in range(len(stream)) if any(stream.phrase_at(index, words) for words in _TOTALS))


@lru_cache(maxsize=64)
def _homophones_of(stream: Stream) -> tuple[int, ...]:
    """Where words stand that sound like numbers."""
    return tuple(index for index, word in enumerate(stream.norms) if word in NUMBER_HOMOPHONES)


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
        if noun in measure.nouns:
            return ""
        return _LOST_UNIT if measure.unit is None else "another unit"
    if measure.unit is None:
        return "" if _stated(scene.stream, unit) else _LOST_UNIT
    return "" if unit is None or measure.unit.fits(unit) else "another unit"


def _as_listed(stream: Stream, measure: Measure) -> Measure:
    """With the unit at the end of a list that the number stands in: `20, 30 and 35 mm`, `from 7 to 10 crates`."""
    at = measure.end
    while measure.unit is None and at < min(len(stream), measure.end + _LONGEST_LIST):
        step = at
        while step < len(stream) and stream.norms[step] in _LISTING:
            step += 1
        numeral = numeral_at(stream, step)
        if numeral is None or (step == at and not stream[step].paused):
            break
        last = measure_at(stream, step)
        if last is not None and last.start == step and (last.unit is not None or last.nouns):
            return replace(measure, unit=last.unit, nouns=last.nouns, rate=last.rate)
        at = numeral.end
    return measure


@lru_cache(maxsize=256)
def _stated(stream: Stream, unit: Unit | None) -> bool:
    """The transcript says the unit once for all values: `all prices in dollars`."""
    if unit is None:
        return False
    for index, word in enumerate(stream.norms[:-1]):
        if word != "in" or index == 0 or stream.norms[index - 1] not in _ALL_VALUES:
            continue
        named = unit_at(stream, index + 1)
        if named and named[0].fits(unit) and len(stream.norms[index + 1]) > 1:
            return True
    return False


def _added_unit(scene: Scene, measure: Measure) -> str:
    """A unit beside a bare number counts unless the script has it there too."""
    if measure.unit is None or measure.numeral is None or measure.numeral.end == measure.end:
        if measure.unit is None or not measure.unit.is_currency:
            return ""
    elif len(scene.stream.norms[measure.end - 1]) == 1 and scene.stream.norms[measure.end - 1].isalpha():
        return ""
    if scene.script is None or scene.slot is None:
        return ""
    around = measures(scene.script, max(0, scene.slot[0] - 1), len(scene.script))
    said = next((other for other in around if other.end >= scene.slot[1]), None)
    if said and said.start <= scene.slot[0] and said.unit is not None and measure.unit.fits(said.unit):
        return ""
    return "a unit was added that the script does not say"

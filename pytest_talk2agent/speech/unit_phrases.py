"""Units as they stand behind a number: names, squares and cubes, products, rates."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache

from pytest_talk2agent.speech.currencies import currency_at, is_code, is_sign
from pytest_talk2agent.speech.numerals import group_at
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.unit_names import unit_names
from pytest_talk2agent.speech.units import Sense, Unit
from pytest_talk2agent.speech.words import stem

_POWER_WORDS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWER_ENDINGS = {"²": 2, "³": 3, "squared": 2, "cubed": 3}
_GLUED_POWERS = {"2": 2, "3": 3}
_PER = frozenset(("/", "per", "a", "an", "every", "each"))
NO_UNIT = Unit((Sense("1", "1"),))  # what a bare number counts, as in `56 per km²`
_TIMES = ("time", "month")
_LONGEST_SPELLED = 4
# Letters that are units beside a number only as capitals, or where nothing else can follow.
_CAPITALS = frozenset("acfjkn")
_BITS = frozenset(("kb", "mb", "gb", "tb"))


def unit_at(stream: Stream, index: int) -> tuple[Unit, int] | None:
    """The unit whose name starts at the token, and where it ends; letters may be spelled (`m m`)."""
    if index >= len(stream):
        return None
    token = stream[index]
    if is_sign(token.norm) and not token.glued and index + 1 < len(stream) and stream[index + 1].glued:
        return None  # the sign of the next amount
    if token.norm in ("x", "times", "×") and group_at(stream, index + 1) is not None:
        return None  # `1920 x 1080`
    power = _POWER_WORDS.get(token.norm)
    if power is not None:
        at = index + 1 + (stream.norms[index + 1 : index + 2] == (".",))
        base = (unit_names().named("inch"), at + 1) if stream.norms[at : at + 1] == ("in",) else None
        base = base or (_simple(stream, at) if at < len(stream) else None)
        lengths = _lengths(base[0]) if base else ()
        return (Unit(tuple(sense.power(power) for sense in lengths)), base[1]) if base and lengths else None
    if len(token.norm) > 2 and token.norm[-1] in "²³":
        named = unit_names().single(token.norm[:-1])
        if named is not None and _lengths(named):
            exponent = _POWER_ENDINGS[token.norm[-1]]
            return Unit(tuple(sense.power(exponent) for sense in _lengths(named))), index + 1
    found = _simple(stream, index)
    if found is None:
        return None
    return _product(stream, *_with_power(stream, *found))


def _simple(stream: Stream, index: int) -> tuple[Unit, int] | None:
    """The longest name at the token, of a unit or of a currency; where both have it, it means either."""
    spelled = _spelled(stream, index)
    if spelled is not None:
        return spelled
    token, names = stream[index], unit_names()
    if token.norm in _BITS:
        return _bytes(stream, index), index + 1
    found, money = names.at(stream, index), currency_at(stream, index)
    if found is not None and len(token.text) > 1 and found[1] == index + 1 and token.text in names.exact:
        found = names.exact[token.text], index + 1
    if found is not None and found[1] == index + 1 and len(token.norm) == 1 and not _is_letter_unit(stream, index):
        found = None
    if found is None and token.norm == "in" and _is_inch(stream, index):
        found = names.named("inch"), index + 1
    if money is not None and token.norm == "p" and not token.glued:
        money = None
    if found is None or money is None:
        return found or money
    if found[1] != money[1]:
        return max(found, money, key=lambda one: one[1])
    return Unit((*found[0].senses, *money[0].senses)), found[1]


def _spelled(stream: Stream, index: int) -> tuple[Unit, int] | None:
    end = index
    while end < len(stream) and len(stream.norms[end]) == 1 and stream.norms[end].isalpha():
        end += 1
    for stop in range(min(end, index + _LONGEST_SPELLED), index + 1, -1):
        words = "".join(stream.norms[index:stop])
        named = unit_names().single(words)
        if named is not None and not (stream.norms[index] == "a" and stop - index < 3):
            return named, stop
    return None


def _bytes(stream: Stream, index: int) -> Unit:
    """`Mb` is bits and `MB` bytes; small letters alone are either, but bits in a rate of a text that shows case."""
    text, norm = stream[index].text, stream[index].norm
    rate = stream.has_capital and stream.norms[index + 1 : index + 3] in (("/", "s"), ("/", "sec"))
    prefix = {"k": "kilo", "m": "mega", "g": "giga", "t": "tera"}[norm[0]]
    if text[-1] == "b" and (text[0].isupper() or rate):
        return unit_names().named(f"{prefix}bit")
    if text.islower():
        return Unit((*unit_names().named(f"{prefix}byte").senses, *unit_names().named(f"{prefix}bit").senses))
    return unit_names().named(f"{prefix}byte")


def _is_letter_unit(stream: Stream, index: int) -> bool:
    token = stream[index]
    if not token.norm.isalpha() or token.norm not in _CAPITALS:
        return True
    last = index + 1 == len(stream) or stream[index + 1].paused
    if token.norm == "a":
        return token.text == "A"
    return token.text.isupper() or token.glued or last


def _is_inch(stream: Stream, index: int) -> bool:
    """`in` is the unit where it is glued to its number, or where no word follows that it could go with."""
    if index == 0 or stream[index].paused or not stream.norms[index - 1][-1].isdecimal():
        return False
    last = index + 1 == len(stream) or stream[index + 1].paused
    return stream[index].glued or last or stream.norms[index + 1] in ("x", "×", "by")


def _lengths(unit: Unit) -> tuple[Sense, ...]:
    return tuple(sense for sense in unit.senses if sense.dimension == "length")


def _with_power(stream: Stream, unit: Unit, end: int) -> tuple[Unit, int]:
    """`m²`, `m2`, `m^2`, `metres squared`."""
    lengths = _lengths(unit)
    if not lengths or end >= len(stream):
        return unit, end
    token = stream[end]
    exponent, stop = _POWER_ENDINGS.get(token.norm), end + 1
    if exponent is None and token.glued and token.norm in _GLUED_POWERS and token.kind == "digits":
        exponent = _GLUED_POWERS[token.norm]
    if exponent is None and token.norm == "^" and token.glued and stream.norms[end + 1 : end + 2] in (("2",), ("3",)):
        exponent, stop = int(stream.norms[end + 1]), end + 2
    if exponent is None:
        return unit, end
    return Unit(tuple(sense.power(exponent) for sense in lengths)), stop


def _product(stream: Stream, unit: Unit, end: int) -> tuple[Unit, int]:
    """`megawatt hours`, `amp-hours`, `newton metres`."""
    at = end
    if at + 1 < len(stream) and stream.norms[at] in ("-", "⋅", "·", "*"):
        at += 1
    if at >= len(stream) or stream[at].paused:
        return unit, end
    for dimensions, words in ((("power", "ampere"), _HOURS), (("force",), _METRES)):
        senses = [sense for sense in unit.senses if sense.dimension in dimensions]
        if senses and stream.norms[at] in words:
            other = unit_names().named("hour" if words is _HOURS else "meter").senses[0]
            return Unit(tuple(sense.times(other) for sense in senses)), at + 1
    return unit, end


_HOURS = frozenset(("hour", "hours", "h"))
_METRES = frozenset(("meter", "meters", "metre", "metres", "m"))


def rate_at(stream: Stream, unit: Unit, index: int) -> tuple[Unit, int] | None:
    """The rate that the unit before the token is a part of (`/s`, `per litre`, `an hour`), and where it ends."""
    if unit.is_rate:
        return unit, index
    if index + 1 >= len(stream) or stream.norms[index] not in _PER or stream[index].paused:
        return None
    below = unit_at(stream, index + 1)
    if unit is NO_UNIT and (below is None or stream.norms[index] not in ("/", "per")):
        return None
    if stream.norms[index] in ("/", "per"):
        if below is not None:
            return unit.over(below[0]), below[1]
        word = stream[index + 1]
        if word.kind != "word":
            return None
        return unit.over(Unit((Sense(stem(word.norm), stem(word.norm)),))), index + 2
    if below is None or not below[0].measures(*_TIMES):
        return None
    times = Unit(tuple(sense for sense in below[0].senses if sense.dimension in _TIMES))
    return unit.over(times), below[1]


_DECIMAL_COMMA = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,\d{1,2})(?![\w]|[.,]\d)")
_SWAPPED = {",": ".", ".": ","}


@lru_cache(maxsize=1024)
def with_points(stream: Stream, *, bare: bool) -> Stream:
    """The text with decimal points where it has decimal commas: `850,50 euros`, `1.850,50`, `0,5 cm`.

    Three digits behind a comma are thousands, unless a zero or a dot between thousands stands before. A comma in a bare
    number counts where a fraction is asked for (``bare``): else `22,80` are two numbers.
    """
    if "," not in stream.text:
        return stream
    tokens = list(stream.tokens)
    starts = [token.start for token in tokens]
    for found in _DECIMAL_COMMA.finditer(stream.text):
        inside = range(bisect_left(starts, found.start()), bisect_left(starts, found.end()))
        if (
            not inside
            or tokens[inside[0]].start != found.start()
            or "".join(tokens[index].text for index in inside) != found[0]
        ):
            continue
        before = stream.norms[inside[0] - 1] if inside[0] else ""
        if bare or is_sign(before) or is_code(before) or unit_at(stream, inside[-1] + 1) is not None:
            for index in inside:
                norm = tokens[index].norm
                tokens[index] = replace(tokens[index], norm=_SWAPPED.get(norm, norm))
    return stream if tokens == list(stream.tokens) else Stream(stream.text, tuple(tokens))

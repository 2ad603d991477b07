"""Numbers in speech and in print, as sets of readings.

`one seventy nine`, `179` and `one hundred seventy nine` all read 179; `200 5` reads 205 and 2005. No reading is chosen
here: spoken forms are set-valued, and the caller sees all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import listed

UNITS = {word: value for value, word in enumerate(listed("zero one two three four five six seven eight nine"))}
TEENS = {
    word: value
    for value, word in enumerate(
        listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"), start=10
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
} | {"fourty": 40}
SCALES = {
    "thousand": 10**3, "lakh": 10**5, "lakhs": 10**5, "million": 10**6, "crore": 10**7, "crores": 10**7,
    "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15, "quintillion": 10**18, "sextillion": 10**21,
    "septillion": 10**24,
}  # fmt: skip
SCALE_LETTERS = {"k": 10**3, "m": 10**6, "mn": 10**6, "mil": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
_ORDINAL_SCALES = {"hundredth": 100, "thousandth": 10**3, "millionth": 10**6, "billionth": 10**9}
_ORDINAL_UNITS = {
    word: value
    for value, word in enumerate(listed("zeroth first second third fourth fifth sixth seventh eighth ninth"))
}
_ORDINAL_REST = {
    word: value
    for value, word in enumerate(
        listed("tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"),
        start=10,
    )
} | {
    word: 10 * value
    for value, word in enumerate(
        listed("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"), start=2
    )
}
ORDINALS = _ORDINAL_UNITS | _ORDINAL_REST | _ORDINAL_SCALES
_ZEROS = frozenset(("oh", "o", "nought", "naught"))
_SMALL = UNITS | TEENS | TENS
_REPEATS = {"double": 2, "triple": 3}
_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_LONG = 40
_BEFORE_POINT = frozenset("$€£¥₹-")  # `$.50`
_TOO_LONG = 4000  # Python refuses to read more digits than 4300


_STARTS = frozenset(_SMALL) | frozenset(_REPEATS) | ORDINALS.keys() | frozenset(
    ("a", "an", "half", "minus", "negative", "plus", "point", "-", "--", ".", "hundred", "thousand", "million", *_ZEROS)
)  # fmt: skip


def may_start(norm: str) -> bool:
    """A number in words or digits, or its sign, can begin with the token; a quick look before the grammar is asked."""
    return norm in _STARTS or not norm.isascii() or norm[0].isdecimal()


@dataclass(frozen=True, slots=True)
class Group:
    """One number spoken or printed in one breath: its digits, and where its tokens end."""

    digits: str
    end: int
    printed: bool
    fraction: str = ""

    @property
    def value(self) -> Fraction:
        """The number; of more digits than any number has, those of the beginning."""
        return Fraction(int(self.digits[:_TOO_LONG])) + (Fraction(f"0.{self.fraction}") if self.fraction else 0)

    @property
    def zeros(self) -> int:
        """How many zeros the number ends in."""
        return len(self.digits) - len(self.digits.rstrip("0")) if self.digits.strip("0") else 0


@dataclass(frozen=True, slots=True)
class Numeral:
    """A maximal run of groups, read as one number.

    ``values`` are all numbers that it can be, ``single`` says that every group is one digit read on its own.
    """

    start: int
    end: int
    groups: tuple[Group, ...]
    values: frozenset[Fraction]
    joined: str

    @property
    def single(self) -> bool:
        """Two digits or more, read one by one."""
        return len(self.groups) > 1 and all(len(group.digits) == 1 for group in self.groups)


def group_at(stream: Stream, index: int) -> Group | None:
    """The one number that starts at the token, or None."""
    if index >= len(stream):
        return None
    token = stream[index]
    if token.kind == "digits":
        return _printed(stream, index)
    if token.kind == "symbol":
        return None
    if token.norm in _REPEATS and index + 1 < len(stream):
        digit = _digit(stream.norms[index + 1])
        return None if digit is None else Group(digit * _REPEATS[token.norm], index + 2, printed=False)
    if stream.phrase_at(index, ("half", "a", "dozen")):
        return Group("6", index + 3, printed=False)
    if token.norm in ("a", "an"):
        scale = _scale_at(stream, index + 1)
        return None if scale is None or scale == 1 else _words(stream, index + 1, 1)
    if token.norm in _SMALL:
        value, end = _small(stream, index)
        if value == 0:
            return Group("0", end, printed=False)
        return _words(stream, end, value)
    return None


def _digit(word: str) -> str | None:
    if word in _ZEROS:
        return "0"
    if word in UNITS:
        return str(UNITS[word])
    return word if len(word) == 1 and word.isdecimal() else None


def _scale_at(stream: Stream, index: int) -> int | None:
    if index >= len(stream):
        return None
    word = stream.norms[index]
    return {"hundred": 100, "dozen": 12}.get(word) or SCALES.get(word)


def _small(stream: Stream, index: int) -> tuple[int, int]:
    """Units, teens and tens with their unit: the value and where it ends; the token must be one of them."""
    word = stream.norms[index]
    if word not in TENS:
        return _SMALL[word], index + 1
    follow = index + 1
    if follow + 1 < len(stream) and stream.norms[follow] == "-" and stream[follow].glued:
        follow += 1
    if follow < len(stream) and UNITS.get(stream.norms[follow], 0) > 0 and not stream[follow].paused:
        return TENS[word] + UNITS[stream.norms[follow]], follow + 1
    return TENS[word], index + 1


def _after_and(stream: Stream, index: int) -> int:
    """Step over `and` where a number below a hundred follows it."""
    follows = index + 1 < len(stream) and stream.norms[index] == "and" and stream.norms[index + 1] in _SMALL
    return index + 1 if follows else index


def _words(stream: Stream, index: int, value: int) -> Group:
    """A cardinal in words whose first part is read; scale words and smaller parts are added."""
    total, current, ceiling = 0, value, 10**27
    while index < len(stream) and not stream[index].paused:
        word = stream.norms[index]
        if word == "dozen" and 0 < current < 100:
            current *= 12
            index += 1
        elif word == "hundred" and 0 < current < 100:
            current *= 100
            index += 1
        elif word in SCALES and current > 0 and SCALES[word] < ceiling:
            ceiling = SCALES[word]
            total += current * ceiling
            current = 0
            index += 1
        else:
            follow = _after_and(stream, index)
            word = stream.norms[follow]
            room = (current == 0 and total > 0) or (current >= 100 and current % 100 == 0)
            if not room or word not in _SMALL or word == "zero":
                break
            small, end = _small(stream, follow)
            current += small
            index = end
    return Group(str(total + current), index, printed=False)


def _printed(stream: Stream, index: int) -> Group:
    """Digits in print, with their thousands separators, their decimals and a scale word."""
    digits, end = stream[index].norm, index + 1
    while (
        len(digits) % 3 in (0, 1, 2)
        and end + 1 < len(stream)
        and stream.norms[end] == ","
        and stream[end].glued
        and stream[end + 1].glued
        and re.fullmatch(r"\d{3}", stream.norms[end + 1])
        and 0 < len(stream[index].norm) <= 3
    ):
        digits += stream.norms[end + 1]
        end += 2
    fraction = ""
    if (
        end + 1 < len(stream)
        and stream.norms[end] == "."
        and stream[end].glued
        and stream[end + 1].kind == "digits"
        and stream[end + 1].glued
    ):
        fraction = stream.norms[end + 1]
        end += 2
    scale = _scale_at(stream, end)
    if scale is None or len(digits) > _LONG:
        return Group(digits, end, printed=True, fraction=fraction)
    value = (Fraction(int(digits)) + (Fraction(f"0.{fraction}") if fraction else 0)) * scale
    if value.denominator != 1:
        return Group(digits, end, printed=True, fraction=fraction)
    return _words(stream, end + 1, int(value)) if scale > 1 and value else Group(digits, end, printed=True)


def groups_at(stream: Stream, index: int) -> tuple[Group, ...]:
    """The groups that follow each other from the token on; `oh` is a zero between them."""
    groups: list[Group] = []
    length = 0
    while index < len(stream) and length <= _LONG:
        if groups and stream[index].paused:
            break
        group = group_at(stream, index)
        if group is None and stream.norms[index] in _ZEROS:
            following = index + 1
            while following < len(stream) and stream.norms[following] in _ZEROS and following < index + _LONG:
                following += 1
            beside = groups or group_at(stream, following)
            group = Group("0", index + 1, printed=False) if beside else None
        if group is None:
            break
        groups.append(group)
        index, length = group.end, length + len(group.digits)
        if index + 1 < len(stream) and stream.norms[index] == "-" and stream[index].glued and stream[index + 1].glued:
            break
    return tuple(groups)


def numeral_at(stream: Stream, index: int) -> Numeral | None:
    """The maximal number that starts at the token, with its decimals and sign, or None.

    The sign is `minus`, `negative` or a hyphen glued to the digits with white space before it.
    """
    start, sign = index, 1
    word = stream.norms[index] if index < len(stream) else ""
    if word in ("minus", "negative") or (
        word in ("-", "--")
        and not stream[index].glued
        and index + 1 < len(stream)
        and (stream[index + 1].glued or stream[index].text == "−")
    ):
        index, sign = index + 1, -1
    if index < len(stream) and stream.norms[index] == "plus":
        index += 1
    point_first = index < len(stream) and (
        stream.norms[index] == "point"
        or (
            stream.norms[index] == "."
            and (not stream[index].glued or stream.norms[index - 1] in _BEFORE_POINT)
            and index + 1 < len(stream)
            and stream[index + 1].glued
        )
    )
    groups = () if point_first else groups_at(stream, index)
    if not groups and not point_first:
        return None
    end = groups[-1].end if groups else index
    if sum(len(group.digits) for group in groups) > _LONG:
        return Numeral(start, end, groups, frozenset(), "")
    values, joined = whole_values(groups), "".join(group.digits for group in groups)
    if any(group.fraction for group in groups):
        values = frozenset((groups[0].value,)) if len(groups) == 1 else frozenset()
    elif end < len(stream) and stream.norms[end] in ("point", ".", "dot") and (not groups or not stream[end].paused):
        decimals = groups_at(stream, end + 1)
        spoken = point_first or stream.norms[end] != "." or not stream[end].glued
        if decimals and spoken and not any(group.fraction for group in decimals):
            after, scale = decimals[-1].end, SCALES.get(stream.norms[decimals[-1].end - 1], 1)
            if scale > 1:  # `two point four million`
                decimals = groups_at(Stream(stream.text, stream.tokens[: after - 1]), end + 1)
            digits = "".join(group.digits for group in decimals)[:_LONG]
            values = frozenset(scale * (value + Fraction(f"0.{digits}")) for value in (values or {Fraction(0)}))
            joined, end, groups = joined + digits, after, groups + decimals
        elif not groups:
            return None
    return Numeral(start, end, groups, frozenset(sign * value for value in values), joined)


def whole_values(groups: tuple[Group, ...]) -> frozenset[Fraction]:
    """What groups in a row can be: joined, and added where a smaller group fits the zeros of the one before."""
    if not groups:
        return frozenset()
    values = {Fraction(int("".join(group.digits for group in groups)))}
    added = int(groups[0].digits)
    for before, group in pairwise(groups):
        fits = before.zeros >= len(group.digits) and group.digits[0] != "0"
        if not fits:
            break
        added += int(group.digits)
    else:
        values.add(Fraction(added))
    return frozenset(values)


def ordinal_at(stream: Stream, index: int) -> tuple[int, int] | None:
    """An ordinal (`21st`, `twenty first`, `one hundred and fifth`) at the token: its value and end, or None."""
    if index >= len(stream):
        return None
    token = stream[index]
    if token.kind == "digits":
        number = _printed(stream, index)
        if number.fraction or len(number.digits) > _LONG or number.end >= len(stream):
            return None
        follows = stream[number.end].glued and stream.norms[number.end] in _ORDINAL_ENDINGS
        return (int(number.digits), number.end + 1) if follows else None
    if token.norm in ORDINALS:
        return ORDINALS[token.norm], index + 1
    hundred = index > 0 and stream.norms[index - 1] == "the" and _scale_at(stream, index) is not None
    group = _words(stream, index, 1) if hundred else group_at(stream, index)  # `the hundred and first`
    if group is None or token.norm in _REPEATS or group.end >= len(stream) or stream[group.end].paused:
        return None
    value, follow = int(group.digits), group.end
    if follow + 1 < len(stream) and stream.norms[follow] == "-":
        follow += 1
    word = stream.norms[follow]
    if word in _ORDINAL_SCALES and value:
        return value * _ORDINAL_SCALES[word], follow + 1
    if not group.printed and value % 10 == 0 and value % 100 >= 20 and word in _ORDINAL_UNITS:
        return value + _ORDINAL_UNITS[word], follow + 1
    follow += word == "and" and follow + 1 < len(stream)
    rest = ordinal_at(stream, follow) if value % 100 == 0 and value else None
    if rest is not None and rest[0] < 100 and stream[follow].kind == "word":
        return value + rest[0], rest[1]
    return None


def is_numeric(word: str) -> bool:
    """The word is digits, a number word or an ordinal word."""
    return word.isdecimal() or word in _SMALL or word in SCALES or word == "hundred" or word in ORDINALS

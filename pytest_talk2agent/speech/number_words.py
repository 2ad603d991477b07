"""A number in words: the inverse of `numerals`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pytest_talk2agent.speech.numerals import ORDINALS, SCALES, TEENS, TENS, UNITS

_SMALL = {value: word for word, value in (UNITS | TEENS).items()}
_TENS = {value: word for word, value in TENS.items() if word != "fourty"}
_ORDINAL = {value: word for word, value in ORDINALS.items()}
_SCALES = [(value, word) for word, value in SCALES.items() if not word.startswith(("lakh", "crore"))][::-1]
_VULGAR = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔"}


def cardinal(number: int, *, joiner: str = " ") -> str:
    """The number in words: `one hundred{joiner}five`."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _TENS[number - number % 10] + (f" {_SMALL[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f"{joiner}{cardinal(number % 100)}" if number % 100 else ""
        return f"{_SMALL[number // 100]} hundred{rest}"
    size, word = next((size, word) for size, word in _SCALES if size <= number)
    below = number % size
    rest = f"{joiner if below < 100 else ' '}{cardinal(below, joiner=joiner)}" if below else ""
    return f"{cardinal(number // size, joiner=joiner)} {word}{rest}"


def ordinal(number: int, *, joiner: str = " ") -> str:
    """The ordinal in words: `twenty first`."""
    if number in _ORDINAL:
        return _ORDINAL[number]
    if number < 100:
        return f"{_TENS[number - number % 10]} {_ORDINAL[number % 10]}"
    if number % 100:
        return f"{cardinal(number - number % 100)}{joiner}{ordinal(number % 100)}"
    size, word = (100, "hundredth") if number % 1000 else next((s, f"{w}th") for s, w in _SCALES if not number % s)
    return f"{cardinal(number // size)} {word}"


def ordinal_suffix(number: int) -> str:
    """What stands behind the digits of an ordinal: `st`, `nd`, `rd`, `th`."""
    return "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def digits(text: str) -> str:
    """Digits one by one."""
    return " ".join(_SMALL[int(digit)] for digit in text)


def in_pairs(text: str) -> str | None:
    """Four digits as two numbers: `nineteen oh five`, `twenty twenty six`; None for 2005 and 2000."""
    top, bottom = int(text[:2]), int(text[2:])
    if len(text) != 4 or top < 10 or not bottom or (bottom < 10 and top % 10 == 0):
        return None
    return f"{cardinal(top)} {'oh ' if bottom < 10 else ''}{cardinal(bottom)}"


def number_forms(value: Fraction) -> Iterator[str]:
    """A number in words, in digits, with separators, as a fraction, with a scale letter."""
    sign, value = ("minus ", -value) if value < 0 else ("", value)
    mark = "-" if sign else ""
    whole, part = divmod(value, 1)
    if not part:
        text = str(whole)
        yield mark + text
        yield f"{mark}{int(whole):,}"
        yield sign + cardinal(int(whole))
        yield sign + cardinal(int(whole), joiner=" and ")
        if 3 <= len(text) <= 5:
            yield sign + digits(text)
        if whole and not whole % 1000 and len(text) < 7:
            yield f"{mark}{int(whole) // 1000}K"
        return
    decimal = _decimal(part)
    if decimal is not None:
        yield f"{mark}{whole}.{decimal}"
        yield f"{sign}{cardinal(int(whole))} point {digits(decimal)}"
        if not whole:
            yield f"{sign}point {digits(decimal)}"
    if part.denominator in (2, 3, 4, 5, 8, 10) and not sign:
        yield from _fractions(int(whole), part)


def _fractions(whole: int, part: Fraction) -> Iterator[str]:
    top, bottom = part.numerator, part.denominator
    name = {2: "half", 4: "quarter"}.get(bottom) or _ORDINAL[bottom]
    spoken = f"{cardinal(top)} {name}s" if top > 1 else f"{'one' if not whole else 'a'} {name}"
    if not whole:
        yield spoken
        yield f"{top}/{bottom}"
    else:
        yield f"{cardinal(whole)} and {spoken}"
        yield f"{whole} {top}/{bottom}"
    if part in _VULGAR:
        yield f"{whole or ''}{_VULGAR[part]}"


def _decimal(part: Fraction) -> str | None:
    """The digits behind the point, None where they do not end within six."""
    scaled = part * 10**6
    return None if scaled.denominator != 1 else f"{scaled.numerator:06d}".rstrip("0")

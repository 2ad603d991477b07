"""Fractions in speech and print: `three quarters`, `3/4`, `½`, `two thirds`, `1 1/2`."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from pytest_talk2agent.speech.numerals import ORDINALS, SCALES, group_at
from pytest_talk2agent.speech.tokens import Stream

_DENOMINATORS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_SLASHES = ("/", "⁄")


def fraction_at(stream: Stream, index: int) -> tuple[Fraction, int] | None:
    """The fraction that starts at the token, with a whole number before it if there is one, and where it ends."""
    if index >= len(stream):
        return None
    found = _vulgar(stream, index) or _printed(stream, index) or _spoken(stream, index)
    if found is not None:
        return found
    return _mixed(stream, index)


def _mixed(stream: Stream, index: int) -> tuple[Fraction, int] | None:
    """`1½`, `1 1/2`, `1-1/2`, `one and a half`, `2 and 3/4`."""
    whole = group_at(stream, index)
    if whole is None or whole.fraction or len(whole.digits) > 12 or whole.end >= len(stream):
        return None
    at = whole.end
    if stream[at].paused:
        return None
    if stream.norms[at] == "and" or (stream.norms[at] == "-" and stream[at].glued):
        at += 1
    if at >= len(stream):
        return None
    part = _vulgar(stream, at) or _printed(stream, at)
    if part is None and stream.norms[at - 1] == "and":
        part = _spoken(stream, at)
    if part is None or not 0 < part[0] < 1:
        return None
    return int(whole.digits) + part[0], part[1]


def _vulgar(stream: Stream, index: int) -> tuple[Fraction, int] | None:
    """One character such as `½`."""
    parts = unicodedata.normalize("NFKD", stream.norms[index]).split("⁄")
    if (
        len(stream.norms[index]) != 1
        or len(parts) != 2
        or not all(part.isdecimal() for part in parts)
        or parts[1] == "0"
    ):
        return None
    return Fraction(int(parts[0]), int(parts[1])), index + 1


def _printed(stream: Stream, index: int) -> tuple[Fraction, int] | None:
    tokens = stream.tokens[index : index + 3]
    if len(tokens) < 3 or tokens[0].kind != "digits" or tokens[2].kind != "digits" or tokens[1].norm not in _SLASHES:
        return None
    if not tokens[1].glued or not tokens[2].glued or len(tokens[0].norm) > 6 or len(tokens[2].norm) > 6:
        return None
    after = stream[index + 3] if index + 3 < len(stream) else None
    if not int(tokens[2].norm) or (
        after is not None and after.glued and (after.norm in "/-." or after.kind == "digits")
    ):
        return None
    return Fraction(int(tokens[0].norm), int(tokens[2].norm)), index + 3


def _spoken(stream: Stream, index: int) -> tuple[Fraction, int] | None:
    """`half`, `a third`, `three quarters`, `two-thirds`, `three over four`."""
    norms = stream.norms
    if stream.phrase_at(index, ("half", "a", "dozen")):
        return None
    if norms[index] == "half":
        return Fraction(1, 2), index + 1
    count, at = 1, index
    if norms[index] in ("a", "an", "one"):
        at += 1
    else:
        group = group_at(stream, index)
        if group is None or group.fraction or len(group.digits) > 3 or norms[index] in ("double", "triple"):
            return None
        count, at = int(group.digits), group.end
        if norms[at : at + 1] == ("over",):
            bottom = group_at(stream, at + 1)
            if bottom is None or bottom.fraction or not bottom.digits.strip("0") or len(bottom.digits) > 6:
                return None
            return Fraction(count, int(bottom.digits)), bottom.end
    if at + 1 < len(norms) and norms[at] == "-" and stream[at].glued:
        at += 1
    if at >= len(norms) or (stream[at].paused and at > index):
        return None
    denominator = _denominator(stream, at, plural=count != 1)
    if denominator is None:
        return None
    return Fraction(count, denominator[0]), denominator[1]


def _denominator(stream: Stream, index: int, *, plural: bool) -> tuple[int, int] | None:
    word = stream.norms[index]
    if word in _DENOMINATORS:
        return _DENOMINATORS[word], index + 1
    if plural != word.endswith("s"):
        return None
    value = ORDINALS.get(word.removesuffix("s"), 0)
    return (value, index + 1) if value > 2 else None  # `two seconds` is a time


def scaled(stream: Stream, value: Fraction, end: int) -> tuple[Fraction, int]:
    """The fraction with a scale word behind it: `half a million`, `two and a half thousand`."""
    at = end
    at += stream.norms[at : at + 1] == ("of",)
    at += stream.norms[at : at + 1] == ("a",)
    if at < len(stream) and stream.norms[at] in SCALES and not stream[at].paused:
        return value * SCALES[stream.norms[at]], at + 1
    return value, end

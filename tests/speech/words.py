"""Numbers in words, written independently of the reader under test."""

from __future__ import annotations

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
SMALL = _WORDS.split()
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def cardinal(number: int) -> str:
    """`2005` as `two thousand five`."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        return TENS[number // 10] + (f" {SMALL[number % 10]}" if number % 10 else "")
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {cardinal(number % size)}" if number % size else ""
            return f"{cardinal(number // size)} {name}{rest}"
    raise AssertionError(number)


def digit_by_digit(number: int) -> str:
    """`2005` as `two zero zero five`."""
    return " ".join(SMALL[int(digit)] for digit in str(number))


def in_pairs(number: int) -> str:
    """`179` as `one seventy nine`, `2005` as `twenty oh five`."""
    digits = str(number)
    pairs = [digits[: len(digits) % 2]] if len(digits) % 2 else []
    pairs += [digits[at : at + 2] for at in range(len(digits) % 2, len(digits), 2)]
    spoken = []
    for pair in pairs:
        if len(pair) == 2 and pair[0] == "0":
            spoken.append(f"oh {SMALL[int(pair[1])] if pair[1] != '0' else 'oh'}")
        else:
            spoken.append(cardinal(int(pair)))
    return " ".join(spoken)

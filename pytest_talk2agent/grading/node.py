"""One operation of a compiled grader, and the small functions on nodes that every engine needs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

Kind = Literal["constant", "variable", "linear", "product", "minimum", "maximum", "steps", "choice"]


class Node(NamedTuple):
    """One operation.

    ``numbers`` holds the value of a constant, the bit of a variable, the constant and then the weights of a linear
    node, and for steps the rising thresholds followed by one value more (the first is below all thresholds).
    A choice has three children: a 0/1 condition, the value where it is 1, the value where it is 0.
    """

    kind: Kind
    children: tuple[int, ...]
    numbers: tuple[int, ...]


def bits(mask: int) -> Iterator[int]:
    """Positions of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def step_value(numbers: Sequence[int], value: int) -> int:
    """The value of a steps node with these numbers where its child is ``value``."""
    half = len(numbers) // 2
    return numbers[half + bisect_right(numbers, value, 0, half)]


def corners(low: int, high: int, other_low: int, other_high: int) -> tuple[int, int]:
    """Least and greatest product of two bounded numbers."""
    products = (low * other_low, low * other_high, high * other_low, high * other_high)
    return min(products), max(products)

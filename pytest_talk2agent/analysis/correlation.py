"""Pearson's and Spearman's correlation of two rows of numbers, exact until the last root."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

Number = Fraction | float | int


def pearson(xs: Sequence[Number], ys: Sequence[Number]) -> float | None:
    """Pearson's r; None where a row is constant or shorter than two, for then it is not defined.

    In floating point a constant row can leave a variance near 1e-32 behind and come out as a small number; here sums
    are fractions. Raises ValueError where the rows are not of one length or hold no numbers.
    """
    if len(xs) != len(ys):
        raise ValueError(f"rows of {len(xs)} and {len(ys)} numbers; pairs need as many of both")
    first, second = _centred(xs), _centred(ys)
    spread = _product(first, first) * _product(second, second)
    if not spread:
        return None
    together = _product(first, second)
    # The square is at most 1, so the quotient is an exact fraction that a float can hold.
    size = sqrt(together * together / spread)
    return size if together >= 0 else -size


def spearman(xs: Sequence[Number], ys: Sequence[Number]) -> float | None:
    """Spearman's rho: Pearson's r of the average ranks; None as there."""
    return pearson(average_ranks(xs), average_ranks(ys))


def average_ranks(xs: Sequence[Number]) -> list[Fraction]:
    """Ranks from 1 for the least; equal numbers share the mean of theirs."""
    order = sorted(range(len(xs)), key=lambda index: xs[index])
    ranks = [Fraction(0)] * len(xs)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and xs[order[last + 1]] == xs[order[first]]:
            last += 1
        for index in order[first : last + 1]:
            ranks[index] = Fraction(first + last + 2, 2)
        first = last + 1
    return ranks


def _centred(row: Sequence[Number]) -> list[Fraction]:
    try:
        exact = [Fraction(number) for number in row]
    except (OverflowError, ValueError):
        raise ValueError("a row holds a number that is not finite; leave it out") from None
    mean = sum(exact, Fraction(0)) / len(exact) if exact else Fraction(0)
    return [number - mean for number in exact]


def _product(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))

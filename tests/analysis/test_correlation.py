"""Pearson and Spearman, exact: ties, constant rows, rows that floating point gets wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.correlation import average_ranks, pearson, spearman

ROWS = st.lists(st.integers(-3, 3), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("xs", "ys", "r"),
    [
        ([1, 2, 3], [2, 4, 6], 1.0),
        ([1, 2, 3], [6, 4, 2], -1.0),
        ([0.1, 0.2, 0.3], [0.7, 0.8, 0.9], 1.0),
        ([1, 2, 3, 4], [1, -1, -1, 1], 0.0),
        ([1, 2, 3], [1, 2, 4], 3 / math.sqrt(2 * Fraction(14, 3))),
    ],
)
def test_pearson(xs: list[float], ys: list[float], r: float) -> None:
    assert pearson(xs, ys) == pytest.approx(r, abs=1e-15)


@pytest.mark.parametrize("constant", [[0.1] * 3, [0.4] * 3, [Fraction(1, 3)] * 3])
def test_a_constant_row_is_undefined_and_no_small_number(constant: list[float]) -> None:
    assert pearson(constant, [1, 2, 4]) is None
    assert pearson([1, 2, 4], constant) is None
    assert spearman(constant, [1, 2, 4]) is None


def test_the_trap_is_real() -> None:
    # three times 0.1 leaves a variance that is not zero in floating point
    row = [0.1] * 3
    mean = sum(row) / len(row)
    assert sum((x - mean) ** 2 for x in row) > 0
    assert pearson(row, [1, 2, 4]) is None


@pytest.mark.parametrize("length", [0, 1])
def test_too_few_pairs_are_undefined(length: int) -> None:
    assert pearson([1.0] * length, [2.0] * length) is None


def test_rows_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of 2 and 3 numbers"):
        pearson([1, 2], [1, 2, 3])


def test_what_is_not_finite_is_refused() -> None:
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="not finite"):
            pearson([1.0, bad], [1.0, 2.0])


@pytest.mark.parametrize(
    ("xs", "ranks"),
    [([10, 20, 30], [1, 2, 3]), ([3, 1, 3], [2.5, 1, 2.5]), ([7, 7, 7], [2, 2, 2]), ([], [])],
)
def test_equal_numbers_share_their_ranks(xs: list[float], ranks: list[float]) -> None:
    assert average_ranks(xs) == ranks


def test_spearman_sees_order_alone() -> None:
    assert spearman([1, 2, 3], [1, 10, 1000]) == 1.0


@given(ROWS)
def test_pearson_is_symmetric_bounded_and_blind_to_scale(xs: list[int]) -> None:
    ys = list(reversed(xs))
    r = pearson(xs, ys)
    if len(set(xs)) == 1:
        assert r is None
        return
    assert r is not None
    assert -1 <= r <= 1
    assert r == pearson(ys, xs) == pearson([3 * x + 7 for x in xs], ys)
    assert pearson(xs, [-y for y in ys]) == -r
    assert pearson(xs, xs) == 1.0

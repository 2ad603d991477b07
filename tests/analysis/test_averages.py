"""Pooled and mean, both named; empty references are counted and in neither."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.analysis.averages import Averages, averages


def test_the_average_decides_who_wins() -> None:
    # case C33
    assert averages([(2, 2), (0, 11)]) == Averages(Fraction(2, 13), Fraction(1, 2), 2, 0, 0)


@pytest.mark.parametrize(
    ("counts", "pooled", "mean"),
    [
        ([(0, 3), (1, 3), (3, 3)], Fraction(4, 9), Fraction(4, 9)),
        ([(1, 1), (0, 3), (3, 6)], Fraction(2, 5), Fraction(1, 2)),
        # utterances with an error of meaning: each is one unit, and both averages are the share
        ([(1, 1), (0, 1), (0, 1), (1, 1)], Fraction(1, 2), Fraction(1, 2)),
        ([(5, 2), (0, 2)], Fraction(5, 4), Fraction(5, 4)),
    ],
)
def test_answer_error_rates_of_utterances(counts: list[tuple[int, int]], pooled: Fraction, mean: Fraction) -> None:
    found = averages(counts)
    assert (found.pooled, found.mean) == (pooled, mean)


def test_empty_references_are_counted_and_not_averaged() -> None:
    # case C08
    assert averages([(3, 0), (1, 4), (0, 0)]) == Averages(Fraction(1, 4), Fraction(1, 4), 1, 2, 3)
    assert averages([(3, 0)]) == Averages(None, None, 0, 1, 3)
    assert averages([]) == Averages(None, None, 0, 0, 0)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="never negative"):
        averages([(-1, 3)])

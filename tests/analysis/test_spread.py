"""Mean and standard deviation over repetitions, by hand: exact means, the sample's SD, and gaps that are refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.spread import Spread, means_of, spread

F = Fraction


def test_the_mean_is_exact_and_the_sd_is_that_of_a_sample() -> None:
    # Deviations -1/10, 0 and 1/10: their squares sum to 2/100, over n - 1 = 2 that is 1/100.
    assert spread([F(1, 10), F(2, 10), F(3, 10)]) == Spread(F(1, 5), 0.1, 3)


def test_two_repetitions() -> None:
    assert spread([F(0), F(1)]) == Spread(F(1, 2), math.sqrt(0.5), 2)


def test_one_repetition_has_no_deviation() -> None:
    assert spread([F(2, 3)]) == Spread(F(2, 3), None, 1)


def test_equal_repetitions_deviate_by_nothing() -> None:
    assert spread([F(1, 3)] * 5) == Spread(F(1, 3), 0.0, 5)


def test_no_repetition_is_refused() -> None:
    with pytest.raises(ValueError, match="no value to average"):
        spread([])


@given(st.lists(st.fractions(0, 1), min_size=2, max_size=6), st.fractions(-1, 1))
def test_a_shift_moves_the_mean_alone(values: list[Fraction], by: Fraction) -> None:
    plain, moved = spread(values), spread([value + by for value in values])
    assert moved.mean == plain.mean + by
    assert moved.sd == plain.sd


def test_each_repetition_is_a_mean_over_its_tasks() -> None:
    cells = [("1", "a", F(1)), ("1", "b", F(0)), ("2", "b", F(1, 3)), ("2", "a", F(1, 3))]
    assert means_of(cells, "x") == {"1": F(1, 2), "2": F(1, 3)}


def test_scores_of_one_task_and_repetition_are_averaged_before_tasks_are() -> None:
    cells = [("1", "a", F(0)), ("1", "a", F(1)), ("1", "a", F(1)), ("1", "b", F(0))]
    assert means_of(cells, "x") == {"1": F(1, 3)}


def test_repetitions_of_other_tasks_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^x: repetition '2' lacks b, which others have; complete it$"):
        means_of([("1", "a", F(1)), ("1", "b", F(0)), ("2", "a", F(1))], "x")


def test_many_gaps_are_counted() -> None:
    cells = [("1", task, F(1)) for task in "abcdef"] + [("2", "a", F(1))]
    with pytest.raises(ValueError, match="repetition '2' lacks b, c, d and 2 more, which"):
        means_of(cells, "x")


def test_nothing_gives_no_repetition() -> None:
    assert means_of([], "x") == {}

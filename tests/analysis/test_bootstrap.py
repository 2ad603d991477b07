"""Intervals over tasks: what they are made of, and what they must not depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytest_talk2agent.analysis.bootstrap import resamples, student_quantile, task_interval, task_intervals

DRAWS = 2000
VALUES = [0.0, 0.0, -0.5, 0.25, -1.0, 0.0, 0.5, -0.25, 0.0, -0.1]


def interval(low: list[float], high: list[float] | None = None, seed: int = 0) -> tuple[float, float]:
    found = task_interval(low, low if high is None else high, draws=DRAWS, seed=seed)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("freedom", "value", "error"),
    [
        (1, 12.706205, 1e-5),
        (2, 4.302653, 1e-5),
        (3, 3.182446, 0.03),
        (5, 2.570582, 3e-3),
        (10, 2.228139, 2e-4),
        (29, 2.045230, 1e-5),
        (100, 1.983972, 1e-5),
    ],
)
def test_student_quantiles_are_those_of_the_tables(freedom: int, value: float, error: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(value, abs=error)
    assert student_quantile(0.025, freedom) == pytest.approx(-value, abs=error)


def test_a_resample_draws_as_many_tasks_as_there_are() -> None:
    counts = np.vstack(list(resamples(7, 1234, seed=3)))
    assert counts.shape == (1234, 7)
    assert set(counts.sum(axis=1)) == {7.0}
    assert counts.mean() == 1


def test_resamples_have_the_spread_of_draws_with_replacement() -> None:
    counts = np.vstack(list(resamples(10, 20_000, seed=0)))
    # A task's count is binomial with 10 draws and probability 1/10.
    assert counts.var(axis=0) == pytest.approx([0.9] * 10, rel=0.05)


def test_the_same_seed_gives_the_same_interval_and_another_one_nearly_the_same() -> None:
    assert interval(VALUES) == interval(VALUES)
    assert interval(VALUES, seed=1) == pytest.approx(interval(VALUES), abs=0.03)


def test_one_task_has_no_interval() -> None:
    assert task_interval([0.5], [0.5], draws=DRAWS, seed=0) is None


def test_where_all_tasks_are_alike_the_interval_is_a_point() -> None:
    assert interval([0.25] * 30) == pytest.approx((0.25, 0.25), abs=1e-12)


def test_an_interval_moves_with_its_values_and_grows_with_them() -> None:
    lower, upper = interval(VALUES)
    assert interval([value + 0.5 for value in VALUES]) == pytest.approx((lower + 0.5, upper + 0.5))
    assert interval([-2 * value for value in VALUES]) == pytest.approx((-2 * upper, -2 * lower), abs=0.05)


def test_it_is_never_narrower_than_students() -> None:
    sparse = [0.0] * 29 + [-1.0]
    half = 2.04523 * np.std(sparse, ddof=1) / math.sqrt(30)
    lower, upper = interval(sparse)
    assert lower <= -1 / 30 - half + 1e-6
    assert upper >= -1 / 30 + half - 1e-6


def test_a_skewed_interval_keeps_its_skew() -> None:
    skewed = [0.0] * 27 + [-1.0] * 3
    lower, upper = interval(skewed)
    assert -0.1 - lower > upper + 0.1, "more room on the side of the losses"


def test_unresolved_labels_widen_it_on_their_side_only() -> None:
    lower, upper = interval(VALUES)
    wider = interval([value - 0.2 for value in VALUES], VALUES)
    assert wider == pytest.approx((lower - 0.2, upper))


def test_columns_are_resampled_together_and_do_not_mix() -> None:
    both = np.array([VALUES, VALUES[::-1]]).T
    lower, upper = task_intervals(both, draws=DRAWS, seed=0)
    assert (lower[0], upper[0]) == pytest.approx(interval(VALUES))
    assert (lower[1], upper[1]) == pytest.approx(interval(VALUES[::-1]))


def test_more_confidence_is_a_wider_interval() -> None:
    values = np.array([VALUES]).T
    (low,), (high,) = task_intervals(values, draws=DRAWS, seed=0)
    (lower,), (higher,) = task_intervals(values, draws=DRAWS, seed=0, confidence=0.99)
    assert lower < low < high < higher

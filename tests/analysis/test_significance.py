"""Intervals, exact tests and how many recordings would decide, against enumeration and worked examples."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.significance import (
    Components,
    components_of,
    holm,
    needed_for,
    resamples,
    sign_flip_p,
    student_quantile,
    task_interval,
    task_intervals,
)
from pytest_talk2agent.results.comparison import Needed

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


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_a_p_value_is_the_share_of_sign_patterns_that_are_as_extreme(net: list[int]) -> None:
    sums = [sum(sign * abs(count) for sign, count in zip(signs, net, strict=True)) for signs in
            product((1, -1), repeat=len(net))]  # fmt: skip
    assert sign_flip_p(net) == pytest.approx(sum(one >= sum(net) for one in sums) / len(sums))


@pytest.mark.parametrize(
    ("net", "p"), [([], 1), ([0, 0], 1), ([1], 1 / 2), ([1] * 5, 1 / 32), ([1] * 5 + [0] * 90, 1 / 32), ([-1] * 5, 1)]
)
def test_counts_of_one_are_mcnemars_test(net: list[int], p: float) -> None:
    assert sign_flip_p(net) == pytest.approx(p)


def test_many_takes_of_one_task_are_one_piece_of_evidence() -> None:
    assert sign_flip_p([10]) == sign_flip_p([1]) == 0.5


def test_a_large_run_is_exact_too() -> None:
    net = [1] * 200 + [-1] * 150
    assert sign_flip_p(net) == pytest.approx(0.00433, abs=2e-4)  # binomial: at least 200 of 350


def test_holm_steps_down_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


def test_the_components_of_a_balanced_layout() -> None:
    found = components_of([[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]])
    # Task means 1, 5, 9: variance 16. Within each task the variance is 2, half of which is in a mean of two.
    assert found == Components(tasks=3, takes=2.0, means=16.0, between=15.0, within=2.0)


def test_takes_that_scatter_more_than_tasks_leave_nothing_between() -> None:
    assert components_of([[0.0, 10.0], [10.0, 0.0]]).between == 0


def test_single_takes_cannot_tell_the_two_apart() -> None:
    found = components_of([[0.0], [1.0]])
    assert (found.within, found.between, found.means) == (None, 0.5, 0.5)


def test_unequal_tasks_have_the_harmonic_mean_of_takes() -> None:
    assert components_of([[0.0], [0.0, 1.0, 2.0]]).takes == pytest.approx(1.5)


def test_the_components_are_found_again() -> None:
    draw = random.Random(1)
    groups = []
    for _ in range(4000):
        centre = draw.gauss(0, 2)
        groups.append([draw.gauss(centre, 3) for _ in range(5)])
    found = components_of(groups)
    assert found.between == pytest.approx(4, rel=0.1)
    assert found.within == pytest.approx(9, rel=0.1)


FLAT = Components(tasks=30, takes=1.0, means=0.09, between=0.09, within=None)


def around(low: float, high: float, half: float) -> tuple[tuple[float, float], tuple[float, float]]:
    return (low, high), (low - half, high + half)


def test_half_the_room_takes_four_times_the_tasks() -> None:
    assert needed_for(FLAT, *around(-0.01, -0.01, half=0.08), margin=0.05) == Needed(120, None)
    assert needed_for(FLAT, *around(0.01, 0.01, half=0.12), margin=0.05) == Needed(120, None)


def test_a_loss_beyond_the_margin_is_decided_by_more_data_too() -> None:
    assert needed_for(FLAT, *around(-0.09, -0.09, half=0.08), margin=0.05) == Needed(120, None)


def test_the_side_of_a_skewed_interval_counts() -> None:
    assert needed_for(FLAT, (-0.01, -0.01), (-0.09, 0.0), margin=0.05) == Needed(120, None)


def test_a_difference_at_the_margin_is_never_decided() -> None:
    assert needed_for(FLAT, *around(-0.05, -0.05, half=0.08), margin=0.05) == Needed(None, None)


def test_labels_alone_may_leave_it_open() -> None:
    assert needed_for(FLAT, *around(-0.2, 0.1, half=0.01), margin=0.05) == Needed(None, None, labels=True)


def test_unresolved_labels_on_one_side_of_the_margin_are_no_obstacle() -> None:
    assert needed_for(FLAT, *around(-0.01, 0.2, half=0.08), margin=0.05) == Needed(120, None)


def test_takes_help_where_takes_scatter() -> None:
    noisy = Components(tasks=30, takes=2.0, means=0.06, between=0.01, within=0.1)
    # The variance of a task's mean must fall from 0.06 to 0.015: 0.01 + 0.1 / 20.
    assert needed_for(noisy, *around(0.0, 0.0, half=0.1), margin=0.05) == Needed(120, 20)


def test_takes_do_not_help_where_tasks_differ() -> None:
    stubborn = Components(tasks=30, takes=2.0, means=0.06, between=0.05, within=0.02)
    assert needed_for(stubborn, *around(0.0, 0.0, half=0.1), margin=0.05) == Needed(120, None)

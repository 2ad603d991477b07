"""How many recordings would decide."""

from __future__ import annotations

import random

import pytest

from pytest_talk2agent.analysis.power import Spread, needed_for, spread_of
from pytest_talk2agent.results.release import Needed


def test_the_components_of_a_balanced_layout() -> None:
    spread = spread_of([[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]])
    # Task means 1, 5, 9: variance 16. Within each task the variance is 2, half of which is in a mean of two.
    assert spread == Spread(tasks=3, takes=2.0, means=16.0, between=15.0, within=2.0)


def test_takes_that_scatter_more_than_tasks_leave_nothing_between() -> None:
    assert spread_of([[0.0, 10.0], [10.0, 0.0]]).between == 0


def test_single_takes_cannot_tell_the_two_apart() -> None:
    spread = spread_of([[0.0], [1.0]])
    assert (spread.within, spread.between, spread.means) == (None, 0.5, 0.5)


def test_unequal_tasks_have_the_harmonic_mean_of_takes() -> None:
    assert spread_of([[0.0], [0.0, 1.0, 2.0]]).takes == pytest.approx(1.5)


def test_the_components_are_found_again() -> None:
    draw = random.Random(1)
    groups = []
    for _ in range(4000):
        centre = draw.gauss(0, 2)
        groups.append([draw.gauss(centre, 3) for _ in range(5)])
    spread = spread_of(groups)
    assert spread.between == pytest.approx(4, rel=0.1)
    assert spread.within == pytest.approx(9, rel=0.1)


FLAT = Spread(tasks=30, takes=1.0, means=0.09, between=0.09, within=None)


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
    noisy = Spread(tasks=30, takes=2.0, means=0.06, between=0.01, within=0.1)
    # The variance of a task's mean must fall from 0.06 to 0.015: 0.01 + 0.1 / 20.
    assert needed_for(noisy, *around(0.0, 0.0, half=0.1), margin=0.05) == Needed(120, 20)


def test_takes_do_not_help_where_tasks_differ() -> None:
    stubborn = Spread(tasks=30, takes=2.0, means=0.06, between=0.05, within=0.02)
    assert needed_for(stubborn, *around(0.0, 0.0, half=0.1), margin=0.05) == Needed(120, None)

"""Exact tests: against the enumeration of all signs, and against worked examples."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.signs import holm, sign_flip_p


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

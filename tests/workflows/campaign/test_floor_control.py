"""Floor control and uptake: shares, gaps and percentiles with intervals that are those of the textbooks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.campaign.floor_control import (
    Gap,
    Quantile,
    correction_uptake,
    floor_control,
    gap,
    quantile,
)
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate
from pytest_talk2agent.workflows.scoring.artifacts import FieldCounts
from pytest_talk2agent.workflows.scoring.floor import Yields


def test_nothing_happened_is_no_figure() -> None:
    found = floor_control(Yields())
    assert isinstance(found.yields, NotApplicable)
    assert isinstance(found.stop_p50, NotApplicable)
    assert isinstance(found.false, NotApplicable)
    assert isinstance(correction_uptake(FieldCounts()).gap, NotApplicable)


def test_the_over_yielder_and_the_non_yielder_are_told_apart() -> None:
    over = floor_control(Yields(given=12, asked=12, stops=(200,) * 12, false=12, kept_on=12))
    never = floor_control(Yields(given=0, asked=12, censored=12, kept_on=12))
    assert (str(over.yields), str(over.false)) == ("100.0 % [75.8, 100.0] (n=12)", "100.0 % [75.8, 100.0] (n=12)")
    assert (str(never.yields), str(never.false), never.censored) == (
        "0.0 % [0.0, 24.2] (n=12)",
        "0.0 % [0.0, 24.2] (n=12)",
        12,
    )
    assert isinstance(never.stop_p50, NotApplicable)


def test_the_published_yield_of_gpt_realtime_has_its_interval() -> None:
    assert str(floor_control(Yields(given=523, asked=524)).yields) == "99.8 % [98.9, 100.0] (n=524)"


def test_a_gap_has_the_interval_of_newcombe() -> None:
    """56/70 against 48/80, the example of his paper (method 10): 0.2000, from 0.0524 to 0.3339."""
    found = gap(Rate(56, 70), Rate(48, 80))
    assert found.value == Fraction(1, 5)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_the_published_gap_comes_out_of_its_counts() -> None:
    """GPT-realtime: 234 of 900 corrected fields missed, 137 of 2,811 others (APEX-Voice, Table 4)."""
    counts = FieldCounts(corrected=900, corrected_wrong=234, other=2_811, other_wrong=137)
    found = correction_uptake(counts)
    assert isinstance(found.gap, Gap)
    assert float(100 * found.gap.value) == pytest.approx(21.13, abs=0.005)
    assert str(found.corrected).startswith("74.0 % [")
    assert found.gap.interval[0] < 0.2113 < found.gap.interval[1]


def test_what_is_stale_is_missed_as_published() -> None:
    found = correction_uptake(FieldCounts(corrected=20, corrected_stale=5, other=20))
    assert str(found.corrected).startswith("75.0 %")


def test_the_median_lies_between_order_statistics() -> None:
    """Of 25 values the 8th and the 18th, a 95 % interval of the median in any table of order statistics."""
    found = quantile(range(1, 26), 0.5)
    assert isinstance(found, Quantile)
    assert (float(found.value), found.interval) == (13.0, (8.0, 18.0))
    assert str(found) == "13 [8, 18] (n=25)"


@pytest.mark.parametrize(("count", "share"), [(5, 0.5), (20, 0.95)])
def test_too_few_values_have_no_interval(count: int, share: float) -> None:
    found = quantile(range(count), share)
    assert isinstance(found, Quantile)
    assert found.interval is None


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_the_interval_holds_the_percentile_about_as_often_as_it_says(seed: int) -> None:
    draw = np.random.default_rng(seed)
    hits = 0
    for _ in range(60):
        found = quantile([Fraction(value).limit_denominator(10**6) for value in draw.random(40)], 0.5)
        assert isinstance(found, Quantile)
        assert found.interval is not None
        hits += found.interval[0] <= 0.5 <= found.interval[1]
    assert hits >= 48, "at 95 % fewer than 48 of 60 come once in a million"
